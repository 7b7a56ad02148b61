//! Why a login did not come about.

use providers::oauth::OAuthError;

/// Why a login did not come about. The words are fit to be shown.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// There is no such service, or the assistant has no such tool server.
    #[error("{0} not found")]
    NotFound(&'static str),
    /// The server lets everyone in.
    #[error("{0} wants no login")]
    NotNeeded(String),
    /// The login has expired, was ended before, or never began.
    #[error("the login has expired, or was used before; begin it again")]
    Gone,
    /// The user has no place in the tenant any more, or it is switched off for them.
    #[error("{0}")]
    NotAllowed(String),
    /// What came back is not the answer to what was asked.
    #[error("{0}")]
    Mismatch(String),
    /// The authority did not let the user in, in its own words.
    #[error("{0}")]
    Denied(String),
    /// The authority, or the tool server, did not do its part.
    #[error("{0}")]
    Authority(#[from] OAuthError),
    /// Storage did not do its part.
    #[error(transparent)]
    Store(#[from] storage::Error),
}

/// Why there is no token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TokenError {
    /// The user has to log in.
    LoginRequired,
    /// Another try may help; with what happened.
    Unavailable(String),
}

impl From<storage::Error> for TokenError {
    fn from(why: storage::Error) -> Self {
        Self::Unavailable(why.to_string())
    }
}
