//! Video generation, which takes minutes: a job is submitted and polled, and its result is downloaded.

use std::pin::Pin;

use async_trait::async_trait;
use bytes::Bytes;
use futures::Stream;

use crate::chat::{Keys, ProviderError};

/// A model that generates videos.
#[async_trait]
pub trait VideoModel: Send + Sync {
    /// The supported parameters.
    fn limits(&self) -> VideoLimits;

    /// Submits a job, which is billed from then on.
    ///
    /// # Errors
    /// Returns the reason why the job was not accepted. After
    /// [`ProviderErrorKind::Timeout`](crate::ProviderErrorKind) and `Protocol` it is unknown whether it was accepted.
    async fn submit(&self, request: VideoRequest) -> Result<RemoteJob, ProviderError>;

    /// Returns the state of a job.
    ///
    /// # Errors
    /// Returns an error if the provider does not report the state.
    async fn status(&self, job: &str, keys: &Keys) -> Result<RemoteJob, ProviderError>;

    /// Finds the job that was submitted with a key, if the provider supports this. Used after a crash between
    /// submitting a job and storing its id.
    ///
    /// # Errors
    /// [`ProviderErrorKind::Refused`](crate::ProviderErrorKind) if the provider does not support this.
    async fn submitted(&self, key: &str, keys: &Keys) -> Result<Option<RemoteJob>, ProviderError>;

    /// Downloads the finished video.
    ///
    /// # Errors
    /// Returns an error if the video cannot be downloaded.
    async fn content(&self, job: &str, keys: &Keys) -> Result<VideoContent, ProviderError>;

    /// Cancels a job or deletes its result. Returns an error if the provider cannot cancel jobs.
    ///
    /// # Errors
    /// Returns the reason why the job cannot be cancelled or deleted.
    async fn delete(&self, job: &str, keys: &Keys) -> Result<(), ProviderError>;
}

/// The parameters that a model supports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VideoLimits {
    /// Supported widths and heights in pixels, the default first; empty if unknown.
    pub sizes: Vec<(u32, u32)>,
    /// Supported durations in seconds; empty if unknown.
    pub seconds: Vec<u32>,
    /// Default duration of a video in seconds.
    pub usual_seconds: u32,
    /// Whether the model can create a changed version of a video.
    pub remix: bool,
    /// Whether the model can extend a video.
    pub extend: bool,
}

/// The parameters of a video to generate.
#[derive(Clone, Debug)]
pub struct VideoRequest {
    /// The provider's own id of the model.
    pub model: String,
    /// Our own key for the job; sent if the provider stores one.
    pub key: String,
    /// A description of the video.
    pub prompt: String,
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// The duration in seconds.
    pub seconds: u32,
    /// The earlier job whose video is changed or extended.
    pub source: Option<VideoSource>,
    /// The keys of the tenant or user, which take precedence over those of the configuration.
    pub keys: Keys,
}

/// A video on which another one is based, by the provider's id of its job.
#[derive(Clone, Debug)]
pub enum VideoSource {
    /// Creates a new version of the video, changed as the prompt describes.
    Remix(String),
    /// Continues the video of an earlier job.
    Extend(String),
}

/// A job as reported by its provider.
#[derive(Clone, Debug, PartialEq)]
pub struct RemoteJob {
    /// The provider's id of the job.
    pub id: String,
    /// The job's state when it was polled.
    pub state: RemoteState,
}

/// The state of a provider's job.
#[derive(Clone, Debug, PartialEq)]
pub enum RemoteState {
    /// The job waits for capacity.
    Queued,
    /// The video is being rendered.
    InProgress {
        /// Progress from 0 to 100.
        percent: u8,
    },
    /// The video can be downloaded.
    Completed,
    /// The job ended without a video.
    Failed {
        /// A stable error code.
        code: String,
        /// The provider's message.
        message: String,
    },
}

/// The content of a finished video.
pub struct VideoContent {
    /// The media type, for example `video/mp4`.
    pub media_type: String,
    /// The content of the file, as a stream.
    pub bytes: Pin<Box<dyn Stream<Item = Result<Bytes, ProviderError>> + Send>>,
}
