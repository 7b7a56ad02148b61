//! The index: which key has its value where in the log. It is derived from the log and can be rebuilt from it.

mod block;
#[cfg(test)]
mod map;
mod pace;
mod rewrite;
mod sled;

pub(super) use pace::table_of;
pub(super) use rewrite::wait_until_released;
pub(super) use sled::open_db;

use super::log::{Place, Position};
use super::memtable::FrozenMemtable;
use super::options::EngineOptions;
use super::{Direction, KeyRange};
use crate::error::Result;
use bytes::Bytes;
use std::path::Path;

/// What the index has for a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// The value itself.
    Inline(Bytes),
    /// Where it is in the log, and its length in bytes.
    At(Place, u32),
}

/// Which part of the log an index covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Covered {
    /// Behind the last record that is in it.
    pub end: Position,
    /// The salt of the segment of `end`, by which an index of another log is told.
    pub salt: u64,
}

/// Entries in the order of their keys.
pub(super) type Entries<'a> = Box<dyn Iterator<Item = Result<(Bytes, Entry)>> + 'a>;

/// An ordered map of keys to entries. One thread writes; any number read. What was applied outlives the process, in
/// the order in which it was applied; a power loss may destroy all of it.
pub(super) trait Index: Send + Sync {
    fn get(&self, key: &[u8]) -> Result<Option<Entry>>;

    /// The entries of a range. While the result lives, [`apply`](Self::apply) may be held up.
    fn scan(&self, range: &KeyRange, direction: Direction) -> Result<Entries<'_>>;

    /// Brings the writes of a memtable to the index. Every part of it may be visible before it returns.
    fn apply(&self, memtable: &FrozenMemtable) -> Result<()>;

    /// What the last complete [`apply`](Self::apply) covered; `None` for an index that is new.
    fn covered(&self) -> Result<Option<Covered>>;

    /// Bytes of the log that the entries refer to or repeat, roughly.
    fn live_bytes(&self) -> u64;

    /// Frees space that its files hold and do not use, if that is due. Returns early when `proceed` returns false.
    fn tidy(&self, proceed: &dyn Fn() -> bool) -> Result<()>;

    /// Closes it, and makes all of it durable.
    fn close(&self) -> Result<()>;
}

/// Which index there is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum IndexKind {
    /// sled, in a directory beside the log.
    Sled,
    /// A map in one file.
    #[cfg(test)]
    Map,
}

/// Opens the index in `dir`, or makes one.
///
/// # Errors
/// `Corrupt` where it cannot be used; it can be removed and rebuilt.
pub(super) fn open(dir: &Path, options: &EngineOptions) -> Result<Box<dyn Index>> {
    match &options.index {
        IndexKind::Sled => Ok(Box::new(sled::SledIndex::open(dir, options)?)),
        #[cfg(test)]
        IndexKind::Map => Ok(Box::new(map::MapIndex::open(&options.files, dir)?)),
    }
}

/// Removes the index in `dir`.
pub(super) fn remove(dir: &Path, options: &EngineOptions) -> Result<()> {
    match &options.index {
        IndexKind::Sled => rewrite::remove_with_rest(&*options.files, dir),
        #[cfg(test)]
        IndexKind::Map => Ok(crate::files::remove_all(&*options.files, dir)?),
    }
}
