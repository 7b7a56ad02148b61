//! Making the database as small as what is in it, by writing all of it into another one, while it is read and commits go
//! on.
//!
//! ```text
//! engine       read ──> written ──> engine.new       the logs have a name in both
//! engine.old   <── renamed ── engine   <── renamed ── engine.new
//! ```
//!
//! Whenever the process goes down, what stands at the old name or the new one is whole: the old folder is there until
//! the new one has taken its place. What is committed in the meantime stands in the logs, and these are the same files by
//! either name.

use super::disk::Disk;
use super::room::DatabaseSize;
use super::sled_options::{LEAST, SledOptions};
use super::wal::LOGS;
use crate::error::{Error, Result};
use crate::room::free;
use parking_lot::{MappedRwLockReadGuard, RwLock, RwLockReadGuard};
use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How many times as large as what is in it a file may be. One that was just written is two to three times as large, if it
/// is full of tiny values five times.
const TIMES: u64 = 6;
/// Bytes in a database that is rewritten without anybody having asked for it: a matter of seconds.
const AT_ONCE: u64 = 256 << 20;
/// How long sled may hold a file after its database was closed.
const PATIENCE: Duration = Duration::from_secs(5);

/// The database of an engine in its folder. It has one writer, which also rewrites it; read locks are short.
pub(super) struct Database {
    disk: RwLock<Option<Disk>>,
    dir: PathBuf,
    options: SledOptions,
    /// Bytes of the file from which on it is looked at again.
    from: AtomicU64,
}

impl Database {
    /// A database that was opened in this folder.
    pub fn new(disk: Disk, dir: &Path, options: SledOptions) -> Self {
        let from = AtomicU64::new(options.compact_from);
        Self { disk: RwLock::new(Some(disk)), dir: dir.to_owned(), options, from }
    }

    /// The database, which stays what it is for as long as the guard lives.
    ///
    /// # Errors
    /// There is none any more: see [`tidy`](Self::tidy).
    pub fn disk(&self) -> Result<MappedRwLockReadGuard<'_, Disk>> {
        let gone = |_| Error::Engine("the database could not be opened again".into());
        RwLockReadGuard::try_map(self.disk.read(), Option::as_ref).map_err(gone)
    }

    /// Rewrites the database where it is time for that, unless it is to stop in the meantime. Where that cannot be done it
    /// stays as it is.
    ///
    /// # Errors
    /// It was closed and cannot be opened again: nothing can be read any more.
    pub fn tidy(&self, go_on: &dyn Fn() -> bool) -> Result<()> {
        let (room, file) = self.disk()?.room()?;
        let grown = match self.is_due(room, file) {
            Ok(false) => return Ok(()),
            Ok(true) if room.held > AT_ONCE => {
                let (file_mib, held_mib) = (file >> 20, room.held >> 20);
                tracing::warn!(
                    file_mib,
                    held_mib,
                    "most of the database file is unused; run `understudy compact` to shrink it"
                );
                file.saturating_mul(2)
            }
            due => match due.and_then(|_| self.rewrite(go_on)) {
                Ok(()) => self.options.compact_from,
                Err(error) => {
                    tracing::warn!(%error, "the database could not be compacted");
                    file + file / 4
                }
            },
        };
        self.from.store(grown, Ordering::Relaxed);
        self.disk().map(drop)
    }

    /// Whether most of the file is of no use, and it has at least doubled since it was last rewritten.
    fn is_due(&self, room: DatabaseSize, file: u64) -> Result<bool> {
        let from = self.from.load(Ordering::Relaxed);
        let due =
            file >= from && file > room.held.saturating_mul(TIMES) && file > room.packed.saturating_mul(2);
        // The last of a disk is for commits.
        if due && room.held <= AT_ONCE && free(&self.dir)? < room.held * TIMES + LEAST {
            return Err(Error::Engine("there is too little free space on the disk to rewrite it".into()));
        }
        Ok(due)
    }

    /// Rewrites the database, whatever its size. Those who read it wait only while the one takes the place of the
    /// other.
    ///
    /// # Errors
    /// It is as it was, unless [`disk`](Self::disk) fails, too.
    pub fn rewrite(&self, go_on: &dyn Fn() -> bool) -> Result<()> {
        let new = beside(&self.dir, ".new");
        let (room, before) = self.disk()?.room()?;
        tracing::info!(file_mib = before >> 20, held_mib = room.held >> 20, "compacting the database");
        let write = || self.write_into(&new, go_on);
        if let Err(error) = catch_panic(write) {
            remove(&new)?;
            return Err(error);
        }
        let mut disk = self.disk.write();
        let begun = Instant::now();
        drop(disk.take());
        let replaced = self.replace_by(&new);
        put_back(&self.dir)?;
        *disk = Some(Disk::open(&self.dir, self.options)?);
        drop(disk);
        let wait_ms = begun.elapsed().as_millis() as u64;
        finish_swap(&self.dir)?;
        replaced?;
        let (_, after) = self.disk()?.room()?;
        tracing::info!(file_mib = after >> 20, wait_ms, "the database is already compact");
        Ok(())
    }

    /// Copies everything into a database in another folder, which gets the logs, too.
    fn write_into(&self, new: &Path, go_on: &dyn Fn() -> bool) -> Result<()> {
        remove(new)?;
        let fresh = Disk::open(new, self.options)?;
        self.disk()?.copy_to(&fresh, go_on)?;
        drop(fresh);
        wait_until_released(new)?;
        for log in LOGS {
            std::fs::hard_link(self.dir.join(log), new.join(log))?;
        }
        sync(Some(new))
    }

    fn replace_by(&self, new: &Path) -> Result<()> {
        wait_until_released(&self.dir)?;
        std::fs::rename(&self.dir, beside(&self.dir, ".old"))?;
        std::fs::rename(new, &self.dir)?;
        sync(self.dir.parent())
    }
}

#[cfg(test)]
impl Database {
    /// Lets every further sync of the file fail.
    pub fn break_sync(&self) {
        self.disk.write().as_mut().unwrap().break_sync();
    }
}

/// Puts a folder right in which the process went down while this was done.
pub(super) fn finish_swap(dir: &Path) -> Result<()> {
    put_back(dir)?;
    remove(&beside(dir, ".new"))?;
    remove(&beside(dir, ".old"))
}

/// Gives the old folder its place back, where there is none in it.
fn put_back(dir: &Path) -> Result<()> {
    let old = beside(dir, ".old");
    if !dir.exists() && old.exists() {
        std::fs::rename(&old, dir)?;
    }
    Ok(())
}

/// Work on a database; sled panics at some of what a disk can do.
pub(super) fn catch_panic(work: impl FnOnce() -> Result<()>) -> Result<()> {
    let panicked = |_| Err(Error::Engine("the database panicked".into()));
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(panicked)
}

/// Waits until no thread of sled's has anything to do with a folder any more.
pub(super) fn wait_until_released(dir: &Path) -> Result<()> {
    let (file, begun) = (File::open(dir.join("db"))?, Instant::now());
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if begun.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(5));
            }
            Err(TryLockError::WouldBlock) => return Err(Error::Engine(format!("{} is held", dir.display()))),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
    }
}

/// Lets the names in a folder outlive a power cut.
pub(super) fn sync(dir: Option<&Path>) -> Result<()> {
    match dir {
        Some(dir) => Ok(File::open(dir)?.sync_all()?),
        None => Ok(()),
    }
}

pub(super) fn remove(dir: &Path) -> Result<()> {
    match std::fs::remove_dir_all(dir) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

pub(super) fn beside(dir: &Path, ending: &str) -> PathBuf {
    let mut name = dir.file_name().map(OsString::from).unwrap_or_default();
    name.push(ending);
    dir.with_file_name(name)
}
