//! Errors of directories.

use crate::chat::{ProviderError, ProviderErrorKind};

/// The category of a directory failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DirectoryErrorKind {
    /// The directory could not be reached.
    Unreachable,
    /// The directory rejected the credentials or denied access.
    Refused,
    /// The directory did not answer in time.
    Timeout,
    /// The directory throttles requests for longer than we wait.
    Throttled,
    /// The directory failed or sent an invalid response.
    Failed,
    /// The response is incomplete: a limit was reached, or the data changed while it was read.
    Incomplete,
    /// The settings are invalid.
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

    /// Whether all other requests to the directory would currently fail as well.
    pub const fn ends_all(self) -> bool {
        matches!(self, Self::Unreachable | Self::Refused | Self::Throttled | Self::Invalid)
    }
}

/// The error of a directory request, safe to show: it contains no secrets.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct DirectoryError {
    /// The category of the failure.
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
