//! Rows that were decoded before: those that nearly every request reads, and that seldom change.

use crate::record::{Record, Row};
use bytes::Bytes;
use parking_lot::RwLock;
use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

const SHARDS: usize = 16;
/// Rows of a shard; when there are more, all of it is decoded again.
const PER_SHARD: usize = 128;
/// Stored bytes of the largest row in it.
const LARGEST: usize = 8 << 10;

struct Entry {
    /// The stored form that `row` was decoded from.
    stored: Bytes,
    row: Arc<dyn Any + Send + Sync>,
}

/// By key, which begins with the table and so determines the type. An entry counts only while the stored form is the same,
/// so no write has to clear it.
static DECODED: LazyLock<[RwLock<HashMap<Bytes, Entry>>; SHARDS]> = LazyLock::new(Default::default);

fn shard(key: &[u8]) -> &'static RwLock<HashMap<Bytes, Entry>> {
    // Keys end with an id, whose last byte is random.
    &DECODED[usize::from(key.last().copied().unwrap_or_default()) % SHARDS]
}

/// The row that was decoded from this stored form of a key.
pub(crate) fn find<T: Record>(key: &[u8], stored: &Bytes) -> Option<Arc<Row<T>>> {
    let shard = shard(key).read();
    let entry = shard.get(key).filter(|entry| entry.stored == *stored)?;
    entry.row.clone().downcast().ok()
}

pub(crate) fn insert<T: Record>(key: Vec<u8>, stored: Bytes, row: &Arc<Row<T>>) {
    if stored.len() > LARGEST {
        return;
    }
    let mut shard = shard(&key).write();
    if shard.len() >= PER_SHARD {
        shard.clear();
    }
    shard.insert(key.into(), Entry { stored, row: row.clone() });
}
