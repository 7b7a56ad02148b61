//! The parameters of a clip. A job's id encodes all of them, so that they survive a restart: any process can render
//! the clip again from the id.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

use crate::chat::ProviderError;
use crate::media::video::{VideoRequest, VideoSource};

/// The supported sizes in pixels; the first is the default.
pub(super) const SIZES: [(u32, u32); 4] = [(640, 360), (320, 180), (480, 480), (360, 640)];
/// Maximum duration of one request, in seconds.
pub(super) const MAX_SECONDS: u32 = 10;
/// Maximum duration of a clip with all extensions, in seconds.
const MAX_TOTAL_SECONDS: u32 = 30;
/// Maximum number of characters of a prompt that are shown.
const SHOWN: usize = 160;
const PREFIX: &str = "clip_";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Recipe {
    /// The key of the job: the same clip for two requests is two jobs.
    #[serde(rename = "k")]
    key: String,
    #[serde(rename = "w")]
    pub(super) width: u32,
    #[serde(rename = "h")]
    pub(super) height: u32,
    /// Seed of the motion.
    #[serde(rename = "m")]
    pub(super) motion: u64,
    /// Seed of the palette.
    #[serde(rename = "c")]
    pub(super) colours: u64,
    #[serde(rename = "s")]
    pub(super) shots: Vec<Shot>,
}

/// A section of a clip.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Shot {
    /// The text that appears.
    #[serde(rename = "t")]
    pub(super) text: String,
    #[serde(rename = "s")]
    pub(super) seconds: u32,
}

impl Recipe {
    /// Creates the recipe for a request.
    ///
    /// # Errors
    /// Returns an error if the request's parameters are not supported.
    pub(super) fn from_request(request: &VideoRequest) -> Result<Self, ProviderError> {
        let mut recipe = match &request.source {
            None => Self::new(request)?,
            Some(VideoSource::Remix(source)) => {
                Self { colours: hash(&request.prompt), ..Self::named(source)? }.with_prompt(&request.prompt)
            }
            Some(VideoSource::Extend(source)) => {
                let mut longer = Self::named(source)?;
                longer.shots.push(Shot::new(request));
                longer
            }
        };
        if !(1..=MAX_SECONDS).contains(&request.seconds)
            && !matches!(request.source, Some(VideoSource::Remix(_)))
        {
            return Err(refused(format!("clips have 1 to {MAX_SECONDS} seconds")));
        }
        if recipe.seconds() > MAX_TOTAL_SECONDS {
            return Err(refused(format!("a clip can be at most {MAX_TOTAL_SECONDS} seconds long")));
        }
        recipe.key.clone_from(&request.key);
        Ok(recipe)
    }

    fn new(request: &VideoRequest) -> Result<Self, ProviderError> {
        let (width, height) = request.size;
        if !SIZES.contains(&request.size) {
            return Err(refused(format!("the size {width}x{height} is not supported")));
        }
        let seed = hash(&request.prompt);
        let (key, shots) = (String::new(), vec![Shot::new(request)]);
        Ok(Self { key, width, height, motion: seed, colours: seed, shots })
    }

    /// Replaces the text of the last shot.
    fn with_prompt(mut self, prompt: &str) -> Self {
        if let Some(last) = self.shots.last_mut() {
            last.text = visible_text(prompt);
        }
        self
    }

    /// Length of all shots together.
    pub(super) fn seconds(&self) -> u32 {
        self.shots.iter().map(|shot| shot.seconds).sum()
    }

    /// The job's name, from which [`named`](Self::named) restores the recipe.
    pub(super) fn name(&self) -> String {
        let json = serde_json::to_vec(self).unwrap_or_default();
        format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(json))
    }

    /// Decodes a job's name.
    ///
    /// # Errors
    /// Returns an error if the name is not a valid clip name.
    pub(super) fn named(name: &str) -> Result<Self, ProviderError> {
        let json = name.strip_prefix(PREFIX).and_then(|coded| URL_SAFE_NO_PAD.decode(coded).ok());
        let recipe: Option<Self> = json.and_then(|json| serde_json::from_slice(&json).ok());
        let sound = |recipe: &Self| {
            SIZES.contains(&(recipe.width, recipe.height))
                && (1..=MAX_TOTAL_SECONDS).contains(&recipe.seconds())
                && recipe.shots.iter().all(|shot| shot.seconds > 0)
        };
        recipe.filter(sound).ok_or_else(|| refused("there is no such clip".to_owned()))
    }
}

impl Shot {
    fn new(request: &VideoRequest) -> Self {
        Self { text: visible_text(&request.prompt), seconds: request.seconds }
    }
}

fn refused(why: String) -> ProviderError {
    ProviderError::refused(format!("builtin/clip: {why}"))
}

/// Returns the part of a prompt that is shown: its beginning, on one line.
fn visible_text(prompt: &str) -> String {
    let line = prompt.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut shown: String = line.chars().take(SHOWN).collect();
    if shown.len() < line.len() {
        shown.push_str("...");
    }
    shown
}

/// Returns a hash that never changes for the same text (FNV-1a).
fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xCBF2_9CE4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}
