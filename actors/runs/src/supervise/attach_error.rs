//! The errors of attaching to a run.

use domain::{Code, Refusal};

/// Why a run's journal cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum AttachError {
    /// The run does not exist in this tenant.
    #[error("no such stream")]
    NotFound,
    /// The run has ended, and the retention time of its journal has passed.
    #[error("the stream has expired")]
    Expired,
    /// The run's actor did not respond in time.
    #[error("the run's mailbox is full")]
    Busy,
    /// The underlying storage operation failed.
    #[error(transparent)]
    Storage(#[from] storage::Error),
}

impl From<AttachError> for Refusal {
    fn from(why: AttachError) -> Self {
        match why {
            AttachError::NotFound => Self::not_found("stream"),
            AttachError::Expired => Code::StreamExpired.into(),
            AttachError::Busy => Self::new(Code::Overloaded).retry_after(1),
            AttachError::Storage(why) => why.into(),
        }
    }
}
