//! The progress of long tasks.

/// The progress of a long task, reported periodically.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The current step, for example `records`.
    pub step: &'static str,
    /// How much of this step is done: items, or bytes if `in_bytes` is set.
    pub done: u64,
    /// The total amount of this step, if known.
    pub total: Option<u64>,
    /// Whether the numbers are bytes.
    pub in_bytes: bool,
}

impl Progress {
    /// Progress counted in items.
    pub(crate) fn items(step: &'static str, done: u64, total: Option<u64>) -> Self {
        Self { step, done, total, in_bytes: false }
    }

    /// Progress counted in bytes.
    pub(crate) fn bytes(step: &'static str, done: u64, total: u64) -> Self {
        Self { step, done, total: Some(total), in_bytes: true }
    }
}
