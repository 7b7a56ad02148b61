//! Text to speech.

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
    /// The supported audio formats.
    fn formats(&self) -> &[AudioFormat];

    /// The known voices; empty if they are not known.
    fn voices(&self) -> &[&'static str];

    /// Generates speech; resolves once the first bytes have arrived. Dropping the future or the stream closes the
    /// upstream connection immediately.
    ///
    /// # Errors
    /// Returns the reason for the failure, with the provider's message.
    async fn speak(&self, request: SpeechRequest) -> Result<AudioStream, ProviderError>;
}

/// Audio as a stream of pieces, in the order in which they are generated.
pub type AudioStream = Pin<Box<dyn Stream<Item = Result<Bytes, ProviderError>> + Send>>;

/// The parameters of speech to generate.
#[derive(Clone, Debug)]
pub struct SpeechRequest {
    /// The provider's own id of the model.
    pub model: String,
    /// The text, at most 4,096 characters.
    pub text: String,
    /// The voice; the provider's default if unset.
    pub voice: Option<String>,
    pub format: AudioFormat,
    /// The speed, from 0.25 to 4; 1 is the voice's normal speed.
    pub speed: f64,
    /// Instructions for the delivery, for models that support them.
    pub instructions: Option<String>,
    /// The keys of the tenant or user, which take precedence over those of the configuration.
    pub keys: Keys,
}

/// The encoding and container of audio.
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
    /// Raw 16-bit little-endian samples, one channel, 24,000 per second.
    Pcm,
}

impl AudioFormat {
    /// All formats, in the order used in messages.
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
