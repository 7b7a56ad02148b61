//! Memories about users.

use crate::keys::IndexKey;
use crate::record::{Growth, Index, Owner, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// Who created a memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MemorySource {
    /// The user.
    #[default]
    Manual,
    /// A model, in a conversation.
    Auto,
}

/// Something to remember about a user. Its id is (user, memory). Only that user can read it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Memory {
    /// Text of the memory.
    pub content: String,
    /// The assistant to which the memory is restricted. Without one, all assistants use it.
    pub assistant_id: Option<Uuid>,
    /// Who created the memory.
    pub source: MemorySource,
    pub conversation_id: Option<Uuid>,
    /// Time until which the memory is used.
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
