//! Ordered keys and values with atomic batches: the operations on which all other storage is built.
//!
//! Code outside this module does not depend on a particular engine.

mod aside;
mod barrier;
mod checkpoint;
mod cleaner;
pub(crate) mod counters;
#[cfg(test)]
mod gates;
pub(crate) mod index;
mod legacy;
pub(crate) mod log;
mod log_engine;
mod memory;
mod memtable;
mod open;
mod options;
pub(crate) mod range_reads;
mod recent_values;
mod salvage;
mod scan;
mod shared;
mod state;
mod swap;
mod varint;

pub use self::log_engine::LogEngine;
pub use self::open::PowerLoss;
#[cfg(test)]
pub(crate) use self::options::boot_id;
pub use self::options::{EngineOptions, Packed};
use self::range_reads::RangeReads;
pub use self::salvage::{Loss, Salvaged};
pub use self::shared::EngineStatus;

use crate::error::Result;
use bytes::Bytes;
use std::sync::Arc;

/// A key. Keys are ordered bytewise.
pub type Key = Bytes;

/// A write of one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// Sets the value of a key, whether or not the key exists.
    Put(Key, Bytes),
    /// Removes a key, whether or not it exists.
    Delete(Key),
    /// Adds numbers to the counters of a key; see [`counters`].
    Add(Key, Bytes),
    /// Sets the value of a key unless the stored value is at least as large. Values are compared bytewise.
    Raise(Key, Bytes),
}

impl Op {
    /// The key that is written.
    pub fn key(&self) -> &Key {
        match self {
            Self::Put(key, _) | Self::Add(key, _) | Self::Raise(key, _) | Self::Delete(key) => key,
        }
    }
}

/// A precondition of a batch. If it is not met just before the batch is applied, the batch is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expect {
    /// The key has exactly this value.
    Value {
        /// The key to check.
        key: Key,
        /// The required value.
        value: Bytes,
    },
    /// The key does not exist.
    Absent {
        /// The key to check.
        key: Key,
    },
    /// The value of the key is a list of counters `[added, removed, added, removed]`, or the key does not exist, and
    /// the two differences are at most `most`.
    AtMost {
        /// The key to check.
        key: Key,
        /// The maximum differences.
        most: [u64; 2],
    },
}

/// Writes that take place together or not at all. Within one batch, a later write of a key replaces an earlier one, an
/// addition is added to it, and a raise keeps the greater of the two values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// Preconditions on the data stored before the batch.
    pub expects: Vec<Expect>,
    /// The writes, in the order in which they are applied.
    pub ops: Vec<Op>,
    /// Key ranges in which no key may have been created or deleted since they were read. The committer checks them;
    /// engines ignore them.
    pub(crate) reads: Vec<Arc<RangeReads>>,
}

impl Batch {
    /// Creates a batch without writes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a write of a key.
    pub fn put(&mut self, key: impl Into<Key>, value: impl Into<Bytes>) {
        self.ops.push(Op::Put(key.into(), value.into()));
    }

    /// Adds the removal of a key.
    pub fn delete(&mut self, key: impl Into<Key>) {
        self.ops.push(Op::Delete(key.into()));
    }

    /// Adds numbers to the counters of a key, which need not exist. Concurrent additions to one key do not conflict.
    pub fn add(&mut self, key: impl Into<Key>, numbers: &[u64]) {
        self.ops.push(Op::Add(key.into(), counters::encode(numbers)));
    }

    /// Sets a key unless its value is already at least as large in bytewise order. Used to store the latest of several
    /// times. Concurrent calls do not conflict.
    pub fn raise(&mut self, key: impl Into<Key>, value: impl Into<Bytes>) {
        self.ops.push(Op::Raise(key.into(), value.into()));
    }

    /// Adds the precondition that `key` has `value`, or does not exist.
    pub fn expect(&mut self, key: impl Into<Key>, value: Option<Bytes>) {
        let key = key.into();
        self.expects.push(match value {
            Some(value) => Expect::Value { key, value },
            None => Expect::Absent { key },
        });
    }

    /// Adds the precondition that the differences `added - removed` of two pairs of counters are at most `most`. Unlike
    /// with [`expect`](Self::expect), others may add to the counters concurrently.
    pub fn expect_at_most(&mut self, key: impl Into<Key>, most: [u64; 2]) {
        self.expects.push(Expect::AtMost { key: key.into(), most });
    }

    /// Appends the preconditions and writes of `other`.
    pub fn append(&mut self, mut other: Batch) {
        self.expects.append(&mut other.expects);
        self.ops.append(&mut other.ops);
        self.reads.append(&mut other.reads);
    }

    /// Whether the batch has no writes and no preconditions.
    pub fn is_empty(&self) -> bool {
        self.expects.is_empty() && self.ops.is_empty() && self.reads.is_empty()
    }

    /// Approximate number of bytes that the batch writes.
    pub fn size(&self) -> usize {
        let sizes = self.ops.iter().map(|op| match op {
            Op::Put(key, value) | Op::Add(key, value) | Op::Raise(key, value) => key.len() + value.len() + 16,
            Op::Delete(key) => key.len() + 16,
        });
        sizes.sum()
    }
}

/// The direction of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Direction {
    /// In ascending order of keys.
    #[default]
    Forward,
    /// In descending order of keys.
    Reverse,
}

/// The keys from `start`, inclusive, to `end`, exclusive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRange {
    /// The first key, inclusive.
    pub start: Vec<u8>,
    /// The end, exclusive.
    pub end: Vec<u8>,
}

impl KeyRange {
    /// The byte that no key begins with. Every key sorts below it.
    pub const BEYOND: u8 = 0xFF;

    /// The range that contains every key.
    pub fn all() -> Self {
        Self { start: Vec::new(), end: vec![Self::BEYOND] }
    }

    /// The keys that begin with `prefix`.
    pub fn prefix(prefix: &[u8]) -> Self {
        Self { start: prefix.to_vec(), end: after_prefix(prefix) }
    }

    /// The rest of the range after a key in a direction.
    pub fn beyond(mut self, key: &[u8], direction: Direction) -> Self {
        match direction {
            Direction::Forward => self.start = [key, &[0]].concat(),
            Direction::Reverse => self.end = key.to_vec(),
        }
        self
    }

    /// Whether the range can contain no key.
    pub fn is_empty(&self) -> bool {
        self.start >= self.end
    }
}

/// The smallest key greater than every key that begins with `prefix`.
pub fn after_prefix(prefix: &[u8]) -> Vec<u8> {
    let mut end = prefix.to_vec();
    while let Some(last) = end.pop() {
        if last < 0xFF {
            end.push(last + 1);
            return end;
        }
    }
    vec![KeyRange::BEYOND]
}

/// A part of a scan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chunk {
    /// Keys with their values. An empty list does not mean that the range has no more keys.
    pub pairs: Vec<(Bytes, Bytes)>,
    /// The rest of the range; `None` at its end.
    pub rest: Option<KeyRange>,
}

/// An ordered key-value store. Keys never begin with [`KeyRange::BEYOND`], because the engine may use such keys
/// internally. Reads only return durable data, which a crash cannot undo.
pub trait Engine: Send + Sync + 'static {
    /// Returns the value of a key.
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>>;

    /// Returns up to `limit` keys of `range` with their values, in the order of `direction`. The result is a consistent
    /// snapshot: it contains all writes of a batch or none.
    fn scan(&self, range: KeyRange, direction: Direction, limit: usize) -> Result<Vec<(Bytes, Bytes)>>;

    /// Like [`scan`](Self::scan), but limited to approximately `bytes` bytes. Returns a consistent part of the range
    /// and the rest of the range after it.
    fn chunk(&self, range: KeyRange, direction: Direction, limit: usize, bytes: usize) -> Result<Chunk> {
        let _ = bytes;
        let pairs = self.scan(range.clone(), direction, limit)?;
        let rest = match pairs.last() {
            Some((last, _)) if pairs.len() == limit => Some(range.beyond(last, direction)),
            _ => None,
        };
        Ok(Chunk { pairs, rest })
    }

    /// Commits a group of batches in order. Each batch is atomic and has its own result, and all are durable on return.
    /// `Err(Conflict)` if a precondition fails, taking the batches before it into account. Only one caller at a time
    /// may call this. Any other error is final: the engine must be reopened.
    ///
    /// An empty group signals that there is no work, so the engine can do its own maintenance. The result is empty
    /// unless the maintenance fails.
    fn commit(&self, group: &[Batch]) -> Vec<Result<()>>;

    /// Whether a commit may have to wait now, until the engine has caught up with earlier commits.
    fn is_behind(&self) -> bool {
        false
    }

    /// Makes everything durable that was committed before, whatever the durability of commits.
    fn sync(&self) -> Result<()> {
        Ok(())
    }

    /// Verifies all stored data that has checksums. Returns a sentence for each damaged place.
    fn verify(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    /// How far the engine's background work lags behind the commits.
    fn status(&self) -> EngineStatus {
        EngineStatus::default()
    }
}
