//! Files that are preserved although the database does not use them: commits behind a gap, and copies of damaged files.
//!
//! ```text
//! engine/                                       the database
//! engine.damaged/log.0000000007.log.commit-812  commits of a segment that do not follow on those in the log
//! engine.damaged/1763766000000                  a copy of damaged files, from before a repair
//! ```

use crate::error::Result;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Where such files are, for the database in `dir`.
pub(super) fn damaged_dir(dir: &Path) -> PathBuf {
    beside(dir, ".damaged")
}

/// A directory beside that of the database.
pub(super) fn beside(dir: &Path, ending: &str) -> PathBuf {
    let mut name = dir.file_name().map(OsString::from).unwrap_or_default();
    name.push(ending);
    dir.with_file_name(name)
}

/// Files with commits that were set aside, in the order of their names.
pub(super) fn logs(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(damaged_dir(dir)) else { return Vec::new() };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut logs: Vec<_> = paths
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("log.")))
        .collect();
    logs.sort();
    logs
}

/// Copies a directory with everything in it, and syncs the copy.
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
    Ok(std::fs::File::open(to)?.sync_all()?)
}

/// Bytes of all files in a directory.
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

/// Preserves a copy of a file of the database; `what` is added to its name.
pub(super) fn preserve(dir: &Path, name: &str, what: &str) -> Result<PathBuf> {
    let directory = damaged_dir(dir);
    std::fs::create_dir_all(&directory)?;
    let to = directory.join(format!("{name}.{what}"));
    std::fs::copy(dir.join(name), &to)?;
    std::fs::File::open(&to)?.sync_all()?;
    std::fs::File::open(&directory)?.sync_all()?;
    if let Some(above) = directory.parent() {
        std::fs::File::open(above)?.sync_all()?;
    }
    Ok(to)
}
