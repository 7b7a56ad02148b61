//! The memory of all journals' tails together.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use super::RunJournal;

/// A limit on the durable events that all live runs keep in memory for their readers, next to the limit of each run.
/// Beyond it, journals that had no new event lately are dropped from memory first; their readers go on from disk.
pub(crate) struct TailBudget {
    limit: usize,
    used: AtomicUsize,
    ring: Mutex<Ring>,
}

/// The journals in the order in which they are asked to give memory back.
#[derive(Default)]
struct Ring {
    journals: VecDeque<Weak<RunJournal>>,
    /// Entries from which on those of journals that are gone are taken out.
    tidy_at: usize,
}

impl TailBudget {
    /// A budget of so many bytes.
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

    /// Has journals forget what they have in memory while too much is in use. No tail may be locked by the caller.
    pub(super) fn trim(&self) {
        if self.used() <= self.limit {
            return;
        }
        // A little more than needed, so that not every event that comes goes through the ring.
        let enough = self.limit - self.limit / 10;
        let mut ring = self.ring.lock();
        // Twice: the first time, those with new events are passed over.
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
