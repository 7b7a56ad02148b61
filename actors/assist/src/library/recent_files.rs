//! A cache of the texts of recently read files: an attached file is needed again for every answer.

use std::collections::VecDeque;
use std::sync::Arc;

use knowledge::{Extracted, Hint};
use parking_lot::Mutex;
use storage::{BlobId, TenantId};

/// Maximum total size of the cached texts in bytes.
const ROOM: usize = 8 << 20;

/// Texts by file, least recently used first.
#[derive(Default)]
pub(super) struct RecentFiles(Mutex<VecDeque<Entry>>);

type Key = (TenantId, BlobId, Hint);

struct Entry {
    key: Key,
    text: Arc<Extracted>,
    bytes: usize,
}

impl RecentFiles {
    /// Returns the text of a file. The key includes its name and type, which determine how it is read.
    pub fn find(&self, key: &Key) -> Option<Arc<Extracted>> {
        let mut entries = self.0.lock();
        let at = entries.iter().position(|entry| entry.key == *key)?;
        let entry = entries.remove(at)?;
        let text = entry.text.clone();
        entries.push_back(entry);
        Some(text)
    }

    /// Caches a text if it is not too large.
    pub fn insert(&self, key: Key, text: Arc<Extracted>) {
        let bytes = text.pages.iter().map(|page| page.text.len() + 64).sum();
        if bytes > ROOM / 2 {
            return;
        }
        let mut entries = self.0.lock();
        entries.push_back(Entry { key, text, bytes });
        while entries.iter().map(|entry| entry.bytes).sum::<usize>() > ROOM {
            entries.pop_front();
        }
    }
}
