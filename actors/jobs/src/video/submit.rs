//! Handing a job to its provider, once.

use std::time::Duration;

use assist::upstream_error;
use providers::media::video::{RemoteJob, VideoRequest, VideoSource};
use providers::{ProviderError, ProviderErrorKind};
use runs::event::video::{VideoPostponed, VideoSubmitted, VideoSubmitting};
use runs::{EventData, OverBudget, RunOutcome, WriteError};
use storage::Tx;
use storage::records::{Run, RunState, VideoJob, VideoOperation};

use super::journey::{Journey, ask_offer};

/// How long a cancelled job waits for the answer to its submission, to be able to take it back.
const LAST_WORD: Duration = Duration::from_secs(5);
/// The pause after a provider has not taken a job; each further one is twice as long,
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// up to this.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// What came of it.
pub(super) enum Submission {
    /// The provider has the job, under this name.
    Accepted(String),
    /// There will be no video.
    Ended(RunOutcome),
}

/// Submits a job. `in_doubt` where an earlier epoch may have done so.
pub(super) async fn submit(journey: &Journey<'_>, in_doubt: bool) -> Result<Submission, WriteError> {
    if in_doubt {
        match find(journey).await {
            Lookup::Job(job) => return accepted(journey, job).await,
            Lookup::Ended(outcome) => return Ok(Submission::Ended(outcome)),
            // Otherwise it would be owed for if it ends before it is submitted again.
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
        // From here on the provider may have the job.
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

/// Notes that the provider does not have the job, and may get it yet.
fn postponed(journey: &Journey<'_>, why: &str) -> Result<(), WriteError> {
    let message = why.to_owned();
    journey.work.writer.push(EventData::VideoPostponed(VideoPostponed { message })).map(drop)
}

/// Notes that the provider does not have the job, and will not get it.
fn refused(journey: &Journey<'_>, why: &ProviderError) -> Result<Submission, WriteError> {
    journey.refused(upstream_error(why)).map(Submission::Ended)
}

/// What a failed submission says of the job.
enum SubmitFailure {
    /// The provider has not taken it, and may do so later.
    NotNow,
    /// The provider will not take it.
    No,
    /// The provider may have taken it.
    Open,
}

fn meaning(why: &ProviderError) -> SubmitFailure {
    match why.kind {
        ProviderErrorKind::Connect
        | ProviderErrorKind::RateLimited { .. }
        | ProviderErrorKind::Unavailable { .. }
        | ProviderErrorKind::Status(503) => SubmitFailure::NotNow,
        ProviderErrorKind::Timeout | ProviderErrorKind::Protocol => SubmitFailure::Open,
        // What stands between us and the provider may say so when the provider was too slow for it.
        ProviderErrorKind::Status(status) if status >= 500 => SubmitFailure::Open,
        ProviderErrorKind::Status(_) | ProviderErrorKind::Refused | ProviderErrorKind::Auth => {
            SubmitFailure::No
        }
    }
}

/// The provider's answer. None where the job was cancelled by then; then it is cancelled at the provider if that is possible.
async fn hand_over(journey: &Journey<'_>) -> Result<Option<Result<RemoteJob, ProviderError>>, WriteError> {
    let submitting = journey.way.model.submit(request(journey));
    tokio::pin!(submitting);
    if let Some(answer) = journey.unless_cancelled(&mut submitting).await {
        return Ok(Some(answer));
    }
    match tokio::time::timeout(LAST_WORD, submitting).await {
        Ok(Ok(job)) => journey.leave(&job.id).await,
        // A plain no: then nothing is owed. In all other cases the provider may have it.
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
            // Once more, to be able to take it back.
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

/// Notes that the provider has the job. The run waits from then on, and takes no place.
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
