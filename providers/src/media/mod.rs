//! Models that make or hear something other than text: speech, transcripts, pictures, videos.
//!
//! Each kind is a trait; [`MediaHandle`] is one model of a kind, and [`Models`](crate::Models) lists and finds them
//! as it does chat models, by `<provider>/<model>`.

pub mod duration;
pub mod image;
pub mod speech;
pub mod transcription;
pub mod video;
pub mod wav;

use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;

/// What a model makes or hears.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MediaKind {
    /// It speaks.
    Speech,
    /// It writes down what it hears.
    Transcription,
    /// It draws.
    Image,
    /// It makes videos.
    Video,
}

impl MediaKind {
    /// All kinds, in the order of lists.
    pub const ALL: [Self; 4] = [Self::Speech, Self::Transcription, Self::Image, Self::Video];

    /// The tag by which the configuration names the kind.
    #[must_use]
    pub const fn tag(self) -> &'static str {
        match self {
            Self::Speech => "speech",
            Self::Transcription => "transcription",
            Self::Image => "image",
            Self::Video => "video",
        }
    }

    /// What [`MediaInfo::unit_price_nanos`] is the price of.
    #[must_use]
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Speech => "million_characters",
            Self::Transcription => "minute",
            Self::Image => "image",
            Self::Video => "second",
        }
    }

    /// How many of what is counted make one unit: characters spoken, milliseconds heard, pictures, milliseconds
    /// of video.
    const fn unit_size(self) -> u64 {
        match self {
            Self::Speech => 1_000_000,
            Self::Transcription => 60_000,
            Self::Image => 1,
            Self::Video => 1_000,
        }
    }

    /// The kind of a model of this name, as far as a name can tell.
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

/// What is told of a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct MediaInfo {
    /// `<provider>/<model>`, for example `builtin/voice`.
    pub id: String,
    /// The name to show.
    pub name: String,
    /// The provider's name.
    pub provider: String,
    /// What it makes or hears.
    pub kind: MediaKind,
    /// What it can do: its kind, and what else is known.
    pub capability_tags: Vec<String>,
    /// What else is to know: `built-in`, `local`.
    pub info_tags: Vec<String>,
    /// Nano-dollars a unit: a million characters spoken, a minute heard, a picture, a second of video; zero
    /// where no price is set.
    pub unit_price_nanos: u64,
    /// Whether it is used where no model was chosen.
    pub is_default: bool,
}

impl MediaInfo {
    /// What so much of it costs in nano-dollars, rounded up to whole ones: characters spoken, milliseconds
    /// heard, pictures, milliseconds of video.
    #[must_use]
    pub fn cost_nanos(&self, quantity: u64) -> u64 {
        let whole = u128::from(self.unit_price_nanos) * u128::from(quantity);
        u64::try_from(whole.div_ceil(u128::from(self.kind.unit_size()))).unwrap_or(u64::MAX)
    }
}

/// A model of one kind (`dyn SpeechModel`, ...) that can be asked.
pub struct MediaHandle<M: ?Sized> {
    /// What is told of it.
    pub info: MediaInfo,
    /// The provider's id of the model, as sent in requests.
    pub upstream_id: String,
    /// The implementation that answers requests.
    pub model: Arc<M>,
}

impl<M: Media + ?Sized> MediaHandle<M> {
    /// A model of which nothing but the way to it is known.
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

/// A kind of model, by its trait object.
pub trait Media: Send + Sync + 'static {
    /// The kind of models with this interface.
    const KIND: MediaKind;

    /// A provider's models of the kind.
    fn models(models: &MediaModels) -> &Vec<Arc<MediaHandle<Self>>>;

    /// A provider's models of the kind, mutable.
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
    fn a_unit_costs_its_price_and_a_part_of_it_never_too_little() {
        for kind in MediaKind::ALL {
            let one = info(kind, 15_000_000_001);
            assert_eq!(one.cost_nanos(kind.unit_size()), 15_000_000_001, "{kind:?}");
            assert_eq!(one.cost_nanos(0), 0);
            assert_eq!(info(kind, 1).cost_nanos(1), 1, "{kind:?}: rounded up");
            assert_eq!(info(kind, 0).cost_nanos(u64::MAX), 0);
        }
        // 6 dollars for a thousand minutes, ten seconds of them.
        assert_eq!(info(MediaKind::Transcription, 6_000_000).cost_nanos(10_000), 1_000_000);
        assert_eq!(info(MediaKind::Image, u64::MAX).cost_nanos(2), u64::MAX, "it does not overflow");
    }
}
