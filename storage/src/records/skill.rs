//! Skills and their versions.

use super::CatalogMetadata;
use crate::authority::{Grant, Shared, Sharing, Visibility};
use crate::blobs::BlobId;
use crate::keys::IndexKey;
use crate::record::{Container, Growth, Index, Owner, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use utoipa::ToSchema;
use uuid::Uuid;

/// Where a skill can be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SkillUsableIn {
    /// In conversations.
    Chat,
    Workflow,
    #[default]
    Both,
}

impl SkillUsableIn {
    /// Returns whether a skill with this setting can be used in `place`.
    pub fn covers(self, place: Self) -> bool {
        self == Self::Both || self == place
    }
}

/// A function of a skill, as described to models.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct SkillFunction {
    /// Name of the function, unique within the skill.
    pub name: String,
    /// What the function does.
    pub description: String,
    /// The JSON Schema of the arguments, an object.
    #[schema(value_type = Object)]
    pub parameters: Map<String, Value>,
    /// The file of the bundle that defines the function.
    pub file: String,
}

/// A version of a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SkillVersion {
    /// SHA-256 of the content, in hex.
    pub content_hash: String,
    /// The blob with the uploaded bundle.
    pub blob_id: BlobId,
    /// The bundle's file name.
    pub filename: String,
    /// Time at which the version was added.
    pub created_at: Timestamp,
    /// The user who added the version.
    pub created_by: Uuid,
}

/// Instructions and functions that assistants can use. Their content is a [`SkillContent`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Skill {
    pub name: String,
    pub description: String,
    /// Where the skill can be used.
    pub usable_in: SkillUsableIn,
    /// The user who owns the skill.
    pub owner: Uuid,
    /// Who may see the skill.
    pub visibility: Visibility,
    /// Permissions of other users, groups and teams.
    pub grants: Vec<Grant>,
    /// The version in use: SHA-256 of its content, in hex.
    pub content_hash: String,
    /// Names of the skill's functions.
    pub functions: Vec<String>,
    /// External services that the functions require: `web:api.example.org`, `data`, `knowledge`.
    pub services: Vec<String>,
    /// All versions, the latest last.
    pub versions: Vec<SkillVersion>,
    /// Picture of the skill.
    pub avatar: Option<BlobId>,
    pub catalog: Option<CatalogMetadata>,
}

impl Shared for Skill {
    fn sharing(&self) -> Sharing<'_> {
        Sharing { owner: self.owner, visibility: self.visibility, grants: &self.grants }
    }
}

impl Record for Skill {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"sk";
    const NAME: &'static str = "skill";
    const GROWTH: Growth<Self> =
        Growth::metered(|_, row| Owner::User(row.owner), "each field has a maximum length");
    const BLOBS: Option<fn(&Self) -> Vec<BlobId>> = Some(|body| {
        let bundles = body.versions.iter().map(|version| &version.blob_id);
        bundles.chain(&body.avatar).cloned().collect()
    });
    // Unique, so that of two concurrent uploads of the same bundle one finds the other.
    const INDEXES: &'static [Index<Self>] = &[Index {
        table: *b"s2",
        name: "by_content",
        unique: true,
        keys: |row| match row.content_hash.is_empty() {
            true => Vec::new(),
            false => vec![Skill::content_key(&row.owner, &row.content_hash)],
        },
    }];
}

impl Skill {
    /// Returns the key of the index `by_content` for a skill of this owner with this content.
    pub fn content_key(owner: &Uuid, content_hash: &str) -> Vec<u8> {
        IndexKey::new().id(owner).text(content_hash).done()
    }
}

/// The content of a version of a skill. Its id is (skill, content hash).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SkillContent {
    /// The instructions for the model, as Markdown.
    pub instructions: String,
    /// The functions that the skill offers.
    pub functions: Vec<SkillFunction>,
    /// External services that the functions require.
    pub services: Vec<String>,
    /// Texts and scripts by their path in the bundle, including `SKILL.md`.
    pub files: BTreeMap<String, String>,
}

impl Record for SkillContent {
    type Id = (Uuid, String);
    const TABLE: [u8; 2] = *b"sc";
    const NAME: &'static str = "skill_content";
    const GROWTH: Growth<Self> =
        Growth::metered(|id: &Self::Id, _| Owner::Within(Container::Skill, id.0), "10 MiB per version");
}
