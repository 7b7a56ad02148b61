//! Why a directory did not tell.

use crate::chat::{ProviderError, ProviderErrorKind};

/// What kind of failure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DirectoryErrorKind {
    /// It could not be reached.
    Unreachable,
    /// It refused the login, or does not let us see that.
    Refused,
    /// The directory did not answer in time.
    Timeout,
    /// It asks for fewer requests, for longer than we wait.
    Throttled,
    /// It sent something else than its protocol says, or failed.
    Failed,
    /// It did not tell all of it: a limit, or something changed while it was read.
    Incomplete,
    /// The settings do not fit.
    Invalid,
}

impl DirectoryErrorKind {
    /// The code of API errors and stored runs.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Unreachable => "directory_unreachable",
            Self::Refused => "directory_refused",
            Self::Timeout => "directory_timeout",
            Self::Throttled => "directory_throttled",
            Self::Failed => "directory_failed",
            Self::Incomplete => "directory_incomplete",
            Self::Invalid => "directory_invalid",
        }
    }

    /// Whether everything else that is asked of it now would fail as well.
    pub const fn ends_all(self) -> bool {
        matches!(self, Self::Unreachable | Self::Refused | Self::Throttled | Self::Invalid)
    }
}

/// Why a directory did not tell, fit to be shown: without secrets.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct DirectoryError {
    /// What kind of failure it is.
    pub kind: DirectoryErrorKind,
    /// A sentence for administrators, without credentials.
    pub message: String,
}

impl DirectoryError {
    pub(super) fn new(kind: DirectoryErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    pub(super) fn unreachable(message: impl Into<String>) -> Self {
        Self::new(DirectoryErrorKind::Unreachable, message)
    }

    pub(super) fn invalid(message: impl Into<String>) -> Self {
        Self::new(DirectoryErrorKind::Invalid, message)
    }

    pub(super) fn incomplete(message: impl Into<String>) -> Self {
        Self::new(DirectoryErrorKind::Incomplete, message)
    }

    pub(super) fn failed(message: impl Into<String>) -> Self {
        Self::new(DirectoryErrorKind::Failed, message)
    }
}

impl From<ProviderError> for DirectoryError {
    fn from(why: ProviderError) -> Self {
        let kind = match why.kind {
            ProviderErrorKind::Timeout => DirectoryErrorKind::Timeout,
            ProviderErrorKind::Connect => DirectoryErrorKind::Unreachable,
            ProviderErrorKind::RateLimited { .. } => DirectoryErrorKind::Throttled,
            ProviderErrorKind::Auth => DirectoryErrorKind::Refused,
            ProviderErrorKind::Unavailable { .. } => DirectoryErrorKind::Unreachable,
            ProviderErrorKind::Status(_) | ProviderErrorKind::Protocol | ProviderErrorKind::Refused => {
                DirectoryErrorKind::Failed
            }
        };
        Self::new(kind, why.message)
    }
}
