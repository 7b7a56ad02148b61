//! Limits how far sled may be ahead of its file.
//!
//! sled writes with a few threads of its own, each of which takes a lock at the end. When a file has just become
//! shorter, a thread that needs space at its end waits, while holding this lock, until the file system has been
//! informed of that by one of the same threads. If all of these threads are writing by then, none can continue (sled
//! 0.34.7, `SegmentAccountant::bump_tip`). sled therefore has to flush before more data is pending than some of its
//! threads can write. How much data a write causes depends on the data stored next to it, so the amount is measured,
//! for each table separately.

use crate::error::Result;
use ::sled::Db;

/// Bytes to be written to the file at a time: as many as one thread of sled takes at once.
const BUFFER: usize = 512 << 10;
/// Bytes of values after which the file has to be flushed, however few bytes that writes.
const MAX_UNFLUSHED: usize = 128 << 10;
/// Number of writes before the file has to be flushed: initially, and at most.
const FIRST: usize = 16;
const MAX_WRITES: usize = 4_096;

/// The table of a key: its first two bytes.
pub(in crate::engine) fn table_of(key: &[u8]) -> [u8; 2] {
    [key.first().copied().unwrap_or_default(), key.get(1).copied().unwrap_or_default()]
}

#[derive(Debug)]
pub(super) struct Pace {
    table: [u8; 2],
    /// Number and bytes of the writes since the last flush.
    writes: usize,
    bytes: usize,
    /// Number of writes until the next flush.
    every: usize,
}

impl Default for Pace {
    fn default() -> Self {
        Self { table: [0; 2], writes: 0, bytes: 0, every: FIRST }
    }
}

impl Pace {
    /// Called before each write. Flushes the file if enough was written.
    pub fn before_write(&mut self, db: &Db, key: &[u8], bytes: usize) -> Result<()> {
        let is_other = self.table != table_of(key);
        if is_other {
            (self.table, self.every) = (table_of(key), self.every.clamp(FIRST, MAX_WRITES / 8));
        }
        self.writes += 1;
        self.bytes += bytes;
        if self.writes <= self.every && self.bytes <= MAX_UNFLUSHED {
            return Ok(());
        }
        let written = db.flush()?;
        (self.writes, self.bytes) = (1, bytes);
        if written > BUFFER {
            self.every = (self.every / 2).max(1);
        } else if written < BUFFER / 4 && !is_other {
            self.every = (self.every * 2).min(MAX_WRITES);
        }
        Ok(())
    }
}
