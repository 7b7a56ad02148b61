//! A cache of decoded rows, for rows that nearly every request reads and that rarely change.

use crate::record::{Record, Row};
use bytes::Bytes;
use parking_lot::RwLock;
use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

const SHARDS: usize = 16;
/// Maximum number of rows in a shard. Above it, the whole shard is cleared.
const PER_SHARD: usize = 128;
/// Stored size in bytes of the largest row that is cached.
const MAX_BYTES: usize = 8 << 10;

struct Entry {
    /// The stored form that `row` was decoded from.
    stored: Bytes,
    row: Arc<dyn Any + Send + Sync>,
}

/// Entries by key. The key begins with the table and so determines the type. An entry is only valid while the stored
/// form is the same, so writes do not have to remove it.
static DECODED: LazyLock<[RwLock<HashMap<Bytes, Entry>>; SHARDS]> = LazyLock::new(Default::default);

fn shard(key: &[u8]) -> &'static RwLock<HashMap<Bytes, Entry>> {
    // Keys end with an id, whose last byte is random.
    &DECODED[usize::from(key.last().copied().unwrap_or_default()) % SHARDS]
}

/// Returns the row that was decoded from this stored form of a key.
pub(crate) fn find<T: Record>(key: &[u8], stored: &Bytes) -> Option<Arc<Row<T>>> {
    let shard = shard(key).read();
    let entry = shard.get(key).filter(|entry| entry.stored == *stored)?;
    entry.row.clone().downcast().ok()
}

pub(crate) fn insert<T: Record>(key: Vec<u8>, stored: Bytes, row: &Arc<Row<T>>) {
    if stored.len() > MAX_BYTES {
        return;
    }
    let mut shard = shard(&key).write();
    if shard.len() >= PER_SHARD {
        shard.clear();
    }
    shard.insert(key.into(), Entry { stored, row: row.clone() });
}
