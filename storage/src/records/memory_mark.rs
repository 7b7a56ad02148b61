//! Markers that make concurrent writes of memories conflict.

use crate::record::{Growth, Record};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Counts the changes of the memories of a user. Its id is the user's, or that of the assistant to which memories are
/// restricted. Every transaction that adds a memory, or restricts one to an assistant, also changes the markers of
/// both. Two concurrent transactions therefore cannot both take the last place or write the same memory, and an
/// assistant that is being deleted receives none.
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
