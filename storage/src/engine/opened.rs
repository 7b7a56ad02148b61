//! A database as it is opened: with all that its logs hold.

use super::SledOptions;
use super::compact;
use super::disk::Disk;
use super::memtable::Memtable;
use super::wal::Wal;
use crate::error::Result;
use std::path::Path;

/// A database that has all of its logs.
pub(super) struct Opened {
    pub disk: Disk,
    pub logs: [Wal; 2],
    /// Of the last log that it has.
    pub epoch: u64,
}

impl Opened {
    /// Opens or makes the database in `dir`, and reads from the logs what it lacks.
    pub fn read(dir: &Path, options: SledOptions) -> Result<Self> {
        let SledOptions { cache_bytes, power_safe, packed, .. } = options;
        let disk = Disk::open(dir, cache_bytes, power_safe, packed)?;
        let (first, first_groups) = Wal::open(&dir.join("log.0"), power_safe)?;
        let (second, second_groups) = Wal::open(&dir.join("log.1"), power_safe)?;
        let known = disk.epoch()?;
        let mut found = [(first.epoch(), first_groups), (second.epoch(), second_groups)];
        found.sort_by_key(|(epoch, _)| *epoch);
        let mut table = Memtable::default();
        let mut epoch = known;
        for (next, groups) in found.into_iter().filter(|(epoch, _)| *epoch > known) {
            if next != epoch + 1 {
                tracing::error!("a power cut took a part of the last commits; look with `doctor`");
            }
            groups.into_iter().flatten().for_each(|op| table.apply(op));
            epoch = next;
        }
        if epoch > known {
            disk.apply(&table)?;
            disk.checkpoint(epoch)?;
        }
        Ok(Self { disk, logs: [first, second], epoch })
    }

    /// Writes everything anew; the logs begin anew, too. On an error what is in the folder is what was there.
    pub fn written_anew(self, dir: &Path, options: SledOptions) -> Result<Self> {
        let SledOptions { cache_bytes, power_safe, packed, .. } = options;
        let (room, before) = self.disk.room()?;
        tracing::info!(file_mib = before >> 20, held_mib = room.held >> 20, "writing the database anew");
        drop(self.logs);
        compact::compact(dir, self.disk, |new| Disk::open(new, cache_bytes, power_safe, packed))?;
        let anew = Self::read(dir, options)?;
        let (_, after) = anew.disk.room()?;
        tracing::info!(file_mib = after >> 20, "the database is as small as what is in it");
        Ok(anew)
    }
}
