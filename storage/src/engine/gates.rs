//! Where tests hold the engine up.

use parking_lot::{Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Where tests hold the engine up.
#[derive(Default)]
pub(in crate::engine) struct Gates {
    scans: RwLock<()>,
    waiting: AtomicUsize,
    applies: Mutex<()>,
}

impl Gates {
    /// Passed by each scan before it reads the index.
    pub fn scan(&self) -> RwLockReadGuard<'_, ()> {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let passed = self.scans.read();
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        passed
    }

    /// Passed before a memtable is brought to the index.
    pub fn apply(&self) -> MutexGuard<'_, ()> {
        self.applies.lock()
    }

    /// Keeps scans from reading the index as long as the result lives.
    pub fn hold_scans(&self) -> RwLockWriteGuard<'_, ()> {
        self.scans.write()
    }

    /// How many scans wait for what [`hold_scans`](Self::hold_scans) holds.
    pub fn scans_waiting(&self) -> usize {
        self.waiting.load(Ordering::SeqCst)
    }
}
