//! Models for media other than text: speech, transcription, images and videos.
//!
//! Each kind is a trait; [`MediaHandle`] is one model of a kind. [`Models`](crate::Models) lists and finds them like
//! chat models, by `<provider>/<model>`.

pub mod duration;
pub mod image;
pub mod speech;
pub mod transcription;
pub mod video;
pub mod wav;

use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;

/// The kind of a media model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MediaKind {
    /// Converts text to speech.
    Speech,
    /// Transcribes speech.
    Transcription,
    /// Generates images.
    Image,
    /// Generates videos.
    Video,
}

impl MediaKind {
    /// All kinds, in the order of lists.
    pub const ALL: [Self; 4] = [Self::Speech, Self::Transcription, Self::Image, Self::Video];

    /// The tag that denotes the kind in the configuration.
    #[must_use]
    pub const fn tag(self) -> &'static str {
        match self {
            Self::Speech => "speech",
            Self::Transcription => "transcription",
            Self::Image => "image",
            Self::Video => "video",
        }
    }

    /// The unit to which [`MediaInfo::unit_price_nanos`] applies.
    #[must_use]
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Speech => "million_characters",
            Self::Transcription => "minute",
            Self::Image => "image",
            Self::Video => "second",
        }
    }

    /// The size of a unit in the counted quantity: characters of speech, milliseconds of transcribed audio, images,
    /// milliseconds of video.
    const fn unit_size(self) -> u64 {
        match self {
            Self::Speech => 1_000_000,
            Self::Transcription => 60_000,
            Self::Image => 1,
            Self::Video => 1_000,
        }
    }

    /// Guesses the kind of a model from its name.
    #[must_use]
    pub fn of_name(id: &str) -> Option<Self> {
        let id = id.to_ascii_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| id.contains(word));
        if has(&["whisper", "transcribe"]) {
            Some(Self::Transcription)
        } else if has(&["tts", "kokoro"]) {
            Some(Self::Speech)
        } else if has(&["dall-e", "gpt-image", "stable-diffusion", "imagen", "flux"]) {
            Some(Self::Image)
        } else if has(&["sora", "veo-"]) {
            Some(Self::Video)
        } else {
            None
        }
    }
}

/// The description of a media model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct MediaInfo {
    /// `<provider>/<model>`, for example `builtin/voice`.
    pub id: String,
    /// The name to show.
    pub name: String,
    /// The provider's name.
    pub provider: String,
    /// The kind of the model.
    pub kind: MediaKind,
    /// Capabilities: the kind, and others if known.
    pub capability_tags: Vec<String>,
    /// Further properties: `built-in`, `local`.
    pub info_tags: Vec<String>,
    /// Price in nano-dollars per unit: a million characters of speech, a minute of transcription, an image, a second
    /// of video; zero if no price is set.
    pub unit_price_nanos: u64,
    /// Whether the model is used for requests that name none.
    pub is_default: bool,
}

impl MediaInfo {
    /// The cost of a quantity in nano-dollars, rounded up: characters of speech, milliseconds of transcribed audio,
    /// images, milliseconds of video.
    #[must_use]
    pub fn cost_nanos(&self, quantity: u64) -> u64 {
        let whole = u128::from(self.unit_price_nanos) * u128::from(quantity);
        u64::try_from(whole.div_ceil(u128::from(self.kind.unit_size()))).unwrap_or(u64::MAX)
    }
}

/// A model of one kind (`dyn SpeechModel`, ...) that can be called.
pub struct MediaHandle<M: ?Sized> {
    /// The description of the model.
    pub info: MediaInfo,
    /// The provider's id of the model, as sent in requests.
    pub upstream_id: String,
    /// The implementation that answers requests.
    pub model: Arc<M>,
}

impl<M: Media + ?Sized> MediaHandle<M> {
    /// Creates a model with default properties.
    pub fn new(provider: &str, upstream_id: impl Into<String>, model: Arc<M>) -> Self {
        let upstream_id = upstream_id.into();
        let info = MediaInfo {
            id: format!("{provider}/{upstream_id}"),
            name: upstream_id.clone(),
            provider: provider.to_owned(),
            kind: M::KIND,
            capability_tags: vec![M::KIND.tag().to_owned()],
            info_tags: Vec::new(),
            unit_price_nanos: 0,
            is_default: false,
        };
        Self { info, upstream_id, model }
    }
}

impl<M: ?Sized> std::fmt::Debug for MediaHandle<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MediaHandle").field("info", &self.info).finish_non_exhaustive()
    }
}

/// A kind of media model, implemented by its trait object.
pub trait Media: Send + Sync + 'static {
    /// The kind of models with this interface.
    const KIND: MediaKind;

    /// Returns the models of this kind.
    fn models(models: &MediaModels) -> &Vec<Arc<MediaHandle<Self>>>;

    /// Returns the models of this kind, mutably.
    fn models_mut(models: &mut MediaModels) -> &mut Vec<Arc<MediaHandle<Self>>>;
}

/// The models of one provider for speech, transcription, images and video.
#[derive(Clone, Default)]
pub struct MediaModels {
    speech: Vec<Arc<MediaHandle<dyn speech::SpeechModel>>>,
    transcription: Vec<Arc<MediaHandle<dyn transcription::TranscriptionModel>>>,
    image: Vec<Arc<MediaHandle<dyn image::ImageModel>>>,
    video: Vec<Arc<MediaHandle<dyn video::VideoModel>>>,
}

macro_rules! media {
    ($($model:path, $kind:ident, $field:ident;)*) => {$(
        impl Media for dyn $model {
            const KIND: MediaKind = MediaKind::$kind;

            fn models(models: &MediaModels) -> &Vec<Arc<MediaHandle<Self>>> {
                &models.$field
            }

            fn models_mut(models: &mut MediaModels) -> &mut Vec<Arc<MediaHandle<Self>>> {
                &mut models.$field
            }
        }
    )*};
}

media! {
    speech::SpeechModel, Speech, speech;
    transcription::TranscriptionModel, Transcription, transcription;
    image::ImageModel, Image, image;
    video::VideoModel, Video, video;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(kind: MediaKind, unit_price_nanos: u64) -> MediaInfo {
        let (id, name, provider) = (String::new(), String::new(), String::new());
        let (capability_tags, info_tags) = (Vec::new(), Vec::new());
        MediaInfo {
            id,
            name,
            provider,
            kind,
            capability_tags,
            info_tags,
            unit_price_nanos,
            is_default: false,
        }
    }

    #[test]
    fn cost_nanos_rounds_up() {
        for kind in MediaKind::ALL {
            let one = info(kind, 15_000_000_001);
            assert_eq!(one.cost_nanos(kind.unit_size()), 15_000_000_001, "{kind:?}");
            assert_eq!(one.cost_nanos(0), 0);
            assert_eq!(info(kind, 1).cost_nanos(1), 1, "{kind:?}: rounded up");
            assert_eq!(info(kind, 0).cost_nanos(u64::MAX), 0);
        }
        // 6 dollars per thousand minutes, for ten seconds.
        assert_eq!(info(MediaKind::Transcription, 6_000_000).cost_nanos(10_000), 1_000_000);
        assert_eq!(info(MediaKind::Image, u64::MAX).cost_nanos(2), u64::MAX, "it does not overflow");
    }
}
