//! Why no answer came.

use std::error::Error;
use std::time::Duration;

/// Why a web request failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct WebError {
    /// What sort of failure it was.
    pub kind: WebErrorKind,
    /// What happened, fit to be shown.
    pub message: String,
    /// Whether surely not one byte of the request has left.
    pub unsent: bool,
}

/// The sorts of failure that callers treat differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WebErrorKind {
    /// The request itself is wrong: its address, its method, a header.
    Invalid,
    /// The address may not be reached from here.
    Refused,
    /// The server asks programs not to fetch it (`robots.txt`), or cannot say.
    Robots,
    /// There is no such secret, or it may not be sent there.
    Secret,
    /// The server could not be reached.
    Connect,
    /// The server did not answer in time.
    Timeout,
    /// The answer is larger than was asked for.
    TooLarge,
    /// There were too many redirects, or one that cannot be followed.
    Redirects,
    /// The server hung up or did not speak HTTP.
    Protocol,
}

impl WebError {
    /// An error after which the request may have reached the server.
    pub(super) fn new(kind: WebErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), unsent: false }
    }

    /// An error before anything was sent.
    pub(super) fn unsent(kind: WebErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), unsent: true }
    }

    pub(super) fn timeout(patience: Duration) -> Self {
        let message = format!("there was no complete response within {} ms", patience.as_millis());
        Self::new(WebErrorKind::Timeout, message)
    }

    pub(super) fn too_large(max_bytes: u64) -> Self {
        Self::new(WebErrorKind::TooLarge, format!("the answer is larger than {max_bytes} bytes"))
    }
}

/// An error of the guard inside one of the transport.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Guarded(pub(super) WebError);

/// What a failure of the connection is. Its text holds no address, since that may hold a key.
pub(super) fn of_transport(error: reqwest::Error) -> WebError {
    let error = error.without_url();
    let mut root: &dyn Error = &error;
    loop {
        if let Some(Guarded(error)) = root.downcast_ref() {
            return error.clone();
        }
        let Some(source) = root.source() else { break };
        root = source;
    }
    if error.is_connect() {
        let kind = if error.is_timeout() { WebErrorKind::Timeout } else { WebErrorKind::Connect };
        return WebError::unsent(kind, format!("the server cannot be reached: {root}"));
    }
    if error.is_timeout() {
        return WebError::new(WebErrorKind::Timeout, "the server took too long");
    }
    if error.is_builder() {
        return WebError::unsent(WebErrorKind::Invalid, format!("the request cannot be sent: {root}"));
    }
    WebError::new(WebErrorKind::Protocol, format!("the server sent an invalid response: {root}"))
}
