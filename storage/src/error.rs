//! The errors of the store.

use crate::limits::LimitReached;
use std::path::PathBuf;

/// The result of a storage operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an operation on the store failed. Nothing was changed, except when a commit returns [`Error::Engine`],
/// [`Error::Io`] or [`Error::Closed`]: the outcome of that commit is unknown until the store has been opened again.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The record does not exist. Contains the name of its type.
    #[error("{0} not found")]
    NotFound(&'static str),
    /// A record with this id, or with this value of a unique index, already exists.
    #[error("a {record} with this {index} exists already")]
    Taken {
        /// The name of the record's type.
        record: &'static str,
        /// The unique index, or `id`.
        index: &'static str,
    },
    /// The record has changed since the caller read the version that it holds.
    #[error("the {0} was changed by another request")]
    Stale(&'static str),
    /// Data that the transaction read changed before the commit. `Store::run` retries automatically.
    #[error("a concurrent change was committed first")]
    Conflict,
    /// The commit queue is full, or too many other transactions change the same records.
    #[error("the store is busy")]
    Busy,
    /// The transaction would exceed a limit on stored data.
    #[error("{0}")]
    LimitReached(Box<LimitReached>),
    /// The disk has too little free space for writes. Nothing was changed. The store resumes automatically once there
    /// is enough space.
    #[error(
        "there is too little free space on the disk of the data folder; free some space and writing resumes automatically"
    )]
    Full,
    /// The data on disk is malformed.
    #[error("damaged data: {0}")]
    Corrupt(String),
    /// The caller's request is invalid.
    #[error("{0}")]
    Invalid(String),
    /// The engine failed, for example because a sync to the disk failed. It is unknown whether a commit in progress
    /// took place. The store refuses writes until it is opened again; opening it shows the outcome.
    #[error("storage engine: {0}")]
    Engine(String),
    /// A file operation failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The writer belongs to an earlier epoch of its run; a later epoch has taken over.
    #[error("the run has moved to a later epoch")]
    Superseded,
    /// The store is closed or closing.
    #[error("the store is closed")]
    Closed,
}

impl Error {
    /// The message of an engine failure, without the prefix that `Display` adds.
    pub(crate) fn of_engine(&self) -> String {
        match self {
            Self::Engine(words) => words.clone(),
            other => other.to_string(),
        }
    }
}

/// Why a data folder could not be opened. Every message can be shown to the operator who started the server.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another process has the folder open.
    #[error("{dir} is in use by another process{holder}; stop it first, or choose another data folder")]
    Locked {
        /// The data folder.
        dir: PathBuf,
        /// ` (process N)`, if the process is known.
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
        /// The newest format that this build reads.
        known: u32,
    },
    /// A migration failed. The data is unchanged.
    #[error(
        "migration to data format {to} failed: {source}; the data is unchanged, and a backup is at {backup}"
    )]
    Migration {
        /// The target format of the migration.
        to: u32,
        /// The backup that was written before the migration.
        backup: PathBuf,
        /// What went wrong.
        source: Error,
    },
    /// The key that encrypts secrets is missing or unreadable.
    #[error("secrets key: {0}")]
    SecretsKey(String),
    /// The configuration of the blob store is invalid.
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
    /// Any other error.
    #[error("cannot open {dir}: {source}")]
    Failed {
        /// The data folder.
        dir: PathBuf,
        /// What went wrong.
        source: Error,
    },
}
