//! Responses about video jobs and models.

use domain::video;
use providers::MediaHandle;
use providers::MediaInfo;
use providers::media::video::VideoModel;
use serde::Serialize;
use storage::records::{VideoError, VideoJob, VideoJobState, VideoOperation};
use storage::{Row, Timestamp};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::api::money::dollars;
use crate::http::list_of;

/// A video job.
#[derive(Debug, Serialize, ToSchema)]
pub struct VideoJobResponse {
    /// The id by which operations name the job.
    pub job_id: Uuid,
    /// The full id of the model.
    pub model: String,
    /// The operation that creates the video.
    pub operation: VideoOperation,
    /// The job whose video was remixed or extended.
    pub source_job_id: Option<Uuid>,
    /// The prompt of the request.
    pub prompt: String,
    /// The width and height in pixels.
    pub size: String,
    /// The number of generated seconds. The video of an extension is longer by the length of its source.
    pub seconds: u32,
    pub status: VideoJobState,
    /// The progress in percent, from 0 to 100.
    pub progress: u8,
    /// The file, while it is available.
    pub result: Option<VideoFile>,
    /// Why the job failed.
    pub error: Option<VideoError>,
    /// The cost, in billionths of a dollar.
    pub cost_nanos: u64,
    /// The cost, in dollars.
    pub cost: String,
    /// When the job was created.
    pub created_at: Timestamp,
    /// When the job ended.
    pub finished_at: Option<Timestamp>,
    /// When the file expires.
    pub expires_at: Option<Timestamp>,
}

/// The file of a video.
#[derive(Debug, Serialize, ToSchema)]
pub struct VideoFile {
    /// The media type, for example `video/mp4`.
    pub media_type: String,
    /// The size in bytes.
    pub size: u64,
    /// The SHA-256 hash of the content, in hex. It is also the `ETag` of a download.
    pub sha256: String,
    /// The path from which the file can be downloaded.
    pub download: String,
}

impl From<Row<VideoJob>> for VideoJobResponse {
    fn from(row: Row<VideoJob>) -> Self {
        let (job_id, created_at, job) = (row.id.1, row.created_at, row.body);
        let result = video::available_file(&job).map(|file| VideoFile {
            media_type: file.media_type.clone(),
            size: file.size,
            sha256: file.blob_id.to_string(),
            download: format!("/api/video/jobs/{job_id}/download"),
        });
        Self {
            job_id,
            model: job.model,
            operation: job.operation,
            source_job_id: job.source_job_id,
            prompt: job.prompt,
            size: format!("{}x{}", job.width, job.height),
            seconds: job.seconds,
            status: job.state,
            progress: job.progress,
            result,
            error: job.error,
            cost_nanos: job.cost_nanos,
            cost: dollars(i64::try_from(job.cost_nanos).unwrap_or(i64::MAX)),
            created_at,
            finished_at: job.finished_at,
            expires_at: job.expires_at,
        }
    }
}

list_of! {
    /// A page of video jobs.
    pub VideoJobResponseList of VideoJobResponse
}

/// A model that generates videos.
#[derive(Debug, Serialize, ToSchema)]
pub struct VideoModelResponse {
    /// The fields that all models have.
    #[serde(flatten)]
    pub model: MediaInfo,
    pub price_unit: &'static str,
    /// The supported sizes, the default first. Empty if the provider does not report them.
    pub sizes: Vec<String>,
    /// The supported lengths in seconds. Empty if the provider does not report them.
    pub seconds: Vec<u32>,
    /// The default length in seconds.
    pub usual_seconds: u32,
    /// Whether the model can remix videos.
    pub remix: bool,
    /// Whether the model can extend videos.
    pub extend: bool,
}

impl VideoModelResponse {
    /// Combines a listed model with its limits.
    pub fn new(listed: MediaInfo, offered: &MediaHandle<dyn VideoModel>) -> Self {
        let limits = offered.model.limits();
        Self {
            price_unit: listed.kind.unit(),
            model: listed,
            sizes: limits.sizes.iter().map(|(width, height)| format!("{width}x{height}")).collect(),
            seconds: limits.seconds,
            usual_seconds: limits.usual_seconds,
            remix: limits.remix,
            extend: limits.extend,
        }
    }
}

/// The models that generate videos.
#[derive(Debug, Serialize, ToSchema)]
pub struct VideoModelResponseList {
    /// The models, in order of preference. The default is marked.
    pub items: Vec<VideoModelResponse>,
    /// The total number of models.
    pub total: u64,
}
