//! Supplies the tokens that tool servers require.

use async_trait::async_trait;

use crate::Secret;

/// The login of one user at one tool server, identified by tenant, user and server address. Every request to the
/// server asks it for a token, and for another one if the server rejects the first. It does not store tokens itself.
#[async_trait]
pub trait Bearer: Send + Sync + std::fmt::Debug {
    /// Returns the current token, renewed before it expires. Returns `None` if the user has no login at this server;
    /// the request is then sent without a token, because the server may not require one.
    ///
    /// # Errors
    /// Returns [`BearerError`], whose message never contains a token.
    async fn token(&self) -> Result<Option<Token>, BearerError>;

    /// Returns a new token after the server answered 401. `stale` is the token that was sent, if any, and `challenge`
    /// is the value of the `WWW-Authenticate` header. If another request has already renewed the token, the newer
    /// token is returned and no renewal takes place. Called at most once per request, and the returned token is tried
    /// once. Also called for a 403 whose challenge contains `insufficient_scope`, so that the next login requests
    /// more scopes; a renewed token does not help in that case.
    ///
    /// # Errors
    /// [`BearerError::LoginRequired`] if renewal cannot help; otherwise the reason why the renewal failed.
    async fn renew(&self, stale: Option<&Secret>, challenge: Option<&str>) -> Result<Secret, BearerError>;
}

/// A credential, and the form in which it is sent.
#[derive(Clone, Debug)]
pub struct Token {
    /// The token, or the key.
    pub secret: Secret,
    /// The name of the header that carries the secret unchanged; `None` for `Authorization: Bearer`.
    pub header: Option<String>,
}

impl From<Secret> for Token {
    fn from(secret: Secret) -> Self {
        Self { secret, header: None }
    }
}

/// Why no token is available.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BearerError {
    /// The user has to log in, in a browser.
    #[error("the user has to log in")]
    LoginRequired,
    /// The server rejects the shared key that all users of the assistant use.
    #[error("it refused the key that the assistant has for it")]
    KeyRefused,
    /// The authorization server or storage failed; a retry may help.
    #[error("{0}")]
    Unavailable(String),
}

/// Sends no token, for servers that do not require a login.
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
