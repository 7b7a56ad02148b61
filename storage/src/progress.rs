//! The progress of long tasks.

/// The progress of a long task, reported now and then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What is being done, for example `records`.
    pub step: &'static str,
    /// How much of this step is done: items, or bytes if `in_bytes`.
    pub done: u64,
    /// How much there is to do in this step, if that is known.
    pub total: Option<u64>,
    /// Whether the numbers are bytes.
    pub in_bytes: bool,
}

impl Progress {
    /// Items done, of so many.
    pub(crate) fn items(step: &'static str, done: u64, total: Option<u64>) -> Self {
        Self { step, done, total, in_bytes: false }
    }

    /// Bytes done, of so many.
    pub(crate) fn bytes(step: &'static str, done: u64, total: u64) -> Self {
        Self { step, done, total: Some(total), in_bytes: true }
    }
}
