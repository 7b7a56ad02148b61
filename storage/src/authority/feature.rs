//! Features: what a tenant's administrators may switch off, for everyone or for some.

use super::AudienceReason;

macro_rules! features {
    ($($name:ident => $key:literal, $sentence:literal;)*) => {
        /// What may be switched off: all operations of an area at once. What a tenant cannot be managed without is no
        /// feature: signing in, one's own account, administration, groups, notifications.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Feature { $(#[doc = $sentence] $name,)* }

        impl Feature {
            /// Every feature, in the order of the table.
            pub const ALL: &'static [Feature] = &[$(Feature::$name,)*];

            /// Its key, which is the name of its area.
            pub const fn key(self) -> &'static str {
                match self { $(Self::$name => $key,)* }
            }

            pub const fn sentence(self) -> &'static str {
                match self { $(Self::$name => $sentence,)* }
            }
        }
    };
}

features! {
    Assistants => "assistants", "Assistants with their data, files and functions.";
    Audio => "audio", "Speech and transcription.";
    Automations => "automations", "Assistants that work by a schedule.";
    Catalog => "catalog", "Packages and their installation.";
    Chat => "chat", "Models asked directly, the OpenAI-compatible interface among it.";
    Conversations => "conversations", "Stored conversations and their streams.";
    External => "external", "Logins at external services.";
    KnowledgeBases => "knowledge-bases", "Knowledge bases and their documents.";
    Mcp => "mcp", "Tool servers that assistants are connected to.";
    Memories => "memories", "What assistants remember of a user.";
    Projects => "projects", "Projects and the conversations in them.";
    Skills => "skills", "Skills and the builder of skills.";
    Teams => "teams", "Teams.";
    Utils => "utils", "Reading, cutting and filtering of texts.";
    Video => "video", "Video clips made by models.";
    Workflows => "workflows", "Workflows and their runs.";
}

impl Feature {
    /// The feature of this key.
    pub fn parse(key: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|feature| feature.key() == key)
    }

    const fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// A set of features, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FeatureSet(u32);

impl FeatureSet {
    /// Whether the feature is among them.
    pub fn contains(self, feature: Feature) -> bool {
        self.0 & feature.bit() != 0
    }
}

impl FromIterator<Feature> for FeatureSet {
    fn from_iter<I: IntoIterator<Item = Feature>>(features: I) -> Self {
        Self(features.into_iter().fold(0, |set, feature| set | feature.bit()))
    }
}

/// What holds of a feature for a member, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeatureState {
    pub feature: Feature,
    /// Why it is switched on, or off.
    pub because: AudienceReason,
}
