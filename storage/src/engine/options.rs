//! The configuration of the embedded engine.

use super::index::IndexKind;
use crate::files::{FileSystem, SystemFiles};
use std::fmt;
use std::sync::Arc;

/// A table whose values share blocks in a database of version 1.
#[derive(Clone, Copy, Debug)]
pub struct Packed {
    /// The first two bytes of its keys.
    pub table: [u8; 2],
    /// Number of bytes of the key that the entries of one block share, including the two of the table. All keys of the
    /// table are longer.
    pub shared: usize,
}

/// The configuration of the embedded engine.
#[derive(Clone)]
pub struct EngineOptions {
    /// Bytes of the index to cache in memory.
    pub cache_bytes: u64,
    /// Whether a commit survives a power loss, and not only the end of the process.
    pub power_safe: bool,
    /// Tables whose values share blocks in a database of version 1.
    pub packed: &'static [Packed],
    /// Bytes in memory after which recent writes are transferred to the index.
    pub memtable_bytes: usize,
    /// Minimum size of a segment of the log in bytes before the next one is started.
    pub segment_bytes: u64,
    /// Bytes by which the log may exceed one and a half times its live data before its oldest segment is cleaned.
    pub garbage_bytes: u64,
    /// The file system that holds the files.
    pub(crate) files: Arc<dyn FileSystem>,
    /// Distinguishes one boot of the machine from another; see [`boot_id`].
    pub(crate) boot: Option<String>,
    /// The type of the index.
    pub(crate) index: IndexKind,
    /// Whether a thread transfers commits to the index. Otherwise, in tests, the caller of each commit does.
    pub(crate) has_thread: bool,
}

impl EngineOptions {
    /// The defaults. `packed` are the tables whose values share blocks in a database of version 1.
    pub fn new(packed: &'static [Packed]) -> Self {
        Self {
            cache_bytes: 64 << 20,
            power_safe: false,
            packed,
            memtable_bytes: 8 << 20,
            segment_bytes: 16 << 20,
            garbage_bytes: 32 << 20,
            files: Arc::new(SystemFiles),
            boot: boot_id(),
            index: IndexKind::Sled,
            has_thread: true,
        }
    }
}

impl fmt::Debug for EngineOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EngineOptions").field("power_safe", &self.power_safe).finish_non_exhaustive()
    }
}

/// An id that Linux generates at each boot. Data that a process wrote to the page cache exists as long as the id is the
/// same. `None` on other systems, where an unclean shutdown counts as a power loss.
pub(crate) fn boot_id() -> Option<String> {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(id.trim().to_owned()).filter(|id| !id.is_empty())
}
