//! Failures of single operations.

use std::io;

/// Kinds of operations that change something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Write,
    SetLen,
    Sync,
    SyncDir,
    /// Creation of a file or a directory.
    Create,
    Rename,
    /// Removal of a file or a directory.
    Remove,
}

/// The error with which an operation fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// `EIO`.
    Io,
    /// `ENOSPC`.
    NoSpace,
}

impl From<Failure> for io::Error {
    fn from(failure: Failure) -> Self {
        Self::from_raw_os_error(match failure {
            Failure::Io => 5,
            Failure::NoSpace => 28,
        })
    }
}

/// A set of operations that fail.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    /// The kind of the operations; `None` for any kind.
    pub(crate) on: Option<Operation>,
    /// How many of these operations succeed first.
    pub(crate) after: u64,
    /// How many of them fail after that.
    pub(crate) times: u64,
    pub(crate) failure: Failure,
}

impl Fault {
    /// Whether the next operation fails, given its kind.
    pub(super) fn strikes(&mut self, operation: Operation) -> bool {
        if self.on.is_some_and(|on| on != operation) || self.times == 0 {
            return false;
        }
        if self.after > 0 {
            self.after -= 1;
            return false;
        }
        self.times -= 1;
        true
    }
}
