//! Gives readers of an unloaded run its new journal once the run is loaded.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::sync::futures::OwnedNotified;
use uuid::Uuid;

use super::{Journals, RunJournal};

/// The journals of loaded runs, and the readers that wait for one. An unloaded run has an entry only while it has
/// readers.
#[derive(Default)]
pub(super) struct LoadedJournals(Mutex<HashMap<Uuid, Entry>>);

#[derive(Default)]
struct Entry {
    journal: Weak<RunJournal>,
    loaded: Arc<Notify>,
    /// Number of readers that hold a [`LoadWait`].
    readers: usize,
}

impl LoadedJournals {
    /// Passes the journal of a loaded run to the readers that wait for it.
    pub fn announce(&self, journal: &Arc<RunJournal>) {
        let mut entries = self.0.lock();
        let entry = entries.entry(journal.run).or_default();
        entry.journal = Arc::downgrade(journal);
        entry.loaded.notify_waiters();
    }

    /// Removes a journal that was dropped.
    pub fn forget(&self, run: Uuid, journal: &Weak<RunJournal>) {
        let mut entries = self.0.lock();
        let Some(entry) = entries.get_mut(&run).filter(|entry| entry.journal.ptr_eq(journal)) else { return };
        entry.journal = Weak::new();
        if entry.readers == 0 {
            entries.remove(&run);
        }
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.0.lock().len()
    }
}

/// A reader that waits until an unloaded run is loaded.
pub(super) struct LoadWait {
    journals: Arc<Journals>,
    run: Uuid,
    loaded: Arc<Notify>,
}

impl LoadWait {
    pub fn new(journals: Arc<Journals>, run: Uuid) -> Self {
        let loaded = {
            let mut entries = journals.loaded.0.lock();
            let entry = entries.entry(run).or_default();
            entry.readers += 1;
            entry.loaded.clone()
        };
        Self { journals, run, loaded }
    }

    /// Becomes ready when the run is loaded after this call.
    pub fn loaded(&self) -> OwnedNotified {
        self.loaded.clone().notified_owned()
    }

    /// The journal of the run, if it is loaded.
    pub fn journal(&self) -> Option<Arc<RunJournal>> {
        let journal = self.journals.loaded.0.lock().get(&self.run)?.journal.upgrade();
        journal.filter(|journal| !journal.mark().unloaded)
    }
}

impl Drop for LoadWait {
    fn drop(&mut self) {
        let mut entries = self.journals.loaded.0.lock();
        let Some(entry) = entries.get_mut(&self.run) else { return };
        entry.readers -= 1;
        if entry.readers == 0 && entry.journal.strong_count() == 0 {
            entries.remove(&self.run);
        }
    }
}
