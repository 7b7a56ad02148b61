//! Notifies the user who requested a video.

use serde_json::{Map, json};
use storage::records::{Notice, Severity, VideoJob, VideoJobState};
use storage::{Row, TenantId, Tx, notices};

/// Number of characters of the prompt that are used as the name of the video.
const NAME: usize = 60;

/// Notifies the user that a job has ended, in the same transaction. A cancellation is not announced, because the user requested
/// it.
pub(super) fn ended(tx: &mut Tx, tenant: TenantId, job: &Row<VideoJob>) -> storage::Result<()> {
    let name: String = job.prompt.chars().take(NAME).collect();
    let (kind, severity, title, body) = match job.state {
        VideoJobState::Completed => (
            "video.completed",
            Severity::Info,
            "Your video is ready",
            format!("\u{201c}{name}\u{201d} can be downloaded now."),
        ),
        VideoJobState::Failed => {
            let why = job.error.as_ref().map(|error| format!(" {}", error.message)).unwrap_or_default();
            let body = format!("\u{201c}{name}\u{201d} could not be made.{why}");
            ("video.failed", Severity::Warning, "Your video could not be made", body)
        }
        VideoJobState::Queued | VideoJobState::InProgress | VideoJobState::Cancelled => return Ok(()),
    };
    let mut data = Map::new();
    data.insert("job_id".into(), json!(job.id.1));
    let notice = Notice {
        user: job.id.0,
        kind: kind.to_owned(),
        severity,
        title: title.to_owned(),
        body,
        link: Some(format!("/video/{}", job.id.1)),
        data,
        ..Notice::default()
    };
    notices::notify(tx, tenant, notice).map(drop)
}
