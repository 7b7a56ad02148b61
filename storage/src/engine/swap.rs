//! Replacing a database by another one that was written beside it.
//!
//! ```text
//! engine.old   <── renamed ── engine   <── renamed ── engine.new
//! ```
//!
//! Whenever the process ends, what has the old name or the new one is whole: the old directory is there until the new
//! one has taken its place.

use super::aside::beside;
use super::legacy;
use crate::error::Result;
use crate::time::Timestamp;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The directory in which the other database is written; empty.
pub(super) fn begin(dir: &Path) -> Result<PathBuf> {
    let new = beside(dir, ".new");
    remove(&new)?;
    Ok(new)
}

/// Replaces the database. The other one must be closed, and all of it durable.
pub(super) fn replace(dir: &Path) -> Result<()> {
    std::fs::rename(dir, beside(dir, ".old"))?;
    std::fs::rename(beside(dir, ".new"), dir)?;
    sync_parent(dir)?;
    finish(dir)
}

/// Puts a directory right in which the process ended while a database was replaced. A replaced database of version 1 is
/// preserved in `backups`.
pub(super) fn finish(dir: &Path) -> Result<()> {
    let old = beside(dir, ".old");
    if !dir.exists() && old.exists() {
        std::fs::rename(&old, dir)?;
    }
    remove(&beside(dir, ".new"))?;
    if legacy::is_there(&old) && !legacy::is_there(dir) {
        let backups = dir.with_file_name("backups");
        std::fs::create_dir_all(&backups)?;
        let backup = backups.join(format!("engine-1-{}", Timestamp::now().as_millis()));
        std::fs::rename(&old, &backup)?;
        File::open(&backups)?.sync_all()?;
        sync_parent(dir)?;
        tracing::info!(backup = %backup.display(), "the database was converted; the directory can be deleted once all is well");
    }
    remove(&old)
}

pub(super) fn remove(dir: &Path) -> Result<()> {
    match std::fs::remove_dir_all(dir) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

fn sync_parent(dir: &Path) -> Result<()> {
    match dir.parent() {
        Some(above) => Ok(File::open(above)?.sync_all()?),
        None => Ok(()),
    }
}
