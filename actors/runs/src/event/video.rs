//! What happens in the run of a video job.

use serde::{Deserialize, Serialize};
use storage::BlobId;
use utoipa::ToSchema;

use super::TerminalError;

/// The job is about to be submitted. This is durable before the provider hears of it, so that after a crash
/// it is known that the provider may have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VideoSubmitting {
    /// Our own name of the job, which goes along.
    pub key: String,
}

/// The provider has not taken the job; it will be asked again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VideoPostponed {
    /// Why not, in the provider's words.
    pub message: String,
}

/// The provider has the job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VideoSubmitted {
    /// The provider's own name of it.
    pub remote_id: String,
}

/// How far the provider is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VideoProgress {
    /// From 0 to 100.
    pub percent: u8,
}

/// The provider will not make the video, and is owed nothing for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VideoRefused {
    /// A stable code.
    pub code: String,
    /// In the provider's words.
    pub message: String,
    /// The name that the provider itself has for it, if it tells one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_code: Option<String>,
}

/// The provider has made the video. This is durable before its file is fetched, since from here on it is paid
/// for, whatever becomes of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = VideoMade)]
pub struct VideoGenerated {}

/// The video is here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VideoCompleted {
    /// Content address of its file.
    pub blob_id: BlobId,
    pub media_type: String,
    /// Its bytes, counted.
    pub size: u64,
}

impl From<TerminalError> for VideoRefused {
    fn from(TerminalError { code, message, provider_code, .. }: TerminalError) -> Self {
        Self { code, message, provider_code }
    }
}

impl From<VideoRefused> for TerminalError {
    fn from(VideoRefused { code, message, provider_code }: VideoRefused) -> Self {
        Self { provider_code, ..Self::new(code, message) }
    }
}
