//! Knowledge bases.

use crate::authority::{Grant, Shared, Sharing, Visibility};
use crate::keys::IndexKey;
use crate::record::{Growth, Index, Owner, Record};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// Documents that assistants answer from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct KnowledgeBase {
    pub name: String,
    /// What it holds.
    pub description: String,
    /// Whose it is.
    pub owner: Uuid,
    /// Who may see it.
    pub visibility: Visibility,
    /// Rights of others.
    pub grants: Vec<Grant>,
    /// The assistant whose own knowledge this is. Such a base is in no list, and who may use or
    /// change the assistant may use or change it.
    pub assistant_id: Option<Uuid>,
    /// Full id of the model that embeds its passages and the questions to it.
    pub embedding_model: String,
    /// Tokens of a passage.
    pub chunk_tokens: u32,
    /// Tokens that a passage repeats of the one before it.
    pub overlap: u32,
    /// How many documents it has.
    pub documents: u32,
    /// Which builds of its documents are searched, see [`Build`](super::Build).
    pub index_version: u32,
    /// The version that was begun last; no number is used twice.
    pub last_version: u32,
    /// The settings of the next version while that is being built beside this one.
    pub rebuild: Option<Rebuild>,
}

/// A version of a knowledge base's index that is being built.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Rebuild {
    /// The version it will be.
    pub index_version: u32,
    /// The run that builds it.
    pub run_id: Uuid,
    /// The model that embeds.
    pub embedding_model: String,
    /// Tokens of a passage.
    pub chunk_tokens: u32,
    /// Tokens that a passage repeats of the one before it.
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
