//! Committed data that is not in the index yet.

use super::log::Position;
use super::memtable::{FrozenMemtable, Memtable, Value};
use std::collections::VecDeque;
use std::sync::Arc;

/// Recent commits. Reads look here first, at the newest memtable before older ones. Write-locked while a group becomes
/// visible.
#[derive(Debug, Default)]
pub(super) struct Memory {
    pub active: Memtable,
    /// Memtables that accept no more writes, oldest first. The transfer of the first one to the index may be in
    /// progress.
    pub frozen: VecDeque<Arc<FrozenMemtable>>,
    /// Number of memtables that were frozen so far.
    pub count: u64,
}

impl Memory {
    /// The most recent write to the key, if it is in memory.
    pub fn get(&self, key: &[u8]) -> Option<&Option<Value>> {
        let frozen = || self.frozen.iter().rev().find_map(|frozen| frozen.table.get(key));
        self.active.get(key).or_else(frozen)
    }

    /// Freezes the active memtable, which contains the log up to a position.
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
