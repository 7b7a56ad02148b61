//! Free space on the disk of a data folder, and the operations that are refused when there is little.
//!
//! ```text
//! free space
//!   above the low-water mark   all operations are accepted
//!   below it                   no new runs, no uploads; work in progress continues and can end
//!   below the reserve          no writes at all; reads continue
//! ```
//!
//! The folder contains a file of three quarters of the reserve. When a folder is opened on a full disk, this file is
//! deleted, so that the database has the space that opening needs, even if other programs filled the disk.

use parking_lot::Mutex;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The file that reserves space for opening the folder on a full disk.
const RESERVE: &str = "reserve";
/// How long a measurement of the free space remains valid.
const FRESH: Duration = Duration::from_millis(200);

/// How much space of a disk a store leaves free, in bytes. 0 disables a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RoomOptions {
    /// If less space is free, new runs and uploads are refused.
    pub low_water: u64,
    /// If less space is free, all writes are refused. Three quarters of it are reserved in a file for opening the
    /// folder.
    pub reserve: u64,
}

/// The free space on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoomState {
    /// Bytes of free space.
    pub free: u64,
    /// Whether the free space is below the low-water mark.
    pub is_low: bool,
    /// Whether the free space is below the reserve, so that all writes are refused.
    pub is_exhausted: bool,
}

pub(crate) struct DiskSpace {
    dir: PathBuf,
    options: RoomOptions,
    seen: Mutex<Option<(Instant, u64)>>,
}

impl DiskSpace {
    /// Measures the free space on the disk of a folder.
    pub fn new(dir: &Path, options: RoomOptions) -> Self {
        Self { dir: dir.to_owned(), options, seen: Mutex::default() }
    }

    /// The free space, measured at most 200 ms ago.
    pub fn state(&self) -> RoomState {
        let RoomOptions { low_water, reserve } = self.options;
        if low_water == 0 && reserve == 0 {
            return RoomState { free: u64::MAX, is_low: false, is_exhausted: false };
        }
        let mut seen = self.seen.lock();
        match *seen {
            Some((at, free)) if at.elapsed() < FRESH => self.classify(free),
            _ => {
                // If the free space is unknown, failing writes report a full disk.
                let free = free(&self.dir).unwrap_or(u64::MAX);
                *seen = Some((Instant::now(), free));
                self.classify(free)
            }
        }
    }

    /// Measures the free space now.
    pub fn measure(&self) -> RoomState {
        self.classify(free(&self.dir).unwrap_or(u64::MAX))
    }

    fn classify(&self, free: u64) -> RoomState {
        let RoomOptions { low_water, reserve } = self.options;
        RoomState { free, is_low: free < low_water.max(reserve), is_exhausted: free < reserve }
    }

    /// Deletes the file with the reserved space if the disk is too full for opening the folder; otherwise creates it.
    pub fn reserve_space(&self) {
        let (reserve, file) = (self.options.reserve, self.dir.join(RESERVE));
        // Less than the reserve: the space that its deletion frees is for opening, not for writes.
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
                // A file with only a part of the space is of no use.
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

/// Whether an operation failed for lack of disk space.
pub(crate) fn is_full(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded)
}
