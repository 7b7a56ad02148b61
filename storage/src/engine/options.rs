//! How the embedded engine is set up.

use super::index::IndexKind;
use crate::files::{FileSystem, SystemFiles};
use std::fmt;
use std::sync::Arc;

/// A table whose values share blocks in a database of version 1.
#[derive(Clone, Copy, Debug)]
pub struct Packed {
    /// The first two bytes of its keys.
    pub table: [u8; 2],
    /// How many bytes of the key the entries of one block share, the table's two included. All
    /// keys of the table are longer.
    pub shared: usize,
}

/// How the embedded engine is set up.
#[derive(Clone)]
pub struct EngineOptions {
    /// Bytes of the index kept in memory.
    pub cache_bytes: u64,
    /// Whether a commit outlives a power loss, and not only the end of the process.
    pub power_safe: bool,
    /// Tables whose values share blocks in a database of version 1.
    pub packed: &'static [Packed],
    /// Bytes in memory after which recent writes are brought to the index.
    pub memtable_bytes: usize,
    /// Bytes of the smallest segment of the log that another one follows.
    pub segment_bytes: u64,
    /// Bytes that the log may have beyond one and a half times what is live in it, before its oldest segment is cleaned.
    pub garbage_bytes: u64,
    /// Where the files are.
    pub(crate) files: Arc<dyn FileSystem>,
    /// What tells one boot of the machine from another; see [`boot_id`].
    pub(crate) boot: Option<String>,
    /// Which index there is.
    pub(crate) index: IndexKind,
    /// Whether a thread brings commits to the index; otherwise the caller of each commit does, in tests.
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

/// An id that Linux makes at each boot. What a process wrote to the page cache is there as long as the id is the same.
/// `None` on other systems, where an unclean shutdown counts as a power loss.
pub(crate) fn boot_id() -> Option<String> {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(id.trim().to_owned()).filter(|id| !id.is_empty())
}
