//! The index, which maps each key to the location of its value in the log. It is derived from the log and can be
//! rebuilt from it.

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

/// The entry of a key in the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// The value itself.
    Inline(Bytes),
    /// Its location in the log, and its length in bytes.
    At(Place, u32),
}

/// The part of the log that an index covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Covered {
    /// The position after the last record that is in the index.
    pub end: Position,
    /// The salt of the segment of `end`, which identifies an index of another log.
    pub salt: u64,
}

/// Entries in key order.
pub(super) type Entries<'a> = Box<dyn Iterator<Item = Result<(Bytes, Entry)>> + 'a>;

/// An ordered map of keys to entries, with one writing thread and any number of readers. Applied changes survive the
/// end of the process, in the order in which they were applied. A power loss may destroy all of them.
pub(super) trait Index: Send + Sync {
    fn get(&self, key: &[u8]) -> Result<Option<Entry>>;

    /// Iterates over the entries of a range. [`apply`](Self::apply) may block until the result is dropped.
    fn scan(&self, range: &KeyRange, direction: Direction) -> Result<Entries<'_>>;

    /// Writes the content of a memtable to the index. Parts of it may be visible before the call returns.
    fn apply(&self, memtable: &FrozenMemtable) -> Result<()>;

    /// The part of the log that the last complete [`apply`](Self::apply) covered; `None` for a new index.
    fn covered(&self) -> Result<Option<Covered>>;

    /// Approximate number of bytes of the log that the entries refer to or duplicate.
    fn live_bytes(&self) -> u64;

    /// Frees unused space in its files, if that is due. Returns early when `proceed` returns false.
    fn tidy(&self, proceed: &dyn Fn() -> bool) -> Result<()>;

    /// Closes the index, and makes all its data durable.
    fn close(&self) -> Result<()>;
}

/// The type of the index.
#[derive(Clone, Copy, Debug)]
pub(crate) enum IndexKind {
    /// sled, in a directory next to the log.
    Sled,
    /// A map in one file.
    #[cfg(test)]
    Map,
}

/// Opens the index in `dir`, or creates one.
///
/// # Errors
/// `Corrupt` if it cannot be used; it can then be removed and rebuilt.
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
