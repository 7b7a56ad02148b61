//! Making the files of sled as small as what is in them, by copying it into another database.
//!
//! ```text
//! index       read ──> written ──> index.new
//! index.old   <── renamed ── index   <── renamed ── index.new
//! ```
//!
//! Whenever the process ends, what has the old name or the new one is whole: the old directory is there until the new
//! one has taken its place.

use crate::error::{Error, Result};
use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long sled may hold a file after its database was closed.
const PATIENCE: Duration = Duration::from_secs(5);

/// The directory in which another database is written.
pub(super) fn new_of(dir: &Path) -> PathBuf {
    beside(dir, ".new")
}

/// Puts a directory right in which the process ended during a rewrite.
pub(super) fn finish(dir: &Path) -> Result<()> {
    let old = beside(dir, ".old");
    if !dir.exists() && old.exists() {
        std::fs::rename(&old, dir)?;
    }
    remove(&new_of(dir))?;
    remove(&old)
}

/// Puts the rewritten database in the place of the other one. Both must be closed.
pub(super) fn swap(dir: &Path) -> Result<()> {
    std::fs::rename(dir, beside(dir, ".old"))?;
    Ok(std::fs::rename(new_of(dir), dir)?)
}

/// Removes a database and what a rewrite may have left beside it.
pub(super) fn remove_all(dir: &Path) -> Result<()> {
    remove(&new_of(dir))?;
    remove(&beside(dir, ".old"))?;
    remove(dir)
}

pub(super) fn remove(dir: &Path) -> Result<()> {
    match std::fs::remove_dir_all(dir) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

/// Waits until no thread of sled's uses a directory any more.
pub(in crate::engine) fn wait_until_released(dir: &Path) -> Result<()> {
    let (file, begun) = (File::open(dir.join("db"))?, Instant::now());
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if begun.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(2));
            }
            Err(TryLockError::WouldBlock) => return Err(Error::Engine(format!("{} is held", dir.display()))),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
    }
}

/// Makes every file of a directory durable.
pub(super) fn sync_all(dir: &Path) -> Result<()> {
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        match entry.file_type()?.is_dir() {
            true => sync_all(&entry.path())?,
            false => File::open(entry.path())?.sync_all()?,
        }
    }
    Ok(File::open(dir)?.sync_all()?)
}

fn beside(dir: &Path, ending: &str) -> PathBuf {
    let mut name = dir.file_name().map(OsString::from).unwrap_or_default();
    name.push(ending);
    dir.with_file_name(name)
}
