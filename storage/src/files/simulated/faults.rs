//! Failures of single operations.

use std::io;

/// Kinds of operations that change something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Write,
    SetLen,
    Sync,
    SyncDir,
    /// Of files and of directories.
    Create,
    Rename,
    /// Of files and of directories.
    Remove,
}

/// How an operation fails.
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

/// Operations that are to fail.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    /// Which kind; `None` for any.
    pub(crate) on: Option<Operation>,
    /// How many of these succeed first.
    pub(crate) after: u64,
    /// How many fail then.
    pub(crate) times: u64,
    pub(crate) failure: Failure,
}

impl Fault {
    /// Whether an operation, the next one, fails.
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
