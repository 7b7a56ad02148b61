//! Ordered keys and values with atomic batches: the three operations everything else is made of.
//!
//! Nothing outside this folder knows which engine runs.

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

/// A key; keys sort as bytes.
pub type Key = Bytes;

/// A write of one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// Sets a key, whether it was there or not.
    Put(Key, Bytes),
    /// Removes a key, whether it was there or not.
    Delete(Key),
    /// Adds numbers to those that the key holds; see [`counters`].
    Add(Key, Bytes),
    /// Sets a key unless it holds as much already: bytes are compared as keys are.
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

/// What must hold just before a batch is applied, else the batch is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expect {
    /// The key holds exactly this value.
    Value {
        /// The key to be checked.
        key: Key,
        /// The value it must hold.
        value: Bytes,
    },
    /// The key is not there.
    Absent {
        /// The key to be checked.
        key: Key,
    },
    /// The key holds counters `[added, removed, added, removed]`, or nothing, and the two differences are at
    /// most these.
    AtMost {
        /// The key to be checked.
        key: Key,
        /// The greatest differences.
        most: [u64; 2],
    },
}

/// Writes that take place together or not at all. Within one batch a later write of a key
/// replaces an earlier one, an addition adds to it, and a raise leaves the greater of both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// Preconditions, on what is stored before the batch.
    pub expects: Vec<Expect>,
    /// The writes, in the order in which they are applied.
    pub ops: Vec<Op>,
    /// Key ranges in which nothing may have been created or deleted since they were read. The committer checks them;
    /// engines ignore them.
    pub(crate) reads: Vec<Arc<RangeReads>>,
}

impl Batch {
    /// A batch without writes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a write.
    pub fn put(&mut self, key: impl Into<Key>, value: impl Into<Bytes>) {
        self.ops.push(Op::Put(key.into(), value.into()));
    }

    /// Adds a removal.
    pub fn delete(&mut self, key: impl Into<Key>) {
        self.ops.push(Op::Delete(key.into()));
    }

    /// Adds numbers to those of a key, which need not be there. Every transaction that adds to one key at the same time
    /// does not conflict.
    pub fn add(&mut self, key: impl Into<Key>, numbers: &[u64]) {
        self.ops.push(Op::Add(key.into(), counters::encode(numbers)));
    }

    /// Sets a key unless its value is already at least as large, as bytes are compared: the latest of many times.
    /// Concurrent calls do not conflict.
    pub fn raise(&mut self, key: impl Into<Key>, value: impl Into<Bytes>) {
        self.ops.push(Op::Raise(key.into(), value.into()));
    }

    /// Adds the precondition that `key` holds `value`, or is absent.
    pub fn expect(&mut self, key: impl Into<Key>, value: Option<Bytes>) {
        let key = key.into();
        self.expects.push(match value {
            Some(value) => Expect::Value { key, value },
            None => Expect::Absent { key },
        });
    }

    /// Adds the precondition that the differences `added - removed` of two pairs of counters are at most
    /// these; unlike a value, others may add to the counters at the same time.
    pub fn expect_at_most(&mut self, key: impl Into<Key>, most: [u64; 2]) {
        self.expects.push(Expect::AtMost { key: key.into(), most });
    }

    /// Takes over everything in `other`, after what is here.
    pub fn append(&mut self, mut other: Batch) {
        self.expects.append(&mut other.expects);
        self.ops.append(&mut other.ops);
        self.reads.append(&mut other.reads);
    }

    /// Whether there is nothing to do or to check.
    pub fn is_empty(&self) -> bool {
        self.expects.is_empty() && self.ops.is_empty() && self.reads.is_empty()
    }

    /// Bytes to be written, roughly.
    pub fn size(&self) -> usize {
        let sizes = self.ops.iter().map(|op| match op {
            Op::Put(key, value) | Op::Add(key, value) | Op::Raise(key, value) => key.len() + value.len() + 16,
            Op::Delete(key) => key.len() + 16,
        });
        sizes.sum()
    }
}

/// Which way a scan goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Direction {
    /// From the least key up.
    #[default]
    Forward,
    /// From the greatest key down.
    Reverse,
}

/// Keys from `start`, inclusive, to `end`, exclusive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRange {
    /// The first key, inclusive.
    pub start: Vec<u8>,
    /// The end, exclusive.
    pub end: Vec<u8>,
}

impl KeyRange {
    /// The byte that no key begins with: everything sorts below it.
    pub const BEYOND: u8 = 0xFF;

    /// Every key.
    pub fn all() -> Self {
        Self { start: Vec::new(), end: vec![Self::BEYOND] }
    }

    /// The keys that begin with `prefix`.
    pub fn prefix(prefix: &[u8]) -> Self {
        Self { start: prefix.to_vec(), end: after_prefix(prefix) }
    }

    /// What is left of the range beyond a key in a direction.
    pub fn beyond(mut self, key: &[u8], direction: Direction) -> Self {
        match direction {
            Direction::Forward => self.start = [key, &[0]].concat(),
            Direction::Reverse => self.end = key.to_vec(),
        }
        self
    }

    /// Whether no key can be in the range.
    pub fn is_empty(&self) -> bool {
        self.start >= self.end
    }
}

/// The least key greater than every key that begins with `prefix`.
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
    /// Keys with their values; none does not mean that the range has no more.
    pub pairs: Vec<(Bytes, Bytes)>,
    /// What is left of the range; `None` at its end.
    pub rest: Option<KeyRange>,
}

/// An ordered key-value store. Keys never begin with [`KeyRange::BEYOND`]; the engine may use
/// those for itself. Reads show only what is durable: nothing that a crash can un-say.
pub trait Engine: Send + Sync + 'static {
    /// The value of a key.
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>>;

    /// Up to `limit` keys of `range` with their values, in the order of `direction`. What one
    /// call returns is of one moment: it shows a batch wholly or not at all.
    fn scan(&self, range: KeyRange, direction: Direction, limit: usize) -> Result<Vec<(Bytes, Bytes)>>;

    /// As [`scan`](Self::scan), and no more than about so many bytes: a part of the range, of one moment, and what is left
    /// of the range after it.
    fn chunk(&self, range: KeyRange, direction: Direction, limit: usize, bytes: usize) -> Result<Chunk> {
        let _ = bytes;
        let pairs = self.scan(range.clone(), direction, limit)?;
        let rest = match pairs.last() {
            Some((last, _)) if pairs.len() == limit => Some(range.beyond(last, direction)),
            _ => None,
        };
        Ok(Chunk { pairs, rest })
    }

    /// Commits a group of batches, in their order: each atomic, with a verdict of its own, and
    /// all durable on return. `Err(Conflict)` when a precondition fails, in view of the batches
    /// before it. One caller at a time. Any other error is final: the engine must be reopened.
    ///
    /// An empty group says that nothing is to be done for now: time for the engine's own chores.
    /// It has a verdict only if they fail.
    fn commit(&self, group: &[Batch]) -> Vec<Result<()>>;

    /// Whether a commit may have to wait now, until the engine has caught up with earlier ones.
    fn is_behind(&self) -> bool {
        false
    }

    /// Reads everything that is stored as far as that has checksums. Returns a sentence for each damaged place.
    fn verify(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    /// How far the engine is behind with what it does for earlier commits in the background.
    fn status(&self) -> EngineStatus {
        EngineStatus::default()
    }
}
