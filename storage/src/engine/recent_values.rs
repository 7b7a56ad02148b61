//! A cache of values that were recently read from the index.
//!
//! Each request reads the same few rows: a token, a user, a tenant and its settings. Once they have left the memtables,
//! a read of one of them takes a search in sled and a read of a file.

use bytes::Bytes;
use lru::LruCache;
use parking_lot::Mutex;
use std::hash::{BuildHasher, RandomState};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};

/// Number of parts, each with its own lock.
const SHARDS: usize = 8;
/// Maximum number of keys in a part.
const KEYS: NonZeroUsize = NonZeroUsize::MIN.saturating_add(255);
/// Length in bytes of the longest value that is cached: at most 8 MiB for all parts together.
const VALUE: usize = 4 << 10;
/// Number of keys of a part that are known to have been read once.
const READ_ONCE: usize = 512;

/// A moment in the sequence of changes of the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment(u64);

struct Shard {
    /// `None` for a key without a value.
    values: LruCache<Bytes, Option<Bytes>>,
    /// Hashes of keys that were read once. Most of them are never read again, and must not displace others.
    read_once: Box<[u64; READ_ONCE]>,
}

/// The most recently read of the values that were read from the index more than once. Never returns a value that the
/// index no longer has: writes stay in the memtables, which reads consult first, until [`forget`](Self::forget) was
/// called for them.
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
    /// The moment before a read. Call this before the memtables are read.
    pub fn moment(&self) -> Moment {
        Moment(self.changes.load(Ordering::SeqCst))
    }

    /// The cached value of a key, if there is one: `Some(None)` if the key has no value.
    pub fn get(&self, key: &[u8]) -> Option<Option<Bytes>> {
        self.shard(self.hash(key)).lock().values.get(key).cloned()
    }

    /// Caches the value that was read from the index, unless the index has changed since `moment`.
    pub fn insert(&self, key: &[u8], value: &Option<Bytes>, moment: Moment) {
        if value.as_ref().is_some_and(|value| value.len() > VALUE) {
            return;
        }
        let hash = self.hash(key);
        let mut shard = self.shard(hash).lock();
        // While the lock is held, so that `forget` either runs later or its change is seen here.
        if self.moment() != moment {
            return;
        }
        let before = &mut shard.read_once[hash as usize / SHARDS % READ_ONCE];
        if std::mem::replace(before, hash) != hash {
            return;
        }
        // Copied, so that a larger buffer does not stay in memory with it.
        let value = value.as_deref().map(Bytes::copy_from_slice);
        shard.values.put(Bytes::copy_from_slice(key), value);
    }

    /// Removes the keys to which the index was given new values. Call this after the index has changed and before the
    /// memtable with these values is removed.
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
    fn recent_values_caches_a_value_at_the_second_read() {
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
    fn recent_values_ignores_values_read_before_a_change() {
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
    fn recent_values_is_bounded() {
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
