//! Files that are preserved although the database does not use them: commits after a gap, and copies of damaged files.
//!
//! ```text
//! engine/                                       the database
//! engine.damaged/log.0000000007.log.commit-812  commits of a segment that do not follow those in the log without a gap
//! engine.damaged/1763766000000                  a copy of damaged files, from before a repair
//! ```

use crate::error::Result;
use crate::files::{FileSystem, create_dir_synced};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The directory of such files, for the database in `dir`.
pub(super) fn damaged_dir(dir: &Path) -> PathBuf {
    beside(dir, ".damaged")
}

/// A directory next to the directory of the database.
pub(super) fn beside(dir: &Path, ending: &str) -> PathBuf {
    let mut name = dir.file_name().map(OsString::from).unwrap_or_default();
    name.push(ending);
    dir.with_file_name(name)
}

/// Files with commits that were set aside, ordered by name.
pub(super) fn logs(files: &dyn FileSystem, dir: &Path) -> Vec<PathBuf> {
    let directory = damaged_dir(dir);
    let names = files.names(&directory).unwrap_or_default();
    let mut logs: Vec<_> =
        names.iter().filter(|name| name.starts_with("log.")).map(|name| directory.join(name)).collect();
    logs.sort();
    logs
}

/// Copies a directory recursively. The copy is durable, except for its own name.
pub(super) fn copy(files: &dyn FileSystem, from: &Path, to: &Path) -> Result<()> {
    create_dir_synced(files, to)?;
    for name in files.names(from)? {
        let (from, to) = (from.join(&name), to.join(&name));
        match files.metadata(&from)?.is_dir {
            true => copy(files, &from, &to)?,
            false => copy_file(files, &from, &to)?,
        }
    }
    Ok(files.sync_dir(to)?)
}

/// Copies a file. The copy is durable once its directory is.
pub(super) fn copy_file(files: &dyn FileSystem, from: &Path, to: &Path) -> Result<()> {
    let (from, to) = (files.open_read(from)?, files.create_private(to)?);
    crate::files::copy(from, to.clone())?;
    Ok(to.sync()?)
}

/// Bytes of all files in a directory.
pub(super) fn size(files: &dyn FileSystem, dir: &Path) -> Result<u64> {
    let mut bytes = 0;
    for name in files.names(dir)? {
        let path = dir.join(name);
        let found = files.metadata(&path)?;
        bytes += if found.is_dir { size(files, &path)? } else { found.len };
    }
    Ok(bytes)
}

/// Preserves a copy of a file of the database under another name.
pub(super) fn preserve(files: &dyn FileSystem, dir: &Path, file: &Path, name: &str) -> Result<PathBuf> {
    let directory = damaged_dir(dir);
    create_dir_synced(files, &directory)?;
    let to = directory.join(name);
    copy_file(files, file, &to)?;
    files.sync_dir(&directory)?;
    Ok(to)
}
