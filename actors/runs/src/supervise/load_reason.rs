//! Why a run is loaded.

use uuid::Uuid;

/// What an unloaded run is needed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LoadReason {
    /// Its time has come: it takes its turn as recovered runs do.
    Due,
    /// Someone waits for it to execute a command.
    Command,
    /// This user cancels it.
    Cancel(Uuid),
}
