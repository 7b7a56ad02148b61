//! Submits a job to its provider. The provider accepts it at most once.

use std::time::Duration;

use assist::upstream_error;
use providers::media::video::{RemoteJob, VideoRequest, VideoSource};
use providers::{ProviderError, ProviderErrorKind};
use runs::event::video::{VideoPostponed, VideoSubmitted, VideoSubmitting};
use runs::{EventData, OverBudget, RunOutcome, WriteError};
use storage::Tx;
use storage::records::{Run, RunState, VideoJob, VideoOperation};

use super::journey::{Journey, ask_offer};

/// How long a cancelled job waits for the response to its submission, so that the job can be cancelled at the provider.
const LAST_WORD: Duration = Duration::from_secs(5);
/// The pause after a provider has not accepted a job. Each further pause is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// The longest pause between two submissions.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// The result of a submission.
pub(super) enum Submission {
    /// The provider has accepted the job under this id.
    Accepted(String),
    /// The job has ended without a video.
    Ended(RunOutcome),
}

/// Submits a job. `in_doubt` is set if an earlier epoch may have submitted it.
pub(super) async fn submit(journey: &Journey<'_>, in_doubt: bool) -> Result<Submission, WriteError> {
    if in_doubt {
        match find(journey).await {
            Lookup::Job(job) => return accepted(journey, job).await,
            Lookup::Ended(outcome) => return Ok(Submission::Ended(outcome)),
            // Recorded because the job would otherwise be billed if it ends before it is submitted again.
            Lookup::Nothing => postponed(journey, "the provider has no such job")?,
        }
    }
    let mut pause = FIRST_PAUSE;
    loop {
        if journey.work.cancel.is_cancelled() {
            return Ok(Submission::Ended(RunOutcome::Cancelled));
        }
        if let Err(over) = ask_offer(journey.work).await?.within_budget() {
            return Ok(Submission::Ended(RunOutcome::failed(OverBudget::CODE, over.to_string())));
        }
        let key = journey.work.run.id.to_string();
        journey.work.writer.push(EventData::VideoSubmitting(VideoSubmitting { key }))?;
        // From here on, the provider may have the job.
        journey.work.writer.flush().await?;
        let Some(answer) = hand_over(journey).await? else {
            return Ok(Submission::Ended(RunOutcome::Cancelled));
        };
        let why = match answer {
            Ok(job) => return accepted(journey, job).await,
            Err(why) => why,
        };
        match meaning(&why) {
            SubmitFailure::Open => match find(journey).await {
                Lookup::Job(job) => return accepted(journey, job).await,
                Lookup::Ended(outcome) => return Ok(Submission::Ended(outcome)),
                Lookup::Nothing => {}
            },
            SubmitFailure::No => return refused(journey, &why),
            SubmitFailure::NotNow => {}
        }
        if pause > journey.time_left() {
            return refused(journey, &why);
        }
        postponed(journey, &why.message)?;
        journey.work.writer.flush().await?;
        let delay = match &why.kind {
            ProviderErrorKind::RateLimited { retry_after }
            | ProviderErrorKind::Unavailable { retry_after } => retry_after.unwrap_or(pause).max(pause),
            _ => pause,
        };
        let wait = tokio::time::sleep(delay.min(LONGEST_PAUSE));
        if journey.unless_cancelled(wait).await.is_none() {
            return Ok(Submission::Ended(RunOutcome::Cancelled));
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// Records that the provider does not have the job, and that it may be submitted again.
fn postponed(journey: &Journey<'_>, why: &str) -> Result<(), WriteError> {
    let message = why.to_owned();
    journey.work.writer.push(EventData::VideoPostponed(VideoPostponed { message })).map(drop)
}

/// Records that the provider does not have the job, and that it will not be submitted again.
fn refused(journey: &Journey<'_>, why: &ProviderError) -> Result<Submission, WriteError> {
    journey.refused(upstream_error(why)).map(Submission::Ended)
}

/// What a failed submission means for the job.
enum SubmitFailure {
    /// The provider has not accepted the job, but may accept it later.
    NotNow,
    /// The provider will not accept the job.
    No,
    /// The provider may have accepted the job.
    Open,
}

fn meaning(why: &ProviderError) -> SubmitFailure {
    match why.kind {
        ProviderErrorKind::Connect
        | ProviderErrorKind::RateLimited { .. }
        | ProviderErrorKind::Unavailable { .. }
        | ProviderErrorKind::Status(503) => SubmitFailure::NotNow,
        ProviderErrorKind::Timeout | ProviderErrorKind::Protocol => SubmitFailure::Open,
        // A gateway in front of the provider may respond with such a status if the provider is too slow. The provider may still
        // have accepted the job.
        ProviderErrorKind::Status(status) if status >= 500 => SubmitFailure::Open,
        ProviderErrorKind::Status(_) | ProviderErrorKind::Refused | ProviderErrorKind::Auth => {
            SubmitFailure::No
        }
    }
}

/// Submits the job and returns the provider's response. Returns `None` if the job was cancelled in the meantime. If possible, the
/// job is then cancelled at the provider.
async fn hand_over(journey: &Journey<'_>) -> Result<Option<Result<RemoteJob, ProviderError>>, WriteError> {
    let submitting = journey.way.model.submit(request(journey));
    tokio::pin!(submitting);
    if let Some(answer) = journey.unless_cancelled(&mut submitting).await {
        return Ok(Some(answer));
    }
    match tokio::time::timeout(LAST_WORD, submitting).await {
        Ok(Ok(job)) => journey.leave(&job.id).await,
        // The provider definitely refused the job, so nothing is owed. In all other cases the provider may have the job.
        Ok(Err(why)) if !matches!(meaning(&why), SubmitFailure::Open) => postponed(journey, &why.message)?,
        Ok(Err(_)) | Err(_) => {}
    }
    Ok(None)
}

fn request(journey: &Journey<'_>) -> VideoRequest {
    let job = &journey.job;
    let source = job.source_remote_id.clone().and_then(|source| match job.operation {
        VideoOperation::Generate => None,
        VideoOperation::Remix => Some(VideoSource::Remix(source)),
        VideoOperation::Extend => Some(VideoSource::Extend(source)),
    });
    VideoRequest {
        model: journey.way.upstream_id.clone(),
        key: journey.work.run.id.to_string(),
        prompt: job.prompt.clone(),
        size: (job.width, job.height),
        seconds: job.seconds,
        source,
        keys: journey.keys.clone(),
    }
}

/// The provider's answer about a job that it may have accepted.
enum Lookup {
    Job(RemoteJob),
    Nothing,
    Ended(RunOutcome),
}

async fn find(journey: &Journey<'_>) -> Lookup {
    let key = journey.work.run.id.to_string();
    let mut pause = FIRST_PAUSE;
    loop {
        let lookup = journey.way.model.submitted(&key, &journey.keys);
        let Some(answer) = journey.unless_cancelled(lookup).await else {
            // Ask once more, so that the job can be cancelled at the provider.
            let lookup = journey.way.model.submitted(&key, &journey.keys);
            match tokio::time::timeout(LAST_WORD, lookup).await {
                Ok(Ok(Some(job))) => journey.leave(&job.id).await,
                Ok(Ok(None)) => return Lookup::Nothing,
                _ => {}
            }
            return Lookup::Ended(RunOutcome::Cancelled);
        };
        match answer {
            Ok(Some(job)) => return Lookup::Job(job),
            Ok(None) => return Lookup::Nothing,
            Err(why) if why.retryable() && pause <= journey.time_left() => {
                if journey.unless_cancelled(tokio::time::sleep(pause)).await.is_none() {
                    return Lookup::Ended(RunOutcome::Cancelled);
                }
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
            Err(why) => return Lookup::Ended(uncertain(&why)),
        }
    }
}

fn uncertain(why: &ProviderError) -> RunOutcome {
    let message = format!(
        "the connection to the provider was lost while the video was being submitted. Whether it was accepted, \
         and will be charged, is not known ({}); it is not submitted again, so that nothing is paid for twice",
        why.message
    );
    RunOutcome::failed("submission_uncertain", message)
}

/// Records that the provider has accepted the job. From then on, the run waits and does not count as a working run.
async fn accepted(journey: &Journey<'_>, remote: RemoteJob) -> Result<Submission, WriteError> {
    let (work, id) = (journey.work, journey.job.id);
    let (tenant, name) = (work.tenant, remote.id.clone());
    let write = move |tx: &mut Tx| {
        let mut run = tx.require::<Run>(tenant, &id.1)?;
        (run.state, run.state_detail) = (RunState::Waiting, Some("provider".to_owned()));
        tx.update(tenant, run)?;
        let mut job = tx.require::<VideoJob>(tenant, &id)?;
        job.remote_id = Some(name.clone());
        tx.update(tenant, job).map(drop)
    };
    let event = EventData::VideoSubmitted(VideoSubmitted { remote_id: remote.id.clone() });
    work.write(vec![event.into()], write).await?;
    work.stay(RunState::Waiting);
    Ok(Submission::Accepted(remote.id))
}
