//! Making the database as small as what is in it, by writing all of it into another one.
//!
//! ```text
//! engine       read ──> written ──> engine.new
//! engine.old   <── renamed ── engine   <── renamed ── engine.new
//! ```
//!
//! Whenever the process goes down, what stands at the old name or the new one is whole: the old folder is there until
//! the new one has taken its place.

use super::disk::Disk;
use crate::error::{Error, Result};
use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Bytes of a file that is left as it is, whatever is in it.
pub(super) const LEAST: u64 = 64 << 20;
/// How many times as large as what is in it a file may be. One that was just written is two to three times as large, if it
/// is full of tiny values five times.
const TIMES: u64 = 6;
/// Bytes in a database that is written anew without anybody having asked for it: a matter of seconds.
const AT_ONCE: u64 = 256 << 20;
/// How long sled may hold a file after its database was closed.
const PATIENCE: Duration = Duration::from_secs(5);

/// Whether it is time: most of the file is of no use, and it has at least doubled since it was last written anew.
pub(super) fn is_due(disk: &Disk, least: u64) -> Result<bool> {
    let (room, file) = disk.room()?;
    let due = file >= least && file > room.held.saturating_mul(TIMES) && file > room.packed.saturating_mul(2);
    if due && room.held > AT_ONCE {
        let (file_mib, held_mib) = (file >> 20, room.held >> 20);
        tracing::warn!(
            file_mib,
            held_mib,
            "most of the database's file is of no use; `understudy compact` helps"
        );
    }
    Ok(due && room.held <= AT_ONCE)
}

/// Puts a folder right in which the process went down while this was done.
pub(super) fn put_right(dir: &Path) -> Result<()> {
    let (new, old) = (beside(dir, ".new"), beside(dir, ".old"));
    if !dir.exists() && old.exists() {
        std::fs::rename(&old, dir)?;
    }
    remove(&new)?;
    remove(&old)
}

/// Writes a database anew; `open` opens one in a folder. Nobody may have the folder open, and its logs may hold nothing
/// that the database does not: they do not come along. On an error it is as it was.
pub(super) fn compact(dir: &Path, disk: Disk, open: impl FnOnce(&Path) -> Result<Disk>) -> Result<()> {
    let (new, old) = (beside(dir, ".new"), beside(dir, ".old"));
    let written = write(&disk, &new, open);
    drop(disk);
    let renamed = written.and_then(|()| released(dir)).and_then(|()| {
        std::fs::rename(dir, &old)?;
        std::fs::rename(&new, dir)?;
        sync(dir.parent())
    });
    put_right(dir)?;
    renamed
}

fn write(disk: &Disk, new: &Path, open: impl FnOnce(&Path) -> Result<Disk>) -> Result<()> {
    remove(new)?;
    let fresh = open(new)?;
    disk.copy_to(&fresh)?;
    drop(fresh);
    released(new)?;
    sync(Some(new))
}

/// Waits until no thread of sled's has anything to do with a folder any more.
fn released(dir: &Path) -> Result<()> {
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
fn sync(dir: Option<&Path>) -> Result<()> {
    match dir {
        Some(dir) => Ok(File::open(dir)?.sync_all()?),
        None => Ok(()),
    }
}

fn remove(dir: &Path) -> Result<()> {
    match std::fs::remove_dir_all(dir) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

fn beside(dir: &Path, ending: &str) -> PathBuf {
    let mut name = dir.file_name().map(OsString::from).unwrap_or_default();
    name.push(ending);
    dir.with_file_name(name)
}
