//! Files that are kept although the database does not use them: commits behind a gap, and copies of damaged databases.
//!
//! ```text
//! engine/                       the database
//! engine.damaged/log.1.epoch-7  a log that does not follow on what is in the database
//! engine.damaged/1763766000000  a copy of a damaged database, from before it was repaired
//! ```

use super::compact::{beside, sync};
use crate::error::Result;
use std::path::{Path, PathBuf};

/// Where such files are, for the database in `dir`.
pub(super) fn folder(dir: &Path) -> PathBuf {
    beside(dir, ".damaged")
}

/// Keeps a copy of a log.
pub(super) fn keep_log(dir: &Path, log: &str, epoch: u64) -> Result<PathBuf> {
    let folder = folder(dir);
    std::fs::create_dir_all(&folder)?;
    let to = folder.join(format!("{log}.epoch-{epoch}"));
    std::fs::copy(dir.join(log), &to)?;
    std::fs::File::open(&to)?.sync_all()?;
    sync(Some(&folder))?;
    sync(folder.parent())?;
    Ok(to)
}

/// The logs that were set aside and are still there, in the order of their names.
pub(super) fn logs(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder(dir)) else { return Vec::new() };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut logs: Vec<_> = paths
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("log.")))
        .collect();
    logs.sort();
    logs
}

/// Copies a folder with everything in it, and syncs the copy.
pub(super) fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), &target)?;
            std::fs::File::open(&target)?.sync_all()?;
        }
    }
    sync(Some(to))
}

/// Bytes of all files in a folder.
pub(super) fn size(dir: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        bytes += match entry.file_type()?.is_dir() {
            true => size(&entry.path())?,
            false => entry.metadata()?.len(),
        };
    }
    Ok(bytes)
}

/// Syncs every file of a folder.
pub(super) fn sync_all(dir: &Path) -> Result<()> {
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        match entry.file_type()?.is_dir() {
            true => sync_all(&entry.path())?,
            false => std::fs::File::open(entry.path())?.sync_all()?,
        }
    }
    sync(Some(dir))
}
