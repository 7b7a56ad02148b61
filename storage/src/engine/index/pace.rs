//! How far sled may be ahead of its file.
//!
//! sled writes by a few threads of its own, each of which takes one lock at the end. A thread that needs space at the end of
//! a file that has just become shorter waits, with this lock, until the file system was informed of that, by one of the
//! same threads. If all of them are writing by then, none can go on (sled 0.34.7, `SegmentAccountant::bump_tip`). So sled
//! has to flush before more is on its way than some of its threads can write. How much a write comes to depends on what is
//! stored beside it, so the amount is measured, for each table separately.

use crate::error::Result;
use ::sled::Db;

/// Bytes to be written to the file at a time: as many as one of sled's threads takes at once.
const BUFFER: usize = 512 << 10;
/// Bytes of values after which the file has to be flushed, however little that is in it.
const AHEAD: usize = 128 << 10;
/// Writes before the file has to be flushed: at first, and at most.
const FIRST: usize = 16;
const MOST: usize = 4_096;

/// The table of a key: its first two bytes.
pub(in crate::engine) fn table_of(key: &[u8]) -> [u8; 2] {
    [key.first().copied().unwrap_or_default(), key.get(1).copied().unwrap_or_default()]
}

#[derive(Debug)]
pub(super) struct Pace {
    table: [u8; 2],
    /// Writes, and bytes of them, since the last flush.
    writes: usize,
    bytes: usize,
    /// Writes until the next one.
    every: usize,
}

impl Default for Pace {
    fn default() -> Self {
        Self { table: [0; 2], writes: 0, bytes: 0, every: FIRST }
    }
}

impl Pace {
    /// To be called before each write: flushes the file if enough was written.
    pub fn before_write(&mut self, db: &Db, key: &[u8], bytes: usize) -> Result<()> {
        let is_other = self.table != table_of(key);
        if is_other {
            (self.table, self.every) = (table_of(key), self.every.clamp(FIRST, MOST / 8));
        }
        self.writes += 1;
        self.bytes += bytes;
        if self.writes <= self.every && self.bytes <= AHEAD {
            return Ok(());
        }
        let written = db.flush()?;
        (self.writes, self.bytes) = (1, bytes);
        if written > BUFFER {
            self.every = (self.every / 2).max(1);
        } else if written < BUFFER / 4 && !is_other {
            self.every = (self.every * 2).min(MOST);
        }
        Ok(())
    }
}
