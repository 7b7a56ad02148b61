//! Why a run cannot be read.

use domain::{Code, Refusal};

/// Why a run cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum AttachError {
    /// There is no such run in this tenant.
    #[error("no such stream")]
    NotFound,
    /// It has ended, and the retention time of its journal is over.
    #[error("the stream has expired")]
    Expired,
    /// Its actor does not answer.
    #[error("the run's mailbox is full")]
    Busy,
    /// Storage failed.
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
