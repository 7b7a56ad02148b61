//! Databases of version 1: sled with a write-ahead log in front of it, in one directory. They are converted once.

mod disk;
mod layout;
mod tail;
mod wal;

use super::barrier::without_panic;
use super::index::wait_until_released;
use super::options::EngineOptions;
use super::{Batch, Engine, LogEngine, Op, aside, swap};
use crate::disk_space::free;
use crate::error::{Error, Result};
use crate::files::{FileSystem, find, remove_all};
use disk::Disk;
use std::path::Path;
use tail::Tail;
use wal::{Content, LOGS};

/// Exists until all files of a new database have been created.
const CREATING: &str = "creating";
/// Files that every database has.
const FILES: [&str; 4] = ["db", "conf", LOGS[0], LOGS[1]];
/// Bytes of writes in one commit of the new database. Smaller in tests, so that their small databases also take several
/// commits.
const AT_ONCE: usize = if cfg!(test) { 16 << 10 } else { 1 << 20 };
/// Free bytes that are required in addition to those of the new database.
const MIN_BYTES: u64 = 64 << 20;

/// Whether a directory contains a database of version 1.
pub(super) fn is_there(files: &dyn FileSystem, dir: &Path) -> Result<bool> {
    for name in FILES {
        if is_file(files, &dir.join(name))? {
            return Ok(find(files, &dir.join(CREATING))?.is_none());
        }
    }
    Ok(false)
}

fn is_file(files: &dyn FileSystem, path: &Path) -> Result<bool> {
    Ok(find(files, path)?.is_some_and(|found| !found.is_dir))
}

/// Converts a database of version 1 in `dir`, which is then preserved in `backups` next to `dir`. Does nothing with
/// other databases. If the process ends before the conversion is complete, nothing is changed, and the next start
/// begins again.
///
/// # Errors
/// `Corrupt` if the database is damaged, `Full` if the disk has too little space for both.
pub(super) fn convert(dir: &Path, options: &EngineOptions) -> Result<()> {
    let files = &*options.files;
    swap::finish(files, dir)?;
    if find(files, &dir.join(CREATING))?.is_some() {
        return Ok(remove_all(files, dir)?);
    }
    if !is_there(files, dir)? {
        return Ok(());
    }
    is_whole(files, dir)?;
    let bytes = aside::size(files, dir)?;
    if free(dir)? < bytes.saturating_add(MIN_BYTES) {
        return Err(Error::Full);
    }
    tracing::info!(mib = bytes >> 20, "the database is converted to version 2");
    let converted = without_panic("the database", || copy(dir, options));
    converted.map_err(|error| match error {
        Error::Corrupt(what) => Error::Corrupt(format!(
            "{what}. It was written by an earlier version: repair it with `understudy doctor --repair` of that version, or \
             restore a backup"
        )),
        other => other,
    })?;
    wait_until_released(dir)?;
    swap::replace(files, dir)
}

fn copy(dir: &Path, options: &EngineOptions) -> Result<()> {
    let files = &*options.files;
    let disk = Disk::open(files, dir, options.packed)?;
    let logs = [Content::read(files, &dir.join(LOGS[0]))?, Content::read(files, &dir.join(LOGS[1]))?];
    let damaged = |log: usize, why: &str| Error::Corrupt(format!("{}: {why}", dir.join(LOGS[log]).display()));
    let is_empty = |content: &Content| !content.is_marked && content.damage.is_none();
    // In the oldest databases, the second log has no mark until it is used.
    let empty =
        if is_empty(&logs[0]) { Some(0) } else { (is_empty(&logs[1]) && logs[0].is_complete).then_some(1) };
    if let Some(log) = empty {
        return Err(damaged(log, "it is empty, although the database is not new; commits may be missing"));
    }
    let tail = Tail::new(disk.epoch()?, logs);
    if let Some(left) = tail.left.iter().find(|left| !left.is_gap) {
        return Err(damaged(left.log, &left.why));
    }
    let new = swap::begin(files, dir)?;
    let engine = LogEngine::open_converted(&new, EngineOptions { power_safe: false, ..options.clone() })?;
    let commit = |batch: Batch| engine.commit(&[batch]).into_iter().collect::<Result<()>>();
    let mut batch = Batch::new();
    disk.read(|key, value| {
        batch.put(key, value);
        if batch.size() < AT_ONCE { Ok(()) } else { commit(std::mem::take(&mut batch)) }
    })?;
    batch.ops.extend(tail.ops);
    commit(batch)?;
    for left in &tail.left {
        let file = aside::preserve(
            files,
            dir,
            &dir.join(LOGS[left.log]),
            &format!("{}.epoch-{}", LOGS[left.log], left.epoch),
        )?;
        tracing::error!(
            commits = left.count,
            file = %file.display(),
            "commits were set aside and not applied, because commits before them are missing"
        );
    }
    drop(disk);
    engine.close_durably()
}

/// Refuses a database if some of its files are missing, because sled would create new ones.
fn is_whole(files: &dyn FileSystem, dir: &Path) -> Result<()> {
    for name in FILES {
        let path = dir.join(name);
        if !is_file(files, &path)? {
            return Err(Error::Corrupt(format!("the file {} is missing", path.display())));
        }
    }
    Ok(())
}

/// The operations of a log, in order.
type Ops = Vec<Op>;
