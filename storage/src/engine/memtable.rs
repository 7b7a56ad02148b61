//! Recent commits that are not in the index yet.

use super::log::{Place, Position};
use super::{Direction, KeyRange};
use bytes::Bytes;
use std::collections::BTreeMap;
use std::collections::btree_map::Range;
use std::ops::Bound;

/// Length in bytes of the longest value that is held in memory as well as in the log.
const VALUE: usize = 1 << 10;
/// Approximate size in bytes of an entry in addition to its key and value.
const ENTRY: usize = 96;

/// A value in the log.
#[derive(Clone, Debug)]
pub(super) struct Value {
    /// Its location in the log.
    pub place: Place,
    /// The length in bytes.
    pub len: u32,
    /// The value itself, if it is short.
    pub bytes: Option<Bytes>,
}

/// The newest write of each key, in key order; `None` is a deletion.
#[derive(Debug, Default)]
pub(super) struct Memtable {
    writes: BTreeMap<Bytes, Option<Value>>,
    bytes: usize,
}

impl Memtable {
    /// Adds a write. Key and value must not reference larger buffers.
    pub fn write(&mut self, key: Bytes, value: Option<Value>) {
        let size = |value: &Option<Value>| {
            value.as_ref().and_then(|value| value.bytes.as_ref()).map_or(0, Bytes::len)
        };
        let (added, len) = (size(&value), key.len());
        match self.writes.insert(key, value) {
            Some(before) => self.bytes = self.bytes + added - size(&before),
            None => self.bytes += len + added + ENTRY,
        }
    }

    /// The write to the key, if there is one.
    pub fn get(&self, key: &[u8]) -> Option<&Option<Value>> {
        self.writes.get(key)
    }

    pub fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// Approximate size in memory, in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// All writes in key order.
    pub fn iter(&self) -> impl Iterator<Item = (&Bytes, &Option<Value>)> {
        self.writes.iter()
    }

    /// The writes of a range in a direction.
    pub fn range(&self, range: &KeyRange, direction: Direction) -> Writes<'_> {
        let bounds = (Bound::Included(&range.start[..]), Bound::Excluded(&range.end[..]));
        Writes { rest: self.writes.range::<[u8], _>(bounds), direction }
    }
}

impl Value {
    /// Creates a value with its bytes, which are omitted if they are long.
    pub fn new(place: Place, bytes: Bytes) -> Self {
        let len = bytes.len() as u32;
        Self { place, len, bytes: (bytes.len() <= VALUE).then_some(bytes) }
    }
}

pub(super) struct Writes<'a> {
    rest: Range<'a, Bytes, Option<Value>>,
    direction: Direction,
}

impl<'a> Iterator for Writes<'a> {
    type Item = (&'a Bytes, &'a Option<Value>);
    fn next(&mut self) -> Option<Self::Item> {
        match self.direction {
            Direction::Forward => self.rest.next(),
            Direction::Reverse => self.rest.next_back(),
        }
    }
}

/// A memtable that accepts no more writes. Together with earlier ones, it contains the whole log up to a position.
#[derive(Debug)]
pub(super) struct FrozenMemtable {
    pub table: Memtable,
    /// Memtables are numbered from 1.
    pub number: u64,
    /// The position after the last record that is in it.
    pub end: Position,
    /// The salt of the segment of `end`.
    pub salt: u64,
}
