//! Reasons for loading a run.

use uuid::Uuid;

/// Why an unloaded run is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LoadReason {
    /// Its time has come. It is queued like a recovered run.
    Due,
    /// It has to execute a command, and the caller waits for it.
    Command,
    /// This user cancels it.
    Cancel(Uuid),
}
