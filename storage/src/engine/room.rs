//! How much is in the database, and how much room that takes.
//!
//! sled rewrites pages when they change, elsewhere in its file, and comes behind with clearing up what it has left:
//! of a store in which much comes and goes, the file holds in time many times what is in it. So what is written and
//! removed is kept account of, by which [`compact`](super::compact) knows when to rewrite everything.

use super::KeyRange;
use super::layout::{self, EPOCH, PIECE, damaged};
use crate::error::Result;
use ::sled::{Batch, Db, IVec};

/// Where the database holds a [`DatabaseSize`]: two numbers of eight bytes, big-endian.
pub(super) const ROOM: &[u8] = &[KeyRange::BEYOND, KeyRange::BEYOND, b'r'];

/// The size of the database, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct DatabaseSize {
    /// Keys and values in it. What a crash takes away between two checkpoints may be missing from the account.
    pub held: u64,
    /// The file when everything had just been rewritten; 0 if it never was.
    pub packed: u64,
}

impl DatabaseSize {
    /// As recorded by the last checkpoint; an older database without a record is counted once.
    pub fn read(db: &Db) -> Result<Self> {
        let Some(note) = db.get(ROOM)? else { return Self::counted(db) };
        let both = note[..].try_into().map_err(|_| damaged(ROOM, "the wrong length"))?;
        let both = u128::from_be_bytes(both);
        Ok(Self { held: (both >> 64) as u64, packed: both as u64 })
    }

    /// Counts everything in it, except the records of the engine itself.
    pub fn counted(db: &Db) -> Result<Self> {
        let mut room = Self::default();
        for pair in db.range(..EPOCH) {
            let (key, stored) = pair?;
            room.add(&key, stored.len());
        }
        Ok(room)
    }

    pub fn encode(self) -> [u8; 16] {
        (u128::from(self.held) << 64 | u128::from(self.packed)).to_be_bytes()
    }

    pub fn add(&mut self, key: &[u8], stored: usize) {
        self.held += (key.len() + stored) as u64;
    }

    pub fn subtract(&mut self, key: &[u8], stored: usize) {
        self.held = self.held.saturating_sub((key.len() + stored) as u64);
    }
}

/// Writes that take place in one moment, and the account after them.
pub(super) struct Change {
    pub batch: Batch,
    pub room: DatabaseSize,
}

impl Change {
    /// A change that starts from the measured `room`.
    pub fn new(room: DatabaseSize) -> Self {
        Self { batch: Batch::default(), room }
    }

    /// Adds the keys of one stored value. What was there before has been [taken](Self::take).
    pub fn store(&mut self, scratch: &mut Vec<u8>, key: &[u8], tag: u8, value: &[u8]) -> Result<()> {
        layout::store(scratch, key, tag, value, |key, stored| {
            self.room.add(key, stored.len());
            self.batch.insert(key, stored);
            Ok(())
        })
    }

    /// Adds the removal of one stored value and of its pieces.
    pub fn take(&mut self, key: &[u8], stored: &IVec) -> Result<()> {
        let len = layout::len_in_pieces(key, stored)?;
        for (number, place) in layout::piece_keys(key, len).enumerate() {
            self.room.subtract(&place, PIECE.min(len - number * PIECE));
            self.batch.remove(place);
        }
        self.room.subtract(key, stored.len());
        self.batch.remove(key);
        Ok(())
    }
}
