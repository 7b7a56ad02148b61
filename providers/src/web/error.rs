//! Errors of web requests.

use std::error::Error;
use std::time::Duration;

/// The error of a failed web request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct WebError {
    /// The category of the failure.
    pub kind: WebErrorKind,
    /// The reason, safe to show to users.
    pub message: String,
    /// Whether it is certain that no byte of the request was sent.
    pub unsent: bool,
}

/// Categories of failures that callers handle differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WebErrorKind {
    /// The request is invalid: its URL, its method or a header.
    Invalid,
    /// The configuration does not permit this address.
    Refused,
    /// The server's `robots.txt` disallows the page or cannot be read.
    Robots,
    /// The secret does not exist, or may not be sent to this server.
    Secret,
    /// The server could not be reached.
    Connect,
    /// The server did not respond in time.
    Timeout,
    /// The response exceeds the size limit of the request.
    TooLarge,
    /// There were too many redirects, or a redirect to an invalid address.
    Redirects,
    /// The server closed the connection or sent invalid HTTP.
    Protocol,
}

impl WebError {
    /// Creates an error after which the request may have reached the server.
    pub(super) fn new(kind: WebErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), unsent: false }
    }

    /// Creates an error that occurred before anything was sent.
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

/// Carries an error of the guard through the transport's error.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Guarded(pub(super) WebError);

/// Converts a transport error. The message contains no URL, since a URL may contain a key.
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
