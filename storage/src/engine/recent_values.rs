//! Values that were read from the index lately.
//!
//! Each request reads the same few rows: a token, a user, a tenant and its settings. Once they have left the memtables, a
//! read of one is a search in sled and a read of a file.

use bytes::Bytes;
use lru::LruCache;
use parking_lot::Mutex;
use std::hash::{BuildHasher, RandomState};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};

/// Parts with a lock each.
const SHARDS: usize = 8;
/// Keys in a part, at most.
const KEYS: NonZeroUsize = NonZeroUsize::MIN.saturating_add(255);
/// Bytes of the longest value that is stored: 8 MiB for all parts together at most.
const VALUE: usize = 4 << 10;
/// Keys of a part of which it is known that they were read once.
const READ_ONCE: usize = 512;

/// A moment in the life of the index, as far as it changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment(u64);

struct Shard {
    /// `None` for a key that holds nothing.
    values: LruCache<Bytes, Option<Bytes>>,
    /// Hashes of keys that were read once. Most are never read again, and are not to displace others.
    read_once: Box<[u64; READ_ONCE]>,
}

/// Values that were read from the index more than once, those read last. Never shows a value that the index does not hold any
/// more: what is written stays in the memtables, where reads look first, until [`forget`](Self::forget) was called for it.
pub(super) struct RecentValues {
    hasher: RandomState,
    shards: [Mutex<Shard>; SHARDS],
    changes: AtomicU64,
}

impl Default for RecentValues {
    fn default() -> Self {
        let shard = |_| Shard { values: LruCache::new(KEYS), read_once: Box::new([0; READ_ONCE]) };
        Self {
            hasher: RandomState::new(),
            shards: std::array::from_fn(|at| Mutex::new(shard(at))),
            changes: AtomicU64::new(0),
        }
    }
}

impl RecentValues {
    /// The moment before a read. To be taken before the memtables are looked at.
    pub fn moment(&self) -> Moment {
        Moment(self.changes.load(Ordering::SeqCst))
    }

    /// What a key holds, if that is stored: `Some(None)` where it holds nothing.
    pub fn get(&self, key: &[u8]) -> Option<Option<Bytes>> {
        self.shard(self.hash(key)).lock().values.get(key).cloned()
    }

    /// Notes what was read of a key in the index, unless the index has changed since `moment`.
    pub fn insert(&self, key: &[u8], value: &Option<Bytes>, moment: Moment) {
        if value.as_ref().is_some_and(|value| value.len() > VALUE) {
            return;
        }
        let hash = self.hash(key);
        let mut shard = self.shard(hash).lock();
        // Beside the lock, so that `forget` comes after this or is seen by it.
        if self.moment() != moment {
            return;
        }
        let before = &mut shard.read_once[hash as usize / SHARDS % READ_ONCE];
        if std::mem::replace(before, hash) != hash {
            return;
        }
        // Not a part of a larger buffer, which would stay in memory with it.
        let value = value.as_deref().map(Bytes::copy_from_slice);
        shard.values.put(Bytes::copy_from_slice(key), value);
    }

    /// Drops what the index has been given new values of, after that and before the memtable with them is.
    pub fn forget<'k>(&self, keys: impl Iterator<Item = &'k Bytes>) {
        self.changes.fetch_add(1, Ordering::SeqCst);
        for key in keys {
            self.shard(self.hash(key)).lock().values.pop(&key[..]);
        }
    }

    fn hash(&self, key: &[u8]) -> u64 {
        self.hasher.hash_one(key)
    }

    fn shard(&self, hash: u64) -> &Mutex<Shard> {
        &self.shards[hash as usize % SHARDS]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &'static str) -> Option<Bytes> {
        Some(Bytes::from_static(text.as_bytes()))
    }

    #[test]
    fn what_is_read_twice_is_stored() {
        let recent = RecentValues::default();
        let moment = recent.moment();
        recent.insert(b"a", &value("1"), moment);
        assert_eq!(recent.get(b"a"), None);
        recent.insert(b"a", &value("1"), moment);
        assert_eq!(recent.get(b"a"), Some(value("1")));
        recent.insert(b"nothing", &None, moment);
        recent.insert(b"nothing", &None, moment);
        assert_eq!(recent.get(b"nothing"), Some(None));
        let long = Some(Bytes::from(vec![0; VALUE + 1]));
        recent.insert(b"long", &long, moment);
        recent.insert(b"long", &long, moment);
        assert_eq!(recent.get(b"long"), None);
    }

    #[test]
    fn what_was_read_before_a_change_is_not_stored() {
        let recent = RecentValues::default();
        let moment = recent.moment();
        recent.insert(b"a", &value("1"), moment);
        recent.insert(b"a", &value("1"), moment);
        recent.insert(b"b", &value("1"), moment);
        recent.forget([Bytes::from_static(b"a")].iter());
        assert_eq!(recent.get(b"a"), None);
        recent.insert(b"a", &value("1"), moment);
        recent.insert(b"b", &value("1"), moment);
        assert_eq!((recent.get(b"a"), recent.get(b"b")), (None, None));
    }

    #[test]
    fn there_is_a_limit() {
        let recent = RecentValues::default();
        let moment = recent.moment();
        for at in 0..SHARDS * KEYS.get() * 4 {
            let key = at.to_be_bytes();
            recent.insert(&key, &None, moment);
            recent.insert(&key, &None, moment);
        }
        let stored: usize = recent.shards.iter().map(|shard| shard.lock().values.len()).sum();
        assert_eq!(stored, SHARDS * KEYS.get());
    }
}
