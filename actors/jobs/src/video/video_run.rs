//! The steps of a video job: submit, poll, download. Each step is durable before the next begins, so that another epoch continues
//! where this one stopped.

use std::sync::Arc;
use std::time::Duration;

use assist::offer::{ModelAccess, offer};
use assist::{RunWork, upstream_error};
use providers::media::video::{RemoteState, VideoModel};
use providers::{Keys, MediaHandle, ProviderError};
use runs::event::video::{VideoCompleted, VideoGenerated, VideoProgress};
use runs::{EventBody, EventData, RunOutcome, TerminalError, WriteError};
use storage::records::{RunState, VideoJob, VideoJobState, VideoResult};
use storage::{Row, Timestamp, Tx};

use super::VideoConfig;
use super::close::{JobProgress, Phase};
use super::fetch::{self, FetchResult};
use super::submit::{self, Submission};

/// The first pause between two polls. Each further pause is 1.5 times as long.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
/// How long to wait for the model. After a restart, a provider may need some time to list its models.
const MODEL_TIMEOUT: Duration = Duration::from_secs(120);
/// Maximum number of attempts to download a file.
const FETCHES: u32 = 12;
/// Time limit for deleting a job at the provider.
const DELETE_TIMEOUT: Duration = Duration::from_secs(4);

/// A video job in progress.
pub(super) struct VideoRun<'a> {
    pub work: &'a RunWork,
    pub config: VideoConfig,
    pub job: Row<VideoJob>,
    pub way: Arc<MediaHandle<dyn VideoModel>>,
    pub keys: Keys,
    /// The time by which the job must be completed.
    deadline: Timestamp,
}

/// Generates a video, continuing from the end of the journal.
pub(super) async fn make(work: &RunWork, config: VideoConfig) -> Result<RunOutcome, WriteError> {
    let JobProgress { started, phase } = JobProgress::from_history(&work.history);
    match phase {
        Phase::Completed(_) => return Ok(RunOutcome::Succeeded { reason: None }),
        Phase::Refused(why) => return Ok(RunOutcome::Failed { error: why.into() }),
        _ => {}
    }
    match started {
        false => {
            let (model, input_estimate) = (work.run.model.clone(), 0);
            let begun = EventData::RunStarted { model, message_id: None, parent_id: None, input_estimate };
            work.begin(begun)?.verdict().await.map_err(|_| WriteError)?;
        }
        true => work.writer.push(EventData::RunRecovered { epoch: work.run.epoch, kept_chars: 0 })?,
    }
    let video_run = match VideoRun::begin(work, config).await? {
        Ok(video_run) => video_run,
        Err(outcome) => return Ok(outcome),
    };
    if work.run.crashes > work.max_recoveries {
        if let Phase::Submitted(remote) | Phase::Generated(remote) = &phase {
            video_run.leave(remote).await;
        }
        return Ok(RunOutcome::Interrupted { reason: "recovery_limit".to_owned() });
    }
    let mut is_generated = false;
    let remote = match phase {
        Phase::Submitted(remote) => remote,
        Phase::Generated(remote) => {
            is_generated = true;
            remote
        }
        phase => match submit::submit(&video_run, phase == Phase::Submitting).await? {
            Submission::Accepted(remote) => remote,
            Submission::Ended(outcome) => return Ok(outcome),
        },
    };
    video_run.follow(&remote, is_generated).await
}

impl<'a> VideoRun<'a> {
    async fn begin(work: &'a RunWork, config: VideoConfig) -> Result<Result<Self, RunOutcome>, WriteError> {
        let (tenant, id) = (work.tenant, (work.run.user, work.run.id));
        let job = work.store.read(move |reader| reader.require::<VideoJob>(tenant, &id)).await;
        let job = job.map_err(|why: storage::Error| unwritable(work, &why))?;
        let since = work.run.started_at.unwrap_or_else(Timestamp::now);
        let Some(way) = way(work, &job.model).await else {
            return Ok(Err(match work.cancel.is_cancelled() {
                true => RunOutcome::Cancelled,
                false => RunOutcome::failed("model_not_found", format!("there is no model {:?}", job.model)),
            }));
        };
        let offer = ask_offer(work).await?;
        let deadline = since + config.time_limit;
        Ok(Ok(Self { work, config, job, way, keys: offer.keys(), deadline }))
    }

    /// Polls the provider until the file is stored or the job has failed. `is_generated` is set if the journal records that the
    /// provider has generated the video.
    async fn follow(&self, remote: &str, mut is_generated: bool) -> Result<RunOutcome, WriteError> {
        let (mut state, mut percent) = (self.job.state, self.job.progress);
        let (mut pause, mut fetches) = (FIRST_PAUSE, 0);
        loop {
            let Some(status) = self.unless_cancelled(self.way.model.status(remote, &self.keys)).await else {
                return self.cancelled(remote).await;
            };
            match status.map(|job| job.state) {
                Ok(RemoteState::Queued) => {}
                Ok(RemoteState::InProgress { percent: now }) => {
                    let now = now.min(100).max(percent);
                    if now > percent || state == VideoJobState::Queued {
                        (state, percent) = (VideoJobState::InProgress, now);
                        self.progress(percent).await?;
                        pause = FIRST_PAUSE.max(pause / 2);
                    }
                }
                // A video that was generated must be paid for, whatever the provider reports afterwards.
                Ok(RemoteState::Failed { code, message }) if is_generated => {
                    return Ok(RunOutcome::failed(&code, message));
                }
                Ok(RemoteState::Failed { code, message }) => {
                    return self.refused(TerminalError::new(code, message));
                }
                Ok(RemoteState::Completed) => {
                    if !is_generated {
                        is_generated = true;
                        self.work.writer.push(EventData::VideoGenerated(VideoGenerated {}))?;
                        self.work.writer.flush().await?;
                    }
                    if self.work.run.state != RunState::Running {
                        self.work.set_state(RunState::Running, None, Vec::new()).await?;
                    }
                    fetches += 1;
                    let Some(fetched) = self.unless_cancelled(fetch::fetch(self, remote)).await else {
                        return self.cancelled(remote).await;
                    };
                    match fetched {
                        FetchResult::Whole(result) => return self.complete(result).await,
                        FetchResult::Broken(why) if fetches >= FETCHES => return Ok(failed(&why)),
                        FetchResult::Broken(why) => {
                            tracing::info!(job = %self.work.run.id, %why, "fetched again")
                        }
                        FetchResult::Unfit(outcome) => return Ok(outcome),
                    }
                }
                Err(why) if why.retryable() => {
                    tracing::info!(job = %self.work.run.id, %why, "the provider did not report the progress of a video");
                }
                Err(why) => return Ok(failed(&why)),
            }
            if Timestamp::now() >= self.deadline {
                self.leave(remote).await;
                return Ok(RunOutcome::TimedOut { reason: "time_limit".to_owned() });
            }
            if self.unless_cancelled(tokio::time::sleep(pause)).await.is_none() {
                return self.cancelled(remote).await;
            }
            pause = (pause * 3 / 2).min(self.config.longest_pause.max(FIRST_PAUSE));
        }
    }

    /// Records that the provider refused to generate the video. Nothing is owed for it.
    pub fn refused(&self, error: TerminalError) -> Result<RunOutcome, WriteError> {
        self.work.writer.push(EventData::VideoRefused(error.clone().into()))?;
        Ok(RunOutcome::Failed { error })
    }

    async fn progress(&self, percent: u8) -> Result<(), WriteError> {
        self.write(vec![EventData::VideoProgress(VideoProgress { percent }).into()], move |job| {
            (job.state, job.progress) = (VideoJobState::InProgress, percent);
        })
        .await
    }

    async fn complete(&self, result: VideoResult) -> Result<RunOutcome, WriteError> {
        let VideoResult { blob_id, media_type, size } = result.clone();
        let event = EventData::VideoCompleted(VideoCompleted { blob_id, media_type, size });
        // From now on, the row keeps the blob alive.
        self.write(vec![event.into()], move |job| job.result = Some(result.clone())).await?;
        Ok(RunOutcome::Succeeded { reason: None })
    }

    /// Changes the job and writes events in the same transaction.
    async fn write(
        &self,
        events: Vec<EventBody>,
        change: impl Fn(&mut VideoJob) + Send + Sync,
    ) -> Result<(), WriteError> {
        let (tenant, id) = (self.work.tenant, self.job.id);
        let write = move |tx: &mut Tx| {
            let mut job = tx.require::<VideoJob>(tenant, &id)?;
            change(&mut job.body);
            tx.update(tenant, job).map(drop)
        };
        self.work.write(events, write).await
    }

    /// Returns the result of a future, or `None` if the job is cancelled first.
    pub async fn unless_cancelled<T>(&self, what: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            () = self.work.cancel.cancelled() => None,
            done = what => Some(done),
        }
    }

    async fn cancelled(&self, remote: &str) -> Result<RunOutcome, WriteError> {
        self.leave(remote).await;
        Ok(RunOutcome::Cancelled)
    }

    /// Cancels the job at the provider. Not every provider can cancel a job in progress.
    pub async fn leave(&self, remote: &str) {
        let goodbye = self.way.model.delete(remote, &self.keys);
        if let Ok(Err(why)) = tokio::time::timeout(DELETE_TIMEOUT, goodbye).await {
            tracing::info!(job = %self.work.run.id, %why, "the provider continues with a video that was cancelled");
        }
    }

    /// Returns the time until the job must be completed.
    pub fn time_left(&self) -> Duration {
        self.deadline.since(Timestamp::now())
    }
}

/// Builds the outcome for an error of the provider, with the provider's message.
pub(super) fn failed(why: &ProviderError) -> RunOutcome {
    RunOutcome::Failed { error: upstream_error(why) }
}

/// Returns the models that the user may currently use.
pub(super) async fn ask_offer(work: &RunWork) -> Result<ModelAccess, WriteError> {
    let offer = offer(&work.store, &work.run_context.models, work.tenant, work.run.user).await;
    offer.map_err(|why| unwritable(work, &why))
}

/// Looks up a model. Waits for a limited time, because providers may not have listed their models yet.
async fn way(work: &RunWork, id: &str) -> Option<Arc<MediaHandle<dyn VideoModel>>> {
    let patience = tokio::time::Instant::now() + MODEL_TIMEOUT;
    loop {
        let found = work.run_context.models.find_media::<dyn VideoModel>(id);
        if found.is_some() || tokio::time::Instant::now() >= patience {
            return found;
        }
        tokio::select! {
            () = work.cancel.cancelled() => return None,
            () = tokio::time::sleep(FIRST_PAUSE) => {}
        }
    }
}

/// Logs a storage error. The next epoch tries again.
fn unwritable(work: &RunWork, why: &storage::Error) -> WriteError {
    tracing::warn!(run = %work.run.id, %why, "a video job could not be read");
    WriteError
}
