//! The data folder: its parts, its creation, and the lock that restricts it to one process.

use crate::disk_space;
use crate::error::{Error, OpenError};
use crate::files::{FileSystem, create_dir_synced, find, parent, sync_name};
use std::fs::{DirBuilder, File, TryLockError};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::time::{Duration, Instant};

/// Exists in a data folder while a restore is in progress.
pub(crate) const RESTORING: &str = "restoring";
/// The folder of the database in the data folder.
pub(crate) const ENGINE: &str = "engine";
const LOCK: &str = "lock";
/// How long a folder may still be locked on behalf of a process that is gone. A process that is killed while it starts
/// another program leaves a copy of itself behind until that is done, and the copy holds the lock as well.
const INHERITED: Duration = Duration::from_secs(5);

/// Converts an error to the reason why a folder cannot be opened.
pub(crate) fn refused(dir: &Path, source: Error) -> OpenError {
    let dir = dir.to_owned();
    match source {
        Error::Corrupt(what) => OpenError::Damaged { dir, what },
        Error::Full => OpenError::Full { free_mib: disk_space::free(&dir).unwrap_or_default() >> 20, dir },
        Error::Io(error) if disk_space::is_full(&error) => {
            OpenError::Full { free_mib: disk_space::free(&dir).unwrap_or_default() >> 20, dir }
        }
        source => OpenError::Failed { dir, source },
    }
}

/// Creates a data folder that does not exist, accessible to its owner only, because it contains the data of all users,
/// including password hashes.
pub(crate) fn make(files: &dyn FileSystem, dir: &Path) -> std::io::Result<()> {
    if find(files, dir)?.is_some_and(|found| found.is_dir) {
        return sync_name(files, dir);
    }
    create_dir_synced(files, parent(dir))?;
    DirBuilder::new().mode(0o700).create(dir)?;
    files.sync_dir(parent(dir))
}

/// The lock of a data folder. Dropping it unlocks the folder.
#[derive(Debug)]
pub(crate) struct FolderLock(File);

impl Drop for FolderLock {
    /// Closing the file would unlock the folder only once no other process has it: another thread may be starting a process at
    /// this moment, which has all open files until it becomes the new program.
    fn drop(&mut self) {
        // If this fails, closing the file remains.
        let _ = self.0.unlock();
    }
}

/// Locks the folder for this process. The lock ends with the process, however that ends.
pub(crate) fn lock(dir: &Path) -> Result<FolderLock, OpenError> {
    let failed = |error: std::io::Error| OpenError::Failed { dir: dir.to_owned(), source: error.into() };
    let options = File::options().read(true).write(true).create(true).truncate(false).clone();
    let mut file = options.open(dir.join(LOCK)).map_err(failed)?;
    let began = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => break,
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let holder = holder(&mut file);
        if !holder.is_some_and(is_gone) || began.elapsed() > INHERITED {
            let holder = holder.map(|process| format!(" (process {process})")).unwrap_or_default();
            return Err(OpenError::Locked { dir: dir.to_owned(), holder });
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    file.rewind().map_err(failed)?;
    file.set_len(0).map_err(failed)?;
    file.rewind().map_err(failed)?;
    writeln!(file, "{}", std::process::id()).map_err(failed)?;
    Ok(FolderLock(file))
}

/// The process that wrote its id into the lock file. For information only.
fn holder(file: &mut File) -> Option<u32> {
    let mut written = String::new();
    file.rewind().ok()?;
    file.take(20).read_to_string(&mut written).ok()?;
    written.trim().parse().ok()
}

/// Whether the process no longer exists, as far as the system reports it.
fn is_gone(process: u32) -> bool {
    Path::new("/proc/self").exists() && !Path::new("/proc").join(process.to_string()).exists()
}
