//! Replacing a database by another one that was written next to it.
//!
//! ```text
//! engine.old   <── renamed ── engine   <── renamed ── engine.new
//! ```
//!
//! At any time at which the process may end, the directory with the old name or the one with the new name is complete:
//! the old directory exists until the new one has taken its place.

use super::aside::beside;
use super::legacy;
use crate::error::Result;
use crate::files::{self, FileSystem, create_dir_synced, find, parent, remove_all};
use crate::time::Timestamp;
use std::path::{Path, PathBuf};

/// Returns the directory in which the new database is written, and makes sure that it does not exist.
pub(super) fn begin(files: &dyn FileSystem, dir: &Path) -> Result<PathBuf> {
    let new = beside(dir, ".new");
    remove_all(files, &new)?;
    Ok(new)
}

/// Replaces the database. The new one must be closed, with all its data durable.
pub(super) fn replace(files: &dyn FileSystem, dir: &Path) -> Result<()> {
    files::sync_all(files, &beside(dir, ".new"))?;
    files.rename(dir, &beside(dir, ".old"))?;
    // Without this sync, a power loss could preserve the second rename but not the first, and lose the old database.
    files.sync_dir(parent(dir))?;
    files.rename(&beside(dir, ".new"), dir)?;
    files.sync_dir(parent(dir))?;
    finish(files, dir)
}

/// Completes or undoes a replacement that was interrupted by the end of the process. A replaced database of version 1
/// is preserved in `backups`.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::simulated::{Random, SimulatedDisk};
    use crate::files::write_new;

    const DIR: &str = "/srv/data/engine";

    /// A database of version 1, and the new one next to it.
    fn disk(seed: u64) -> SimulatedDisk {
        let disk = SimulatedDisk::new(seed);
        let new = beside(Path::new(DIR), ".new");
        create_dir_synced(&disk, Path::new(DIR)).unwrap();
        for name in ["db", "conf", "log.0", "log.1"] {
            write_new(&disk, &Path::new(DIR).join(name), name.as_bytes()).unwrap();
        }
        create_dir_synced(&disk, &new).unwrap();
        // The rest of the new database is not durable yet.
        disk.create(&new.join("state")).unwrap().write_at(b"new", 0).unwrap();
        disk
    }

    fn is_old(disk: &SimulatedDisk, dir: &Path) -> bool {
        ["db", "conf", "log.0", "log.1"]
            .iter()
            .all(|name| files::read(disk, &dir.join(name)).is_ok_and(|content| content == name.as_bytes()))
    }

    #[test]
    fn replace_leaves_the_old_database_or_the_new_one_with_a_backup_after_a_power_loss() {
        let (dir, backups) = (Path::new(DIR), Path::new("/srv/data/backups"));
        let mut has_new = 0;
        for stop in 0.. {
            let disk = disk(stop);
            disk.stop_after(stop);
            let replaced = replace(&disk, dir);
            let disk_after = |outcome: u64, random: &mut Random| match outcome % 2 {
                0 => disk.lose_power(random),
                // A kill, and a power loss while the next process completes or undoes the replacement.
                _ => {
                    let next = disk.kill(random);
                    next.stop_after(random.below(12));
                    let _ = finish(&next, dir);
                    next.lose_power(random)
                }
            };
            for outcome in 0..40 {
                let mut random = Random::new(stop * 100 + outcome);
                let left = disk_after(outcome, &mut random);
                finish(&left, dir).unwrap();
                let context = format!("stopped after {stop}, outcome {outcome}");
                if is_old(&left, dir) {
                    assert!(replaced.is_err(), "{context}: it was replaced");
                } else {
                    has_new += 1;
                    let state = files::read(&left, &dir.join("state")).unwrap();
                    assert_eq!(state, b"new", "{context}");
                    let names = left.names(backups).unwrap_or_default();
                    let whole = names.iter().filter(|name| is_old(&left, &backups.join(name))).count();
                    assert_eq!((names.len(), whole), (1, 1), "{context}");
                }
                for ending in [".new", ".old"] {
                    assert!(find(&left, &beside(dir, ending)).unwrap().is_none(), "{context}: {ending}");
                }
            }
            if replaced.is_ok() {
                break;
            }
        }
        assert!(has_new > 20);
    }
}
