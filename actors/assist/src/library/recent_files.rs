//! The texts of files that were read lately: an attached file is read again with every answer.

use std::collections::VecDeque;
use std::sync::Arc;

use knowledge::{Extracted, Hint};
use parking_lot::Mutex;
use storage::{BlobId, TenantId};

/// Bytes of text that are kept.
const ROOM: usize = 8 << 20;

/// Texts by their files, the latest last.
#[derive(Default)]
pub(super) struct RecentFiles(Mutex<VecDeque<Entry>>);

type Key = (TenantId, BlobId, Hint);

struct Entry {
    key: Key,
    text: Arc<Extracted>,
    bytes: usize,
}

impl RecentFiles {
    /// The text of a file; its name and type decide on how it is read.
    pub fn find(&self, key: &Key) -> Option<Arc<Extracted>> {
        let mut entries = self.0.lock();
        let at = entries.iter().position(|entry| entry.key == *key)?;
        let entry = entries.remove(at)?;
        let text = entry.text.clone();
        entries.push_back(entry);
        Some(text)
    }

    /// Keeps a text for a while, if it is not too large.
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
