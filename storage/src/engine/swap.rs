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
use crate::files::{self, FileSystem, create_dir_synced, find, parent, remove_all};
use crate::time::Timestamp;
use std::path::{Path, PathBuf};

/// The directory in which the other database is written; empty.
pub(super) fn begin(files: &dyn FileSystem, dir: &Path) -> Result<PathBuf> {
    let new = beside(dir, ".new");
    remove_all(files, &new)?;
    Ok(new)
}

/// Replaces the database. The other one must be closed, and all of it durable.
pub(super) fn replace(files: &dyn FileSystem, dir: &Path) -> Result<()> {
    files::sync_all(files, &beside(dir, ".new"))?;
    files.rename(dir, &beside(dir, ".old"))?;
    files.rename(&beside(dir, ".new"), dir)?;
    files.sync_dir(parent(dir))?;
    finish(files, dir)
}

/// Puts a directory right in which the process ended while a database was replaced. A replaced database of version 1 is
/// preserved in `backups`.
pub(super) fn finish(files: &dyn FileSystem, dir: &Path) -> Result<()> {
    let (old, new) = (beside(dir, ".old"), beside(dir, ".new"));
    if find(files, dir)?.is_none() && find(files, &old)?.is_some() {
        files.rename(&old, dir)?;
        files.sync_dir(parent(dir))?;
    }
    remove_all(files, &new)?;
    if legacy::is_there(files, &old)? && !legacy::is_there(files, dir)? {
        let backups = dir.with_file_name("backups");
        create_dir_synced(files, &backups)?;
        let backup = backups.join(format!("engine-1-{}", Timestamp::now().as_millis()));
        files.rename(&old, &backup)?;
        files.sync_dir(&backups)?;
        files.sync_dir(parent(dir))?;
        tracing::info!(backup = %backup.display(), "the database was converted; the directory can be deleted once all is well");
    }
    Ok(remove_all(files, &old)?)
}
