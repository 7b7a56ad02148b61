//! Reading a damaged database as far as that goes.

use super::barrier::without_panic;
use super::disk::Disk;
use super::layout::{self, BLOCK, EPOCH, table_of};
use super::room::{DatabaseSize, ROOM};
use super::{KeyRange, after_prefix};
use crate::error::{Error, Result};
use ::sled::IVec;
use std::collections::BTreeMap;

/// Stored values that could not be read.
#[derive(Debug)]
pub(super) struct Lost {
    /// The reason, for the log.
    pub why: String,
    /// How many keys of each table are known to be concerned. Of a part that cannot be read at all, one for each table.
    pub tables: BTreeMap<[u8; 2], u64>,
}

impl Disk {
    /// Copies everything that can be read to another one, which is empty.
    ///
    /// # Errors
    /// Those of the other one.
    pub fn rescue_to(&self, other: &Self) -> Result<Option<Lost>> {
        let mut lost: Option<Lost> = None;
        let mut from = Vec::new();
        loop {
            let copied = self.copy_some(other, &mut from)?;
            let Err(error) = copied else { return Ok(lost) };
            let table = table_of(&from);
            let end = after_prefix(&table);
            // From the other end of the table, up to the damage.
            let back = without_panic("the rest of the table", || {
                for pair in self.db().range(from.clone()..end.clone()).rev() {
                    let (key, stored) = pair?;
                    other.put_stored(&key, stored)?;
                }
                Ok(())
            });
            if back.is_err() && !is_own(&table) {
                let lost =
                    lost.get_or_insert_with(|| Lost { why: error.to_string(), tables: BTreeMap::new() });
                // Long values are kept in pieces under a key of their own.
                let table = if table[0] == KeyRange::BEYOND { table_of(&from[1..]) } else { table };
                *lost.tables.entry(table).or_default() += 1;
            }
            if table == [KeyRange::BEYOND; 2] {
                return Ok(lost);
            }
            from = end;
        }
    }

    /// Copies what follows `from` until something cannot be read, and leaves `from` there.
    fn copy_some(&self, other: &Self, from: &mut Vec<u8>) -> Result<Result<()>> {
        let mut failed = None;
        let read = without_panic("a part of the database", || {
            for pair in self.db().range(from.clone()..) {
                let (key, stored) = pair?;
                if let Err(error) = other.put_stored(&key, stored) {
                    failed = Some(error);
                    return Ok(());
                }
                *from = [&key[..], &[0]].concat();
            }
            Ok(())
        });
        failed.map_or(Ok(read), Err)
    }

    /// Writes a stored value as it is in another database.
    fn put_stored(&self, key: &[u8], stored: IVec) -> Result<()> {
        if key != ROOM {
            self.keep_pace(key, stored.len())?;
            self.db().insert(key, stored)?;
        }
        Ok(())
    }

    /// Removes values that are not whole, such as long ones of which a piece is missing, and counts the rest.
    pub fn drop_unreadable(&self) -> Result<Option<Lost>> {
        let mut lost: Option<Lost> = None;
        for pair in self.db().range(..vec![KeyRange::BEYOND]) {
            let (key, stored) = pair?;
            let Err(error) = self.is_readable(&key, &stored) else { continue };
            self.db().remove(&key)?;
            let lost = lost.get_or_insert_with(|| Lost { why: error.to_string(), tables: BTreeMap::new() });
            *lost.tables.entry(table_of(&key)).or_default() += 1;
        }
        self.set_room(DatabaseSize::counted(self.db())?);
        Ok(lost)
    }

    fn is_readable(&self, key: &[u8], stored: &IVec) -> Result<()> {
        without_panic("a value", || {
            let value = layout::restore(self.db(), key, stored)?;
            if layout::split(key, stored)?.0 & BLOCK != 0 {
                let group = self.group_of(key).ok_or_else(|| Error::Corrupt("a block elsewhere".into()))?;
                layout::entries(group, value)?;
            }
            Ok(())
        })
    }

    /// How many stored values there are, without their pieces.
    pub fn keys(&self) -> Result<u64> {
        let mut count = 0;
        for pair in self.db().range(..vec![KeyRange::BEYOND]) {
            pair?;
            count += 1;
        }
        Ok(count)
    }

    /// Closes a database whose files may be damaged.
    pub fn close(self) {
        // Whatever goes wrong with a copy that is deleted next is of no interest.
        let _ = without_panic("the database", || {
            drop(self);
            Ok(())
        });
    }
}

/// Whether a table is the engine's own.
fn is_own(table: &[u8; 2]) -> bool {
    EPOCH.starts_with(table)
}
