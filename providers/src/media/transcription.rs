//! Transcripts of speech.

use async_trait::async_trait;
use bytes::Bytes;

use crate::chat::{Keys, ProviderError, Usage};

/// A model that writes down what it hears.
#[async_trait]
pub trait TranscriptionModel: Send + Sync {
    /// The only media types that it can hear; empty where it takes whatever is sound.
    fn hears(&self) -> &[&'static str] {
        &[]
    }

    /// Listens. Dropping the future closes the upstream connection at once.
    ///
    /// # Errors
    /// Whatever kept it from understanding, in the provider's words.
    async fn transcribe(&self, request: TranscriptionRequest) -> Result<Transcript, ProviderError>;
}

/// What is to be heard.
#[derive(Clone, Debug)]
pub struct TranscriptionRequest {
    /// The provider's own id of the model.
    pub model: String,
    /// The name of the file.
    pub filename: String,
    /// Its media type, as sniffed.
    pub media_type: String,
    /// Its bytes, at most 25 MiB.
    pub audio: Bytes,
    /// The language that is spoken, as ISO 639-1 has it.
    pub language: Option<String>,
    /// Words that help to understand: names, a sentence that goes before.
    pub prompt: Option<String>,
    /// How freely it may guess, from 0 to 1.
    pub temperature: Option<f64>,
    /// Whether the times of segments are wanted; not every model tells them.
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
    /// How long the sound is, in seconds.
    pub duration_s: Option<f64>,
    /// Its segments, in order; empty where the model tells none.
    pub segments: Vec<Segment>,
    /// Tokens, where the provider counts them.
    pub usage: Option<Usage>,
}

/// A part of a transcript, with its times.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    /// Where it begins, in seconds.
    pub start_s: f64,
    /// Where it ends, in seconds.
    pub end_s: f64,
    /// The words spoken in it.
    pub text: String,
}
