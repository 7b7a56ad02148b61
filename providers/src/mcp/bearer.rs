//! Where the token comes from that a tool server wants.

use async_trait::async_trait;

use crate::Secret;

/// The login of one user at one tool server: each call of the server asks it for a token, and for another one when the
/// server does not take the one it got. It stands for (tenant, user, address of the server) and keeps no token itself.
#[async_trait]
pub trait Bearer: Send + Sync + std::fmt::Debug {
    /// The token as it stands, renewed ahead of its end; none where the user has no login here, in which case the
    /// request goes out without one, as the server may want none.
    ///
    /// # Errors
    /// [`BearerError`]; never with a token in its words.
    async fn token(&self) -> Result<Option<Token>, BearerError>;

    /// The server has answered 401. `stale` is the token that it got, if it got one, and `challenge` the value of its
    /// `WWW-Authenticate`. A token that was renewed in the meantime is not renewed again: another token than `stale` is
    /// an answer. Asked once for a request; the token is tried once. Also told of a 403 whose challenge says
    /// `insufficient_scope`, since the next login has to ask for more; no token helps then.
    ///
    /// # Errors
    /// [`BearerError::LoginRequired`] where no renewal helps; else what kept the renewal from coming.
    async fn renew(&self, stale: Option<&Secret>, challenge: Option<&str>) -> Result<Secret, BearerError>;
}

/// A credential, and the form in which it is sent.
#[derive(Clone, Debug)]
pub struct Token {
    /// The token, or the key.
    pub secret: Secret,
    /// The header that it stands in, as it is; none for `Authorization: Bearer`.
    pub header: Option<String>,
}

impl From<Secret> for Token {
    fn from(secret: Secret) -> Self {
        Self { secret, header: None }
    }
}

/// Why there is no token.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BearerError {
    /// The user has to log in, in a browser.
    #[error("the user has to log in")]
    LoginRequired,
    /// The server does not take the key that everybody is let in with.
    #[error("it refused the key that the assistant has for it")]
    KeyRefused,
    /// The authority, or storage, did not do its part; another try may help.
    #[error("{0}")]
    Unavailable(String),
}

/// No login at all, for servers that want none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Anonymous;

#[async_trait]
impl Bearer for Anonymous {
    async fn token(&self) -> Result<Option<Token>, BearerError> {
        Ok(None)
    }

    async fn renew(&self, _: Option<&Secret>, _: Option<&str>) -> Result<Secret, BearerError> {
        Err(BearerError::LoginRequired)
    }
}
