//! Number of data items of an assistant.

use crate::record::{Growth, Record};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Number of data items of an assistant. Its id is the assistant's. Every transaction that adds or deletes an item
/// also changes this row. Two concurrent transactions therefore cannot both take the last place, and no item is
/// added to an assistant that is being deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DataCount {
    /// The number of items.
    pub items: u64,
}

impl Record for DataCount {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"dn";
    const NAME: &'static str = "data_count";
    const GROWTH: Growth<Self> = Growth::OnePer("assistant");
}
