//! How the engine on sled is set up.

use super::layout::Packed;

/// Bytes of a file that is left as it is, whatever is in it.
pub(super) const LEAST: u64 = 64 << 20;

/// How the engine is set up.
#[derive(Clone, Copy, Debug)]
pub struct SledOptions {
    /// Bytes of pages kept in memory.
    pub cache_bytes: u64,
    /// Whether a commit outlives a power cut, and not only the end of the process.
    pub power_safe: bool,
    /// Tables whose entries are kept many together.
    pub packed: &'static [Packed],
    /// Bytes in a log after which its memtable is brought to the database. As much again may be
    /// on its way there, and both are in memory.
    pub log_bytes: u64,
    /// Bytes of a file from which on it is looked at whether the database is to be rewritten when it is opened.
    pub compact_from: u64,
}

impl SledOptions {
    /// What serves well for [`log_bytes`](Self::log_bytes).
    pub const LOG_BYTES: u64 = 4 << 20;
    /// What serves well for [`compact_from`](Self::compact_from).
    pub const COMPACT_FROM: u64 = LEAST;
}
