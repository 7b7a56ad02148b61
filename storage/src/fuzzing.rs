//! Entry points of the fuzz targets: parsers of data that is read back from disk.

use bytes::Bytes;

pub use crate::engine::log::fuzzing::{open as open_log, segment_of};
use crate::journal::entry;
use crate::{JournalEvent, Result};

/// Decodes the events of one journal entry with this key and value.
///
/// # Errors
/// `Corrupt` if either is malformed.
pub fn journal_entry(key: &[u8], value: Bytes) -> Result<Vec<JournalEvent>> {
    entry::decode(key, value)
}
