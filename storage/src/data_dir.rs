//! The data folder: its parts, making it, and locking it for one process.

use crate::error::{Error, OpenError};
use crate::files::{FileSystem, create_dir_synced, find, parent, sync_name};
use crate::room;
use std::fs::{DirBuilder, File, TryLockError};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::time::{Duration, Instant};

/// Stands in a data folder while it is restored.
pub(crate) const RESTORING: &str = "restoring";
/// The folder of the database in the data folder.
pub(crate) const ENGINE: &str = "engine";
const LOCK: &str = "lock";
/// How long a folder may still be held in the name of a process that is gone. One that is killed while it starts another
/// program leaves a copy of itself for as long as that takes, and the copy has the lock, too.
const INHERITED: Duration = Duration::from_secs(5);

/// Why a folder cannot be opened.
pub(crate) fn refused(dir: &Path, source: Error) -> OpenError {
    let dir = dir.to_owned();
    match source {
        Error::Corrupt(what) => OpenError::Damaged { dir, what },
        Error::Full => OpenError::Full { free_mib: room::free(&dir).unwrap_or_default() >> 20, dir },
        Error::Io(error) if room::is_full(&error) => {
            OpenError::Full { free_mib: room::free(&dir).unwrap_or_default() >> 20, dir }
        }
        source => OpenError::Failed { dir, source },
    }
}

/// Makes a data folder that is not there, for its owner alone: what is in it is everybody's, passwords' hashes among it.
pub(crate) fn make(files: &dyn FileSystem, dir: &Path) -> std::io::Result<()> {
    if find(files, dir)?.is_some_and(|found| found.is_dir) {
        return sync_name(files, dir);
    }
    create_dir_synced(files, parent(dir))?;
    DirBuilder::new().mode(0o700).create(dir)?;
    files.sync_dir(parent(dir))
}

/// Takes the folder for this process. The lock goes with the process, however it ends.
pub(crate) fn lock(dir: &Path) -> Result<File, OpenError> {
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
    Ok(file)
}

/// Who has written that the folder is theirs; it is for information only.
fn holder(file: &mut File) -> Option<u32> {
    let mut written = String::new();
    file.rewind().ok()?;
    file.take(20).read_to_string(&mut written).ok()?;
    written.trim().parse().ok()
}

/// Whether there is no such process any more, as far as the system tells.
fn is_gone(process: u32) -> bool {
    Path::new("/proc/self").exists() && !Path::new("/proc").join(process.to_string()).exists()
}
