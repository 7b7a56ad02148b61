//! The memory budget that the tails of all journals share.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use super::RunJournal;

/// A limit on the durable events that all live runs together hold in memory for their readers, in addition to the limit
/// of each run. When the limit is exceeded, journals without recent events are dropped from memory first; their readers
/// continue from disk.
pub(crate) struct TailBudget {
    limit: usize,
    used: AtomicUsize,
    ring: Mutex<Ring>,
}

/// The journals, in the order in which they are asked to release memory.
#[derive(Default)]
struct Ring {
    journals: VecDeque<Weak<RunJournal>>,
    /// Number of entries from which on the entries of dropped journals are removed.
    tidy_at: usize,
}

impl TailBudget {
    /// Creates a budget of `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { limit, used: AtomicUsize::new(0), ring: Mutex::default() }
    }

    /// Bytes in use.
    pub fn used(&self) -> usize {
        self.used.load(Ordering::Acquire)
    }

    pub(super) fn enter(&self, journal: &Arc<RunJournal>) {
        let mut ring = self.ring.lock();
        if ring.journals.len() >= ring.tidy_at {
            ring.journals.retain(|journal| journal.strong_count() > 0);
            ring.tidy_at = 64 + 2 * ring.journals.len();
        }
        ring.journals.push_back(Arc::downgrade(journal));
    }

    pub(super) fn add(&self, bytes: usize) {
        self.used.fetch_add(bytes, Ordering::AcqRel);
    }

    pub(super) fn give_back(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::AcqRel);
    }

    /// Makes journals drop their in-memory events while the limit is exceeded. The caller must not hold the lock of any
    /// tail.
    pub(super) fn trim(&self) {
        if self.used() <= self.limit {
            return;
        }
        // Frees slightly more than necessary, so that not every new event causes a pass over the ring.
        let enough = self.limit - self.limit / 10;
        let mut ring = self.ring.lock();
        // Two passes: the first one skips journals that have new events.
        for _ in 0..2 * ring.journals.len() {
            if self.used() <= enough {
                return;
            }
            let Some(journal) = ring.journals.pop_front() else { return };
            let Some(live) = journal.upgrade() else { continue };
            if live.forget_tail() {
                telemetry::metrics::table::JOURNAL_TAILS_DROPPED.add([], 1);
            }
            ring.journals.push_back(journal);
        }
    }
}
