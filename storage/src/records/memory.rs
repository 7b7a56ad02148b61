//! Memories.

use crate::keys::IndexKey;
use crate::record::{Growth, Index, Owner, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// Who wrote a memory down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MemorySource {
    /// The user.
    #[default]
    Manual,
    /// A model, in a conversation.
    Auto,
}

/// Something to be remembered of a user. Its id is (user, memory); only that user reads it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Memory {
    /// What is remembered.
    pub content: String,
    /// The one assistant that knows it; without one, all do.
    pub assistant_id: Option<Uuid>,
    /// Who wrote it down.
    pub source: MemorySource,
    pub conversation_id: Option<Uuid>,
    /// Until when it is used.
    pub expires_at: Option<Timestamp>,
}

impl Record for Memory {
    type Id = (Uuid, Uuid);
    const TABLE: [u8; 2] = *b"mm";
    const NAME: &'static str = "memory";
    const GROWTH: Growth<Self> = Growth::metered(
        |id: &Self::Id, _| Owner::User(id.0),
        "per user, `limits.memories_per_user`; 2,000 characters each",
    );
    const INDEXES: &'static [Index<Self>] = &[Index {
        table: *b"m2",
        name: "by_assistant",
        unique: false,
        keys: |row| row.assistant_id.iter().map(|id| IndexKey::new().id(id).done()).collect(),
    }];
}
