//! What was committed lately and is not in the database yet.

use super::{Direction, KeyRange, Op, counters};
use bytes::Bytes;
use std::collections::BTreeMap;
use std::collections::btree_map::Range;
use std::ops::Bound;

/// The newest write of each key, in order; a deletion is a write of nothing.
#[derive(Default)]
pub(super) struct Memtable {
    writes: BTreeMap<Bytes, Option<Bytes>>,
}

impl Memtable {
    pub fn write(&mut self, key: Bytes, value: Option<Bytes>) {
        self.writes.insert(key, value);
    }

    pub fn apply(&mut self, op: Op) {
        match op {
            Op::Put(key, value) => self.write(key, Some(value)),
            Op::Delete(key) => self.write(key, None),
            // Not in logs, which hold the sums; needs what is stored when it is.
            Op::Add(key, by) => {
                let sum = counters::add(self.get(&key).and_then(Option::as_deref), &by);
                self.write(key, Some(sum));
            }
            Op::Raise(key, value) => {
                let greater = counters::greater(self.get(&key).and_then(Option::as_deref), &value);
                self.write(key, Some(greater));
            }
        }
    }

    /// What was written to the key, if anything was.
    pub fn get(&self, key: &[u8]) -> Option<&Option<Bytes>> {
        self.writes.get(key)
    }

    pub fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// All writes in the order of their keys.
    pub fn iter(&self) -> impl Iterator<Item = (&Bytes, &Option<Bytes>)> {
        self.writes.iter()
    }

    /// The writes of a range in an order.
    pub fn range(&self, range: &KeyRange, direction: Direction) -> Writes<'_> {
        let bounds = (Bound::Included(&range.start[..]), Bound::Excluded(&range.end[..]));
        Writes { rest: self.writes.range::<[u8], _>(bounds), direction }
    }
}

pub(super) struct Writes<'a> {
    rest: Range<'a, Bytes, Option<Bytes>>,
    direction: Direction,
}

impl<'a> Iterator for Writes<'a> {
    type Item = (&'a Bytes, &'a Option<Bytes>);
    fn next(&mut self) -> Option<Self::Item> {
        match self.direction {
            Direction::Forward => self.rest.next(),
            Direction::Reverse => self.rest.next_back(),
        }
    }
}
