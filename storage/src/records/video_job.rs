//! Video jobs and their results.

use crate::blobs::BlobId;
use crate::keys::IndexKey;
use crate::record::{Growth, Index, Owner, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// The state of a video job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum VideoJobState {
    /// The job waits for a free slot, here or at its provider.
    #[default]
    Queued,
    /// The provider is generating the video, or it is being downloaded from the provider.
    InProgress,
    /// The video can be downloaded until it expires.
    Completed,
    /// The job failed; `error` has the cause.
    Failed,
    /// The job was stopped before its end.
    Cancelled,
}

impl VideoJobState {
    /// Returns whether a run is working on the job.
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
    /// Another video, which is modified.
    Remix,
    /// Another video, which is extended.
    Extend,
}

/// The file of a video.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VideoResult {
    /// The blob with the content.
    pub blob_id: BlobId,
    /// Media type, for example `video/mp4`.
    pub media_type: String,
    /// Size in bytes.
    pub size: u64,
}

/// Why a video job failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct VideoError {
    /// A stable code.
    pub code: String,
    /// The error message, the provider's if it sent one.
    pub message: String,
    /// The provider's own error code, if it sends one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub provider_code: Option<String>,
}

/// A video job. Its id is (owner, job). The run of the job has the same id.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct VideoJob {
    /// Full id of the model.
    pub model: String,
    /// Description of the video.
    pub prompt: String,
    /// Width in pixels.
    pub width: u32,
    pub height: u32,
    /// Length to generate, in seconds. For an extension, the additional length.
    pub seconds: u32,
    /// Length of the whole video, in seconds.
    pub length: u32,
    /// What the video is generated from.
    pub operation: VideoOperation,
    /// The job that generated the source video.
    pub source_job_id: Option<Uuid>,
    /// The provider's id of the source job.
    pub source_remote_id: Option<String>,
    pub state: VideoJobState,
    /// Progress in percent, from 0 to 100.
    pub progress: u8,
    /// The provider's id of the job.
    pub remote_id: Option<String>,
    /// The generated file.
    pub result: Option<VideoResult>,
    /// Why the job failed.
    pub error: Option<VideoError>,
    /// Cost, in billionths of a dollar.
    pub cost_nanos: u64,
    /// Time at which the job ended.
    pub finished_at: Option<Timestamp>,
    /// Time until which the file is stored.
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
            // Only jobs that still have a file to delete.
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
