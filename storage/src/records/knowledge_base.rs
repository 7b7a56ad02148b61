//! Knowledge bases and the versions of their index.

use crate::authority::{Grant, Shared, Sharing, Visibility};
use crate::keys::IndexKey;
use crate::record::{Growth, Index, Owner, Record};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// A collection of documents that assistants search for their answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct KnowledgeBase {
    pub name: String,
    /// What the knowledge base contains.
    pub description: String,
    /// The user who owns the knowledge base.
    pub owner: Uuid,
    /// Who may see the knowledge base.
    pub visibility: Visibility,
    /// Permissions of other users, groups and teams.
    pub grants: Vec<Grant>,
    /// The assistant whose own knowledge this is. Such a knowledge base is not listed. Permission to use or change the
    /// assistant includes permission to use or change the knowledge base.
    pub assistant_id: Option<Uuid>,
    /// Full id of the model that embeds the passages and the search queries.
    pub embedding_model: String,
    /// Maximum length of a passage, in tokens.
    pub chunk_tokens: u32,
    /// Overlap of a passage with the previous one, in tokens.
    pub overlap: u32,
    /// Number of documents.
    pub documents: u32,
    /// The version of the index that is searched.
    pub index_version: u32,
    /// The version that was started last. No number is used twice.
    pub last_version: u32,
    /// Settings of the next version while it is being built beside the current one.
    pub rebuild: Option<Rebuild>,
}

/// A version of a knowledge base's index that is being built.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Rebuild {
    /// The number of the new version.
    pub index_version: u32,
    /// The run that builds it.
    pub run_id: Uuid,
    /// Full id of the embedding model.
    pub embedding_model: String,
    /// Maximum length of a passage, in tokens.
    pub chunk_tokens: u32,
    /// Overlap of a passage with the previous one, in tokens.
    pub overlap: u32,
}

impl Default for KnowledgeBase {
    fn default() -> Self {
        Self {
            name: String::new(),
            description: String::new(),
            owner: Uuid::nil(),
            visibility: Visibility::default(),
            grants: Vec::new(),
            assistant_id: None,
            embedding_model: "builtin/hash".to_owned(),
            chunk_tokens: 512,
            overlap: 64,
            documents: 0,
            index_version: 1,
            last_version: 1,
            rebuild: None,
        }
    }
}

impl Shared for KnowledgeBase {
    fn sharing(&self) -> Sharing<'_> {
        Sharing { owner: self.owner, visibility: self.visibility, grants: &self.grants }
    }
}

impl Record for KnowledgeBase {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"kb";
    const NAME: &'static str = "knowledge_base";
    const GROWTH: Growth<Self> =
        Growth::metered(|_, row| Owner::User(row.owner), "each field has a maximum length");
    const INDEXES: &'static [Index<Self>] = &[Index {
        table: *b"k1",
        name: "by_owner",
        unique: false,
        keys: |row| vec![IndexKey::new().id(&row.owner).done()],
    }];
}
