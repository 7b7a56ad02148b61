//! An index in memory, for tests that open many databases.

use super::{Covered, Entries, Entry, Index};
use crate::engine::memtable::FrozenMemtable;
use crate::engine::{Direction, KeyRange};
use crate::error::Result;
use bytes::Bytes;
use parking_lot::RwLock;
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

/// An index in memory.
#[derive(Default)]
pub(crate) struct MapIndex {
    state: RwLock<(BTreeMap<Bytes, Entry>, Option<Covered>)>,
}

impl MapIndex {
    /// Empties it, as a power loss may.
    pub fn clear(&self) {
        *self.state.write() = Default::default();
    }

    /// A copy, as of files that are copied.
    pub fn copy(&self) -> Self {
        Self { state: RwLock::new(self.state.read().clone()) }
    }
}

impl Index for Arc<MapIndex> {
    fn get(&self, key: &[u8]) -> Result<Option<Entry>> {
        Ok(self.state.read().0.get(key).cloned())
    }

    fn scan(&self, range: &KeyRange, direction: Direction) -> Result<Entries<'_>> {
        let bounds = (Bound::Included(&range.start[..]), Bound::Excluded(&range.end[..]));
        let mut found: Vec<_> = self
            .state
            .read()
            .0
            .range::<[u8], _>(bounds)
            .map(|(key, entry)| Ok((key.clone(), entry.clone())))
            .collect();
        if direction == Direction::Reverse {
            found.reverse();
        }
        Ok(Box::new(found.into_iter()))
    }

    fn apply(&self, memtable: &FrozenMemtable) -> Result<()> {
        let mut state = self.state.write();
        for (key, value) in memtable.table.iter() {
            match value {
                Some(value) => drop(state.0.insert(key.clone(), value.into())),
                None => drop(state.0.remove(key)),
            }
        }
        state.1 = Some(Covered { end: memtable.end, salt: memtable.salt });
        Ok(())
    }

    fn covered(&self) -> Result<Option<Covered>> {
        Ok(self.state.read().1)
    }

    fn live_bytes(&self) -> u64 {
        self.state.read().0.iter().map(|(key, entry)| entry.live_bytes(key)).sum()
    }

    fn tidy(&self, _: &dyn Fn() -> bool) -> Result<()> {
        Ok(())
    }

    fn close(&self) -> Result<()> {
        Ok(())
    }
}
