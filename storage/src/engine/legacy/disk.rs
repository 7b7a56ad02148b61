//! Reads a database of version 1: sled with one tree.

use super::layout::{self, BLOCK, EPOCH};
use crate::engine::index::open_db;
use crate::engine::{KeyRange, Packed};
use crate::error::{Error, Result};
use crate::files::FileSystem;
use ::sled::Db;
use bytes::Bytes;
use std::path::Path;

/// Bytes of the database to cache in memory while it is read.
const CACHE: u64 = 64 << 20;

pub(super) struct Disk {
    db: Db,
    packed: &'static [Packed],
}

impl Disk {
    pub fn open(files: &dyn FileSystem, dir: &Path, packed: &'static [Packed]) -> Result<Self> {
        Ok(Self { db: open_db(files, dir, CACHE)?, packed })
    }

    /// The last epoch whose log the database contains; 0 initially.
    pub fn epoch(&self) -> Result<u64> {
        let Some(value) = self.db.get(EPOCH)? else { return Ok(0) };
        let damaged = |_| Error::Corrupt("the epoch of the database has the wrong length".into());
        value[..].try_into().map(u64::from_be_bytes).map_err(damaged)
    }

    /// Calls `each` with every key and value, in key order.
    pub fn read(&self, mut each: impl FnMut(Bytes, Bytes) -> Result<()>) -> Result<()> {
        for pair in self.db.range(..vec![KeyRange::BEYOND]) {
            let (key, stored) = pair?;
            let value = layout::restore(&self.db, &key, &stored)?;
            if layout::split(&key, &stored)?.0 & BLOCK == 0 {
                each(Bytes::copy_from_slice(&key), value)?;
                continue;
            }
            let group =
                layout::group_of(self.packed, &key).ok_or_else(|| layout::damaged(&key, "a block"))?;
            for (key, value) in layout::entries(group, value)? {
                each(key, value)?;
            }
        }
        Ok(())
    }
}
