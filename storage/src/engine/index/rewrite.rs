//! Compacting the files of sled by copying their content into another database.
//!
//! ```text
//! index       read ──> written ──> index.new
//! index.old   <── renamed ── index   <── renamed ── index.new
//! ```
//!
//! At any time at which the process may end, the directory with the old name or the one with the new name is complete:
//! the old directory exists until the new one has taken its place.

use crate::engine::aside::beside;
use crate::error::{Error, Result};
use crate::files::{FileSystem, find, remove_all};
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The suffix of the directory that is being replaced.
const OLD: &str = ".old";
/// How long sled may lock a file after its database was closed.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The directory in which the new database is written.
pub(super) fn new_of(dir: &Path) -> PathBuf {
    beside(dir, ".new")
}

/// Completes or undoes a rewrite that was interrupted by the end of the process.
pub(super) fn finish(files: &dyn FileSystem, dir: &Path) -> Result<()> {
    let old = beside(dir, OLD);
    if find(files, dir)?.is_none() && find(files, &old)?.is_some() {
        files.rename(&old, dir)?;
    }
    remove_all(files, &new_of(dir))?;
    Ok(remove_all(files, &old)?)
}

/// Replaces the database by the rewritten one. Both must be closed.
pub(super) fn swap(files: &dyn FileSystem, dir: &Path) -> Result<()> {
    files.rename(dir, &beside(dir, OLD))?;
    Ok(files.rename(&new_of(dir), dir)?)
}

/// Removes a database and the directories that a rewrite may have left next to it.
pub(super) fn remove_with_rest(files: &dyn FileSystem, dir: &Path) -> Result<()> {
    for dir in [&new_of(dir), &beside(dir, OLD), dir] {
        remove_all(files, dir)?;
    }
    Ok(())
}

/// Waits until no thread of sled uses the directory any more.
pub(in crate::engine) fn wait_until_released(dir: &Path) -> Result<()> {
    let (file, begun) = (File::open(dir.join("db"))?, Instant::now());
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if begun.elapsed() < TIMEOUT => {
                std::thread::sleep(Duration::from_millis(2));
            }
            Err(TryLockError::WouldBlock) => return Err(Error::Engine(format!("{} is held", dir.display()))),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
    }
}
