//! Entry points of the fuzz targets: parsers of what is read back from disk.

use bytes::Bytes;

pub use crate::engine::log::fuzzing::{open as open_log, segment_of};
use crate::journal::Entry;
use crate::{JournalEvent, Result};

/// The events of one journal entry, whose key and value are these bytes.
///
/// # Errors
/// `Corrupt`, if either is not what was written.
pub fn journal_entry(key: &[u8], value: Bytes) -> Result<Vec<JournalEvent>> {
    Entry::open(key, value)?.collect()
}
