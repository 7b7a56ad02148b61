//! Video jobs after they have been accepted. The crate `jobs`, which has access to the models, accepts and runs
//! them.

use storage::records::{VideoJob, VideoJobState, VideoResult};
use storage::{Reader, Row, Timestamp};
use uuid::Uuid;

use crate::{Caller, Code, Refusal, Result};

/// Returns one of the caller's video jobs. With `model`, only if that model generates it.
///
/// # Errors
/// `not_found` for all other jobs, and for an id that does not parse.
pub fn own(reader: &Reader, caller: &Caller, id: &str, model: Option<&str>) -> Result<Row<VideoJob>> {
    let job = match id.parse::<Uuid>() {
        Ok(id) => reader.get::<VideoJob>(caller.tenant, &(caller.user, id))?,
        Err(_) => None,
    };
    let job = job.filter(|job| model.is_none_or(|model| model == job.model));
    job.ok_or_else(|| Refusal::not_found("video job"))
}

/// Returns the file of a video job.
///
/// # Errors
/// `not_ready` before the file exists and after a job without a file; `result_expired` once it has expired.
pub fn file(job: &VideoJob) -> Result<VideoResult> {
    let not_ready = |why: &str| Refusal::new(Code::NotReady).detail(why.to_owned());
    match job.state {
        VideoJobState::Queued | VideoJobState::InProgress => {
            Err(not_ready("the video is being generated").extra("progress", job.progress))
        }
        VideoJobState::Cancelled => Err(not_ready("the job was cancelled before there was a video")),
        VideoJobState::Failed => {
            let why = job.error.clone().unwrap_or_default();
            Err(not_ready(&format!("there is no video: {}", why.message)).extra("reason", why.code))
        }
        VideoJobState::Completed => available_file(job).cloned().ok_or_else(|| Code::ResultExpired.into()),
    }
}

/// Returns the file of a completed job that has not expired.
pub fn available_file(job: &VideoJob) -> Option<&VideoResult> {
    let is_expired = job.expires_at.is_some_and(|at| at <= Timestamp::now());
    job.result.as_ref().filter(|_| job.state == VideoJobState::Completed && !is_expired)
}
