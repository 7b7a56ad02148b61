//! Events of video jobs.

use serde::{Deserialize, Serialize};
use storage::BlobId;
use utoipa::ToSchema;

use super::TerminalError;

/// A video job is about to be submitted. The event is durable before the request is sent to the provider, so that after
/// a crash it is known that the provider may have received it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VideoSubmitting {
    /// Our ID of the job, which is sent with the request.
    pub key: String,
}

/// The provider has not accepted the job. The request will be repeated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VideoPostponed {
    /// The provider's message.
    pub message: String,
}

/// The provider has accepted the job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VideoSubmitted {
    /// The provider's ID of the job.
    pub remote_id: String,
}

/// Progress of the provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VideoProgress {
    /// Percentage from 0 to 100.
    pub percent: u8,
}

/// The provider refused to generate the video and charges nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VideoRefused {
    /// Stable error code.
    pub code: String,
    /// The provider's message.
    pub message: String,
    /// The provider's own error code, if it reported one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub provider_code: Option<String>,
}

/// The provider has generated the video. The event is durable before the file is downloaded, because from here on the
/// video has to be paid for, even if the download fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = VideoMade)]
pub struct VideoGenerated {}

/// The video has been downloaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VideoCompleted {
    /// Content address of the file.
    pub blob_id: BlobId,
    pub media_type: String,
    /// Size of the file in bytes, as downloaded.
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
