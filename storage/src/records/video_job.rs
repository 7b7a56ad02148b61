//! Videos in the making, and those that were made.

use crate::blobs::BlobId;
use crate::keys::IndexKey;
use crate::record::{Growth, Index, Owner, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// The state of a video.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum VideoJobState {
    /// It waits for its turn, here or at its provider.
    #[default]
    Queued,
    /// Its provider is making it, or it is being fetched.
    InProgress,
    /// It can be downloaded until it expires.
    Completed,
    /// It failed; `error` has the cause.
    Failed,
    /// It was stopped.
    Cancelled,
}

impl VideoJobState {
    /// Whether a run works on it.
    pub const fn is_in_work(self) -> bool {
        matches!(self, Self::Queued | Self::InProgress)
    }
}

/// What a video is generated from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum VideoOperation {
    /// Only a prompt.
    #[default]
    Generate,
    /// Another video, which is changed.
    Remix,
    /// Another video, which is extended.
    Extend,
}

/// The file of a video.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VideoResult {
    /// Its bytes.
    pub blob_id: BlobId,
    /// Its type, for example `video/mp4`.
    pub media_type: String,
    /// Its bytes, counted.
    pub size: u64,
}

/// Why a video failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct VideoError {
    /// A stable code.
    pub code: String,
    /// The message, the provider's if it sent one.
    pub message: String,
    /// The provider's own error code, if it sends one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_code: Option<String>,
}

/// A video job. Its id is (owner, job); a job is the run of the same id.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct VideoJob {
    /// Full id of the model.
    pub model: String,
    /// What the video shows.
    pub prompt: String,
    /// Its width in pixels,
    pub width: u32,
    pub height: u32,
    /// How long it is, or how much longer it becomes.
    pub seconds: u32,
    /// How long the whole video is.
    pub length: u32,
    /// What it is generated from.
    pub operation: VideoOperation,
    /// The job whose video it is generated from.
    pub source_job_id: Option<Uuid>,
    /// The provider's own name of that job.
    pub source_remote_id: Option<String>,
    pub state: VideoJobState,
    /// The same, from 0 to 100.
    pub progress: u8,
    /// The provider's own name of it.
    pub remote_id: Option<String>,
    /// Its file.
    pub result: Option<VideoResult>,
    /// Why it failed.
    pub error: Option<VideoError>,
    /// What it cost, in billionths of a dollar.
    pub cost_nanos: u64,
    /// When it was done with.
    pub finished_at: Option<Timestamp>,
    /// Until when its file is stored.
    pub expires_at: Option<Timestamp>,
}

impl Record for VideoJob {
    type Id = (Uuid, Uuid);
    const TABLE: [u8; 2] = *b"vj";
    const NAME: &'static str = "video_job";
    const GROWTH: Growth<Self> = Growth::Metered {
        owner: |id, _| Owner::User(id.0),
        files: |row| row.result.as_ref().map_or(0, |result| result.size),
        also: "`video.jobs_per_user` in work; files are deleted after `video.keep_hours`",
    };
    const BLOBS: Option<fn(&Self) -> Vec<BlobId>> =
        Some(|body| body.result.iter().map(|result| result.blob_id.clone()).collect());
    const INDEXES: &'static [Index<Self>] = &[
        Index {
            table: *b"v1",
            name: "by_expiry",
            unique: false,
            // Only what has a file left to be removed.
            keys: |row| match (&row.result, row.expires_at) {
                (Some(_), Some(at)) => vec![IndexKey::new().moment(at).done()],
                _ => Vec::new(),
            },
        },
        Index {
            table: *b"v2",
            name: "in_work",
            unique: false,
            keys: |row| match row.state.is_in_work() {
                true => vec![IndexKey::new().id(&row.id.0).done()],
                false => Vec::new(),
            },
        },
    ];
}
