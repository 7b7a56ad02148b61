//! Gates at which tests can block the engine.

use parking_lot::{Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Gates at which tests can block the engine.
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

    /// Passed before a memtable is written to the index.
    pub fn apply(&self) -> MutexGuard<'_, ()> {
        self.applies.lock()
    }

    /// Prevents scans from reading the index until the result is dropped.
    pub fn hold_scans(&self) -> RwLockWriteGuard<'_, ()> {
        self.scans.write()
    }

    /// Number of scans that wait because of [`hold_scans`](Self::hold_scans).
    pub fn scans_waiting(&self) -> usize {
        self.waiting.load(Ordering::SeqCst)
    }
}
