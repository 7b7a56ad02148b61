//! How much room there is on the disk of a data folder, and what is refused when there is little.
//!
//! ```text
//! free space
//!   above the low-water mark   everything
//!   below it                   no new runs, no uploads; what is under way goes on and can end
//!   below the reserve          no writes at all; reads go on
//! ```
//!
//! A file of three quarters of the reserve is kept in the folder. When a folder is opened on a full disk, it is deleted, so that
//! the database has the room that opening takes, even if something else filled the disk.

use parking_lot::Mutex;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The file that holds room for opening the folder on a full disk.
const RESERVE: &str = "reserve";
/// How long a look at the disk counts.
const FRESH: Duration = Duration::from_millis(200);

/// How much of a disk a store leaves alone, in bytes of free space. 0 switches either off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RoomOptions {
    /// Below it, new runs and uploads are refused.
    pub low_water: u64,
    /// Below it, all writes are refused; three quarters of it are kept in a file for opening the folder.
    pub reserve: u64,
}

/// How much room there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoomState {
    /// Bytes of free space.
    pub free: u64,
    /// Whether these are below the low-water mark.
    pub is_low: bool,
    /// Whether these are below the reserve, so that nothing is written.
    pub is_exhausted: bool,
}

pub(crate) struct DiskSpace {
    dir: PathBuf,
    options: RoomOptions,
    seen: Mutex<Option<(Instant, u64)>>,
}

impl DiskSpace {
    /// The free space on the disk of a folder.
    pub fn new(dir: &Path, options: RoomOptions) -> Self {
        Self { dir: dir.to_owned(), options, seen: Mutex::default() }
    }

    /// The free space as measured a moment ago.
    pub fn state(&self) -> RoomState {
        let RoomOptions { low_water, reserve } = self.options;
        if low_water == 0 && reserve == 0 {
            return RoomState { free: u64::MAX, is_low: false, is_exhausted: false };
        }
        let mut seen = self.seen.lock();
        match *seen {
            Some((at, free)) if at.elapsed() < FRESH => self.judge(free),
            _ => {
                // If it is unknown, failing writes report a full disk.
                let free = free(&self.dir).unwrap_or(u64::MAX);
                *seen = Some((Instant::now(), free));
                self.judge(free)
            }
        }
    }

    /// The free space now.
    pub fn measure(&self) -> RoomState {
        self.judge(free(&self.dir).unwrap_or(u64::MAX))
    }

    fn judge(&self, free: u64) -> RoomState {
        let RoomOptions { low_water, reserve } = self.options;
        RoomState { free, is_low: free < low_water.max(reserve), is_exhausted: free < reserve }
    }

    /// Frees the reserved space if the disk is too full for opening the folder; otherwise reserves it.
    pub fn reserve_space(&self) {
        let (reserve, file) = (self.options.reserve, self.dir.join(RESERVE));
        // Less than the reserve: what a full disk gains by its deletion is for opening, and not for writes.
        let size = reserve / 4 * 3;
        let Ok(free) = free(&self.dir) else { return };
        if free < reserve {
            if std::fs::remove_file(&file).is_ok() {
                tracing::warn!(file = %file.display(), "the disk is full; deleted the file that reserves space on it");
            }
            return;
        }
        let has = std::fs::metadata(&file).map_or(0, |found| found.len());
        if size > 0 && has != size && free > self.options.low_water.saturating_add(reserve) {
            let reserved = File::create(&file).and_then(|reserved| {
                let flags = rustix::fs::FallocateFlags::empty();
                Ok(rustix::fs::fallocate(&reserved, flags, 0, size)?)
            });
            if let Err(error) = reserved {
                tracing::info!(%error, "no space can be reserved on this disk");
                // Of no use if only a part of it is there.
                let _ = std::fs::remove_file(&file);
            }
        }
    }
}

/// Bytes of free space on the disk of a folder, for users without privileges.
pub(crate) fn free(dir: &Path) -> std::io::Result<u64> {
    let disk = rustix::fs::statvfs(dir)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Whether an operation failed for lack of room on the disk.
pub(crate) fn is_full(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded)
}
