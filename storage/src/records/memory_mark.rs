//! Marks by which those who write memories down at the same time see each other.

use crate::record::{Growth, Record};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// How often memories were written down for a user. Its id is the user's, or the assistant's that
/// alone knows them. Every transaction that adds a memory, or gives one to an assistant, changes the marks of both in
/// the same transaction: so two at once cannot both take the last place or write the same, and an
/// assistant that is being deleted gets none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MemoryMark {
    /// The number of changes.
    pub written: u64,
}

impl Record for MemoryMark {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"mk";
    const NAME: &'static str = "memory_mark";
    const GROWTH: Growth<Self> = Growth::OnePer("user and assistant");
}
