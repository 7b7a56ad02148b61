//! How video jobs and models are shown.

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
    /// Its name.
    pub job_id: Uuid,
    /// Full id of the model.
    pub model: String,
    /// What is made.
    pub operation: VideoOperation,
    /// The job whose video it is made from.
    pub source_job_id: Option<Uuid>,
    /// What the video shows.
    pub prompt: String,
    /// Width and height in pixels.
    pub size: String,
    /// Seconds that are made; an extension's video is longer by those of its source.
    pub seconds: u32,
    pub status: VideoJobState,
    /// The progress, from 0 to 100.
    pub progress: u8,
    /// The file, while there is one.
    pub result: Option<VideoFile>,
    /// Why the job failed.
    pub error: Option<VideoError>,
    /// What it cost, in billionths of a dollar.
    pub cost_nanos: u64,
    /// The same in dollars.
    pub cost: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it ended.
    pub finished_at: Option<Timestamp>,
    /// When the file expires.
    pub expires_at: Option<Timestamp>,
}

/// The file of a video.
#[derive(Debug, Serialize, ToSchema)]
pub struct VideoFile {
    /// Its type, for example `video/mp4`.
    pub media_type: String,
    /// Its bytes, counted.
    pub size: u64,
    /// SHA-256 of its bytes, in hex; the `ETag` of a download.
    pub sha256: String,
    /// Where it is downloaded.
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

/// A model that makes videos.
#[derive(Debug, Serialize, ToSchema)]
pub struct VideoModelResponse {
    /// The fields of every model.
    #[serde(flatten)]
    pub model: MediaInfo,
    pub price_unit: &'static str,
    /// The sizes that it makes, the usual one first; empty where its provider does not state them.
    pub sizes: Vec<String>,
    /// How many seconds a video may have; empty where its provider does not state them.
    pub seconds: Vec<u32>,
    /// How many it has by default.
    pub usual_seconds: u32,
    /// Whether it can remix a video.
    pub remix: bool,
    /// Whether it can extend a video.
    pub extend: bool,
}

impl VideoModelResponse {
    /// A listed model with its limits.
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

/// The models that make videos.
#[derive(Debug, Serialize, ToSchema)]
pub struct VideoModelResponseList {
    /// In order of preference; the default is marked.
    pub items: Vec<VideoModelResponse>,
    /// How many there are.
    pub total: u64,
}
