//! Features that a tenant's administrators can disable, for everyone or for some members.

use super::AudienceReason;

macro_rules! features {
    ($($name:ident => $key:literal, $sentence:literal;)*) => {
        /// A feature that can be disabled: all operations of an area together. Areas without which a tenant cannot be
        /// managed are not features: signing in, one's own account, administration, groups, notifications.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Feature { $(#[doc = $sentence] $name,)* }

        impl Feature {
            /// All features in the order of the table.
            pub const ALL: &'static [Feature] = &[$(Feature::$name,)*];

            /// The key of the feature, which is the name of its area.
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
    Automations => "automations", "Assistants that run on a schedule.";
    Catalog => "catalog", "Packages and their installation.";
    Chat => "chat", "Direct use of models, including the OpenAI-compatible interface.";
    Conversations => "conversations", "Stored conversations and their streams.";
    External => "external", "Logins at external services.";
    KnowledgeBases => "knowledge-bases", "Knowledge bases and their documents.";
    Mcp => "mcp", "Tool servers that assistants are connected to.";
    Memories => "memories", "What assistants remember about a user.";
    Projects => "projects", "Projects and the conversations in them.";
    Skills => "skills", "Skills and the skill builder.";
    Teams => "teams", "Teams.";
    Utils => "utils", "Extracting, splitting and filtering text.";
    Video => "video", "Generation of videos.";
    Workflows => "workflows", "Workflows and their runs.";
}

impl Feature {
    /// Returns the feature with this key.
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
    /// Whether the set includes the feature.
    pub fn contains(self, feature: Feature) -> bool {
        self.0 & feature.bit() != 0
    }
}

impl FromIterator<Feature> for FeatureSet {
    fn from_iter<I: IntoIterator<Item = Feature>>(features: I) -> Self {
        Self(features.into_iter().fold(0, |set, feature| set | feature.bit()))
    }
}

/// Whether a feature is enabled for a member, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeatureState {
    pub feature: Feature,
    /// Why it is enabled or disabled.
    pub because: AudienceReason,
}
