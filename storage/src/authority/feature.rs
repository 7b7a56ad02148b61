//! Features: what a tenant's administrators may switch off, for everyone or for some.

use super::{Because, Subject};
use crate::error::Result;
use crate::ids::TenantId;
use crate::reader::Reader;
use crate::records::{AssistantType, FeatureRule, Governed, Tenant};
use crate::scan::Scan;

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

            /// What it is, in one sentence.
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

    /// What working with an assistant of this type is part of.
    pub const fn of(kind: AssistantType) -> Self {
        match kind {
            AssistantType::Workflow => Self::Workflows,
            AssistantType::Chat => Self::Assistants,
        }
    }

    const fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// A set of features.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FeatureSet(u32);

impl FeatureSet {
    /// Whether the feature is among them.
    pub fn contains(self, feature: Feature) -> bool {
        self.0 & feature.bit() != 0
    }

    /// Those that are switched on for a member. Where nothing was decided, nothing is read.
    ///
    /// # Errors
    /// Those of the store.
    pub fn of(reader: &Reader, governed: Governed, standing: &Subject) -> Result<Self> {
        if !governed.features {
            return Ok(Feature::ALL.iter().copied().collect());
        }
        let resolved = Resolved::all(reader, standing)?;
        Ok(resolved.into_iter().filter(|one| one.because.shows()).map(|one| one.feature).collect())
    }
}

impl FeatureSet {
    /// Those that are switched on for a member, by what the tenant's row says of its rules.
    ///
    /// # Errors
    /// Those of the store; `NotFound` where there is no such tenant.
    pub fn read(reader: &Reader, standing: &Subject) -> Result<Self> {
        let tenant = reader.require::<Tenant>(TenantId::SYSTEM, &standing.tenant.0)?;
        Self::of(reader, tenant.governed, standing)
    }
}

impl FromIterator<Feature> for FeatureSet {
    fn from_iter<I: IntoIterator<Item = Feature>>(features: I) -> Self {
        Self(features.into_iter().fold(0, |set, feature| set | feature.bit()))
    }
}

/// What holds of a feature for a member, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// The feature.
    pub feature: Feature,
    /// Why it is switched on, or off.
    pub because: Because,
}

impl Resolved {
    /// Of every feature, in the order of the table.
    ///
    /// # Errors
    /// Those of the store.
    pub fn all(reader: &Reader, standing: &Subject) -> Result<Vec<Self>> {
        let rules = reader.scan::<FeatureRule>(standing.tenant, Scan::table())?.items;
        let because = |feature: Feature| {
            let rule = rules.iter().find(|rule| rule.id == feature.key());
            rule.map_or(Because::NoRule, |rule| Because::of(&rule.audience, standing))
        };
        Ok(Feature::ALL.iter().map(|one| Self { feature: *one, because: because(*one) }).collect())
    }
}
