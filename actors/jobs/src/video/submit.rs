//! Submits a job to its provider. The provider accepts it at most once.

use std::time::Duration;

use assist::upstream_error;
use providers::media::video::{RemoteJob, VideoRequest, VideoSource};
use providers::{ProviderError, ProviderErrorKind};
use runs::event::video::{VideoPostponed, VideoSubmitted, VideoSubmitting};
use runs::{EventData, OverBudget, RunOutcome, WriteError};
use storage::Tx;
use storage::records::{Run, RunState, VideoJob, VideoOperation};

use super::video_run::{VideoRun, ask_offer};

/// How long a cancelled job waits for the response to its submission, so that the job can be cancelled at the provider.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(5);
/// The pause after a provider has not accepted a job. Each further pause is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// The longest pause between two submissions.
const MAX_PAUSE: Duration = Duration::from_secs(60);

/// The result of a submission.
pub(super) enum Submission {
    /// The provider has accepted the job under this id.
    Accepted(String),
    /// The job has ended without a video.
    Ended(RunOutcome),
}

/// Submits a job. `in_doubt` is set if an earlier epoch may have submitted it.
pub(super) async fn submit(video_run: &VideoRun<'_>, in_doubt: bool) -> Result<Submission, WriteError> {
    if in_doubt {
        match find(video_run).await {
            Lookup::Job(job) => return accepted(video_run, job).await,
            Lookup::Ended(outcome) => return Ok(Submission::Ended(outcome)),
            // Recorded because the job would otherwise be billed if it ends before it is submitted again.
            Lookup::Nothing => postponed(video_run, "the provider has no such job")?,
        }
    }
    let mut pause = FIRST_PAUSE;
    loop {
        if video_run.work.cancel.is_cancelled() {
            return Ok(Submission::Ended(RunOutcome::Cancelled));
        }
        if let Err(over) = ask_offer(video_run.work).await?.within_budget() {
            return Ok(Submission::Ended(RunOutcome::failed(OverBudget::CODE, over.to_string())));
        }
        let key = video_run.work.run.id.to_string();
        video_run.work.writer.push(EventData::VideoSubmitting(VideoSubmitting { key }))?;
        // From here on, the provider may have the job.
        video_run.work.writer.flush().await?;
        let Some(answer) = hand_over(video_run).await? else {
            return Ok(Submission::Ended(RunOutcome::Cancelled));
        };
        let why = match answer {
            Ok(job) => return accepted(video_run, job).await,
            Err(why) => why,
        };
        match meaning(&why) {
            SubmitFailure::Open => match find(video_run).await {
                Lookup::Job(job) => return accepted(video_run, job).await,
                Lookup::Ended(outcome) => return Ok(Submission::Ended(outcome)),
                Lookup::Nothing => {}
            },
            SubmitFailure::No => return refused(video_run, &why),
            SubmitFailure::NotNow => {}
        }
        if pause > video_run.time_left() {
            return refused(video_run, &why);
        }
        postponed(video_run, &why.message)?;
        video_run.work.writer.flush().await?;
        let delay = match &why.kind {
            ProviderErrorKind::RateLimited { retry_after }
            | ProviderErrorKind::Unavailable { retry_after } => retry_after.unwrap_or(pause).max(pause),
            _ => pause,
        };
        let wait = tokio::time::sleep(delay.min(MAX_PAUSE));
        if video_run.unless_cancelled(wait).await.is_none() {
            return Ok(Submission::Ended(RunOutcome::Cancelled));
        }
        pause = (pause * 2).min(MAX_PAUSE);
    }
}

/// Records that the provider does not have the job, and that it may be submitted again.
fn postponed(video_run: &VideoRun<'_>, why: &str) -> Result<(), WriteError> {
    let message = why.to_owned();
    video_run.work.writer.push(EventData::VideoPostponed(VideoPostponed { message })).map(drop)
}

/// Records that the provider does not have the job, and that it will not be submitted again.
fn refused(video_run: &VideoRun<'_>, why: &ProviderError) -> Result<Submission, WriteError> {
    video_run.refused(upstream_error(why)).map(Submission::Ended)
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
async fn hand_over(video_run: &VideoRun<'_>) -> Result<Option<Result<RemoteJob, ProviderError>>, WriteError> {
    let submitting = video_run.way.model.submit(request(video_run));
    tokio::pin!(submitting);
    if let Some(answer) = video_run.unless_cancelled(&mut submitting).await {
        return Ok(Some(answer));
    }
    match tokio::time::timeout(CANCEL_TIMEOUT, submitting).await {
        Ok(Ok(job)) => video_run.leave(&job.id).await,
        // The provider definitely refused the job, so nothing is owed. In all other cases the provider may have the job.
        Ok(Err(why)) if !matches!(meaning(&why), SubmitFailure::Open) => postponed(video_run, &why.message)?,
        Ok(Err(_)) | Err(_) => {}
    }
    Ok(None)
}

fn request(video_run: &VideoRun<'_>) -> VideoRequest {
    let job = &video_run.job;
    let source = job.source_remote_id.clone().and_then(|source| match job.operation {
        VideoOperation::Generate => None,
        VideoOperation::Remix => Some(VideoSource::Remix(source)),
        VideoOperation::Extend => Some(VideoSource::Extend(source)),
    });
    VideoRequest {
        model: video_run.way.upstream_id.clone(),
        key: video_run.work.run.id.to_string(),
        prompt: job.prompt.clone(),
        size: (job.width, job.height),
        seconds: job.seconds,
        source,
        keys: video_run.keys.clone(),
    }
}

/// The provider's answer about a job that it may have accepted.
enum Lookup {
    Job(RemoteJob),
    Nothing,
    Ended(RunOutcome),
}

async fn find(video_run: &VideoRun<'_>) -> Lookup {
    let key = video_run.work.run.id.to_string();
    let mut pause = FIRST_PAUSE;
    loop {
        let lookup = video_run.way.model.submitted(&key, &video_run.keys);
        let Some(answer) = video_run.unless_cancelled(lookup).await else {
            // Ask once more, so that the job can be cancelled at the provider.
            let lookup = video_run.way.model.submitted(&key, &video_run.keys);
            match tokio::time::timeout(CANCEL_TIMEOUT, lookup).await {
                Ok(Ok(Some(job))) => video_run.leave(&job.id).await,
                Ok(Ok(None)) => return Lookup::Nothing,
                _ => {}
            }
            return Lookup::Ended(RunOutcome::Cancelled);
        };
        match answer {
            Ok(Some(job)) => return Lookup::Job(job),
            Ok(None) => return Lookup::Nothing,
            Err(why) if why.retryable() && pause <= video_run.time_left() => {
                if video_run.unless_cancelled(tokio::time::sleep(pause)).await.is_none() {
                    return Lookup::Ended(RunOutcome::Cancelled);
                }
                pause = (pause * 2).min(MAX_PAUSE);
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
async fn accepted(video_run: &VideoRun<'_>, remote: RemoteJob) -> Result<Submission, WriteError> {
    let (work, id) = (video_run.work, video_run.job.id);
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
