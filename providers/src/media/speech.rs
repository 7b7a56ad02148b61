//! Speech.

use std::pin::Pin;

use async_trait::async_trait;
use bytes::Bytes;
use futures::Stream;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::chat::{Keys, ProviderError};

/// A model that turns text into speech.
#[async_trait]
pub trait SpeechModel: Send + Sync {
    /// The forms in which it can speak.
    fn formats(&self) -> &[AudioFormat];

    /// The voices it is known to have; empty where it is not known.
    fn voices(&self) -> &[&'static str];

    /// Speaks; resolves once the first bytes are there. Dropping the future or the stream closes the upstream
    /// connection at once.
    ///
    /// # Errors
    /// Whatever kept it from speaking, in the provider's words.
    async fn speak(&self, request: SpeechRequest) -> Result<AudioStream, ProviderError>;
}

/// Sound, piece by piece, as it is made.
pub type AudioStream = Pin<Box<dyn Stream<Item = Result<Bytes, ProviderError>> + Send>>;

/// What is to be spoken.
#[derive(Clone, Debug)]
pub struct SpeechRequest {
    /// The provider's own id of the model.
    pub model: String,
    /// The words, at most 4,096 characters.
    pub text: String,
    /// The voice; else the provider's usual one.
    pub voice: Option<String>,
    pub format: AudioFormat,
    /// How fast, from 0.25 to 4; 1 is the voice's own pace.
    pub speed: f64,
    /// How it is to be said, for models that listen to that.
    pub instructions: Option<String>,
    /// The keys of the tenant or user, which take precedence over those of the configuration.
    pub keys: Keys,
}

/// The form of sound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AudioFormat {
    /// MPEG layer 3.
    #[default]
    Mp3,
    /// Opus in Ogg.
    Opus,
    /// AAC in ADTS.
    Aac,
    Flac,
    /// RIFF with 16-bit samples.
    Wav,
    /// Bare 16-bit little-endian samples, one channel, 24,000 a second.
    Pcm,
}

impl AudioFormat {
    /// All formats, in the order of messages.
    pub const ALL: [Self; 6] = [Self::Mp3, Self::Opus, Self::Aac, Self::Flac, Self::Wav, Self::Pcm];

    /// The value of `response_format` in requests.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mp3 => "mp3",
            Self::Opus => "opus",
            Self::Aac => "aac",
            Self::Flac => "flac",
            Self::Wav => "wav",
            Self::Pcm => "pcm",
        }
    }

    /// The content type of responses.
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Mp3 => "audio/mpeg",
            Self::Opus => "audio/ogg",
            Self::Aac => "audio/aac",
            Self::Flac => "audio/flac",
            Self::Wav => "audio/wav",
            Self::Pcm => "audio/pcm",
        }
    }
}
