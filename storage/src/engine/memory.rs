//! What is committed and not in the index yet.

use super::log::Position;
use super::memtable::{FrozenMemtable, Memtable, Value};
use std::collections::VecDeque;
use std::sync::Arc;

/// Recent commits: reads look here first, at the newest memtable before older ones. Write-locked while a group becomes
/// visible.
#[derive(Debug, Default)]
pub(super) struct Memory {
    pub active: Memtable,
    /// Those that take no more writes, the oldest first. The first one may be on its way to the index.
    pub frozen: VecDeque<Arc<FrozenMemtable>>,
    /// How many memtables were frozen so far.
    pub count: u64,
}

impl Memory {
    /// What was written to the key, if anything was.
    pub fn get(&self, key: &[u8]) -> Option<&Option<Value>> {
        let frozen = || self.frozen.iter().rev().find_map(|frozen| frozen.table.get(key));
        self.active.get(key).or_else(frozen)
    }

    /// Ends the active memtable, which has all of the log before a position.
    pub fn freeze(&mut self, end: Position, salt: u64) {
        self.count += 1;
        let table = std::mem::take(&mut self.active);
        self.frozen.push_back(Arc::new(FrozenMemtable { table, number: self.count, end, salt }));
    }

    /// Bytes of the memtables that wait for the index.
    pub fn backlog(&self) -> usize {
        self.frozen.iter().map(|frozen| frozen.table.bytes()).sum()
    }
}
