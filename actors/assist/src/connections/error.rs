//! Errors of logins at other servers.

use providers::oauth::OAuthError;

/// Why a login failed. The message is suitable for users.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The service does not exist, or the assistant has no such tool server.
    #[error("{0} not found")]
    NotFound(&'static str),
    /// The server requires no login.
    #[error("{0} wants no login")]
    NotNeeded(String),
    /// The login has expired, was ended before, or never started.
    #[error("the login has expired, or was used before; begin it again")]
    Gone,
    /// The user is no longer a member of the tenant, or the feature is switched off for them.
    #[error("{0}")]
    NotAllowed(String),
    /// The response does not match the request.
    #[error("{0}")]
    Mismatch(String),
    /// The authorization server denied the login, with its own message.
    #[error("{0}")]
    Denied(String),
    /// The authorization server or the tool server failed.
    #[error("{0}")]
    Authority(#[from] OAuthError),
    /// The underlying storage operation failed.
    #[error(transparent)]
    Store(#[from] storage::Error),
}

/// Why there is no token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TokenError {
    /// The user has to log in.
    LoginRequired,
    /// A retry may succeed. Contains a description of the failure.
    Unavailable(String),
}

impl From<storage::Error> for TokenError {
    fn from(why: storage::Error) -> Self {
        Self::Unavailable(why.to_string())
    }
}
