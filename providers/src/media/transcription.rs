//! Transcription of speech.

use async_trait::async_trait;
use bytes::Bytes;

use crate::chat::{Keys, ProviderError, Usage};

/// A model that transcribes speech.
#[async_trait]
pub trait TranscriptionModel: Send + Sync {
    /// The only supported media types; empty if the model accepts any audio.
    fn hears(&self) -> &[&'static str] {
        &[]
    }

    /// Transcribes a recording. Dropping the future closes the upstream connection immediately.
    ///
    /// # Errors
    /// Returns the reason for the failure, with the provider's message.
    async fn transcribe(&self, request: TranscriptionRequest) -> Result<Transcript, ProviderError>;
}

/// The recording to transcribe and its options.
#[derive(Clone, Debug)]
pub struct TranscriptionRequest {
    /// The provider's own id of the model.
    pub model: String,
    /// The name of the file.
    pub filename: String,
    /// The media type, detected from the content.
    pub media_type: String,
    /// The content of the file, at most 25 MiB.
    pub audio: Bytes,
    /// The spoken language, as an ISO 639-1 code.
    pub language: Option<String>,
    /// Text that helps recognition, such as names or the preceding sentence.
    pub prompt: Option<String>,
    /// The sampling temperature, from 0 to 1.
    pub temperature: Option<f64>,
    /// Whether segments with times are requested; not every model supports them.
    pub segments: bool,
    /// The keys of the tenant or user, which take precedence over those of the configuration.
    pub keys: Keys,
}

/// The text of a recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transcript {
    /// The whole text.
    pub text: String,
    /// The language that was spoken.
    pub language: Option<String>,
    /// The duration of the recording in seconds.
    pub duration_s: Option<f64>,
    /// The segments, in order; empty if the model returns none.
    pub segments: Vec<Segment>,
    /// Token usage, if the provider reports it.
    pub usage: Option<Usage>,
}

/// A part of a transcript with its start and end times.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    /// Start time in seconds.
    pub start_s: f64,
    /// End time in seconds.
    pub end_s: f64,
    /// The spoken text.
    pub text: String,
}
