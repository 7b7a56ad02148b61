//! Videos, which take minutes: a job is submitted, asked after, and its result fetched.

use std::pin::Pin;

use async_trait::async_trait;
use bytes::Bytes;
use futures::Stream;

use crate::chat::{Keys, ProviderError};

/// A model that makes videos.
#[async_trait]
pub trait VideoModel: Send + Sync {
    /// What can be asked of it.
    fn limits(&self) -> VideoLimits;

    /// Submits a job, which is paid for from then on.
    ///
    /// # Errors
    /// Whatever kept it from being accepted. [`ProviderErrorKind::Timeout`](crate::ProviderErrorKind) and
    /// `Protocol` leave open whether it was.
    async fn submit(&self, request: VideoRequest) -> Result<RemoteJob, ProviderError>;

    /// How a job stands.
    ///
    /// # Errors
    /// The provider does not say.
    async fn status(&self, job: &str, keys: &Keys) -> Result<RemoteJob, ProviderError>;

    /// The job that was submitted under a key, if the provider can tell: what is asked after a crash between
    /// submitting and writing down the job's name.
    ///
    /// # Errors
    /// [`ProviderErrorKind::Refused`](crate::ProviderErrorKind) where this provider never can tell.
    async fn submitted(&self, key: &str, keys: &Keys) -> Result<Option<RemoteJob>, ProviderError>;

    /// The finished video.
    ///
    /// # Errors
    /// Whatever keeps it from coming.
    async fn content(&self, job: &str, keys: &Keys) -> Result<VideoContent, ProviderError>;

    /// Stops a job, or throws its result away. A provider that cannot stop a job says so by an error.
    ///
    /// # Errors
    /// Whatever keeps it from being stopped.
    async fn delete(&self, job: &str, keys: &Keys) -> Result<(), ProviderError>;
}

/// What can be asked of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VideoLimits {
    /// Widths and heights in pixels that it makes, the usual one first; empty where it is not known.
    pub sizes: Vec<(u32, u32)>,
    /// How many seconds a video may have; empty where it is not known.
    pub seconds: Vec<u32>,
    /// Length of a clip in seconds, unless the request sets one.
    pub usual_seconds: u32,
    /// Whether it makes a video once more, changed.
    pub remix: bool,
    /// Whether it goes on with a video.
    pub extend: bool,
}

/// What a video is to show.
#[derive(Clone, Debug)]
pub struct VideoRequest {
    /// The provider's own id of the model.
    pub model: String,
    /// Our own name of the job: goes along where the provider keeps one.
    pub key: String,
    /// A description of the video.
    pub prompt: String,
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// How long it is to be.
    pub seconds: u32,
    /// The provider's own name of the job whose video is changed or gone on with.
    pub source: Option<VideoSource>,
    /// The keys of the tenant or user, which take precedence over those of the configuration.
    pub keys: Keys,
}

/// A video that another one is made from.
#[derive(Clone, Debug)]
pub enum VideoSource {
    /// It is made once more, changed as the prompt says.
    Remix(String),
    /// Continues the video of an earlier job.
    Extend(String),
}

/// A job, as its provider tells of it.
#[derive(Clone, Debug, PartialEq)]
pub struct RemoteJob {
    /// The provider's own name of it.
    pub id: String,
    /// The job's state when it was polled.
    pub state: RemoteState,
}

/// The state of a provider's job.
#[derive(Clone, Debug, PartialEq)]
pub enum RemoteState {
    /// It waits for capacity.
    Queued,
    /// It is being rendered.
    InProgress {
        /// How far, from 0 to 100.
        percent: u8,
    },
    /// Its video can be downloaded.
    Completed,
    /// It ended without a video.
    Failed {
        /// A stable code of the error.
        code: String,
        /// The provider's message.
        message: String,
    },
}

/// The content of a finished video.
pub struct VideoContent {
    /// Its media type, for example `video/mp4`.
    pub media_type: String,
    /// The bytes as they come.
    pub bytes: Pin<Box<dyn Stream<Item = Result<Bytes, ProviderError>> + Send>>,
}
