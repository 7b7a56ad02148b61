//! What can go wrong.

use crate::limits::LimitReached;
use std::path::PathBuf;

/// The result of a storage operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an operation on the store failed. Nothing was changed, except after [`Error::Engine`], [`Error::Io`] and
/// [`Error::Closed`] from a commit: then the outcome is unknown until the store has been opened again.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no such record; names the kind of record.
    #[error("{0} not found")]
    NotFound(&'static str),
    /// A record with this id, or with this value of a unique index, is there already.
    #[error("a {record} with this {index} exists already")]
    Taken {
        /// The kind of record.
        record: &'static str,
        /// The unique index, or `id`.
        index: &'static str,
    },
    /// The record was changed since the version that the caller holds.
    #[error("the {0} was changed by another request")]
    Stale(&'static str),
    /// Something that was read changed before the commit. `Store::run` tries again by itself.
    #[error("a concurrent change was committed first")]
    Conflict,
    /// Too much is waiting to be written, or too many others change the same records.
    #[error("the store is busy")]
    Busy,
    /// The transaction would exceed a limit on stored data.
    #[error("{0}")]
    LimitReached(Box<LimitReached>),
    /// The disk has too little free space for writes. Nothing was changed; the store goes on by itself once there is room.
    #[error(
        "there is too little free space on the disk of the data folder; free some space and writing resumes automatically"
    )]
    Full,
    /// What is on disk does not read as it should.
    #[error("damaged data: {0}")]
    Corrupt(String),
    /// The caller asked for something impossible.
    #[error("{0}")]
    Invalid(String),
    /// The engine failed, for example because a sync to the disk did: whether a commit that was under way took place is
    /// unknown. The store takes no more writes until it is opened again; opening it shows the outcome.
    #[error("storage engine: {0}")]
    Engine(String),
    /// A file operation failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The work that writes belongs to an earlier epoch of its run: a later one has taken over.
    #[error("the run has moved to a later epoch")]
    Superseded,
    /// The store was closed, or is closing.
    #[error("the store is closed")]
    Closed,
}

impl Error {
    /// The words of an engine's failure, to be told on as one.
    pub(crate) fn of_engine(&self) -> String {
        match self {
            Self::Engine(words) => words.clone(),
            other => other.to_string(),
        }
    }
}

/// Why a data folder could not be opened. Every message can be shown to the operator who started the
/// server.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another process holds the folder.
    #[error("{dir} is in use by another process{holder}; stop it first, or choose another data folder")]
    Locked {
        /// The data folder.
        dir: PathBuf,
        /// ` (process N)`, when that is known.
        holder: String,
    },
    /// The folder was written by a newer version of the program.
    #[error(
        "{dir} has data format {found}, but this version knows formats up to {known}; use a newer version"
    )]
    Newer {
        /// The data folder.
        dir: PathBuf,
        /// The format on disk.
        found: u32,
        /// The newest format this build reads.
        known: u32,
    },
    /// A migration failed; the data is as it was before it.
    #[error(
        "migration to data format {to} failed: {source}; the data is unchanged, and a backup is at {backup}"
    )]
    Migration {
        /// The format the migration leads to.
        to: u32,
        /// The backup that was written first.
        backup: PathBuf,
        /// What went wrong.
        source: Error,
    },
    /// The key that encrypts secrets is missing or unreadable.
    #[error("secrets key: {0}")]
    SecretsKey(String),
    /// The blob store cannot be configured so.
    #[error("blob store: {0}")]
    Blobs(String),
    /// Files of the folder are damaged or missing. Nothing was changed.
    #[error(
        "the data folder {dir} is damaged: {what}. Nothing was changed. Restore a backup into an empty folder, or run \
         `understudy doctor --repair --data {dir}`, which keeps a copy of the damaged files, recovers what can be read \
         and lists what is lost"
    )]
    Damaged {
        /// The data folder.
        dir: PathBuf,
        /// Which file, where, and what is affected.
        what: String,
    },
    /// The disk has too little free space to open the folder.
    #[error(
        "cannot open {dir}: its disk has {free_mib} MiB of free space, and opening needs a few; free some space and start \
         again. Nothing was changed"
    )]
    Full {
        /// The data folder.
        dir: PathBuf,
        /// Free space, in mebibytes.
        free_mib: u64,
    },
    /// Anything else.
    #[error("cannot open {dir}: {source}")]
    Failed {
        /// The data folder.
        dir: PathBuf,
        /// What went wrong.
        source: Error,
    },
}
