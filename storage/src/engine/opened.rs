//! A database as it is opened: with all that its logs hold.

use super::SledOptions;
use super::disk::Disk;
use super::memtable::Memtable;
use super::wal::Wal;
use crate::error::Result;
use std::path::Path;

/// The names of the logs in its folder.
pub(super) const LOGS: [&str; 2] = ["log.0", "log.1"];

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
        let disk = Disk::open(dir, options)?;
        let [(first, first_groups), (second, second_groups)] = [
            Wal::open(&dir.join(LOGS[0]), options.power_safe)?,
            Wal::open(&dir.join(LOGS[1]), options.power_safe)?,
        ];
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
}
