//! Errors of requests to authorization servers.

use crate::web::{WebError, WebErrorKind};

/// Maximum number of characters of an authorization server's message that are passed on.
const SHOWN: usize = 300;
/// The text that replaces a secret.
const REMOVED: &str = "[secret]";

/// The error of a request to an authorization server or a resource. The message is safe to show: it contains no
/// secrets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct OAuthError {
    /// The category of the failure.
    pub kind: OAuthErrorKind,
    /// A sentence for administrators, without credentials.
    pub message: String,
}

/// Categories of failures that callers handle differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OAuthErrorKind {
    /// There was no response, or one that reports a temporary fault. A retry may help.
    Unreachable,
    /// The authorization server refused, with this error code of RFC 6749, 7009 or 7591.
    Refused(String),
    /// The response violates the protocol.
    Wrong,
    /// The authorization server lacks a required feature, such as PKCE or client registration.
    Unfit,
    /// This server's settings block the request; nothing was sent.
    Blocked,
}

impl OAuthError {
    pub(super) fn wrong(message: impl Into<String>) -> Self {
        Self { kind: OAuthErrorKind::Wrong, message: message.into() }
    }

    pub(super) fn unfit(message: impl Into<String>) -> Self {
        Self { kind: OAuthErrorKind::Unfit, message: message.into() }
    }

    pub(super) fn unreachable(message: impl Into<String>) -> Self {
        Self { kind: OAuthErrorKind::Unreachable, message: message.into() }
    }

    /// Creates a refusal with the authorization server's printable message.
    pub(super) fn refused(code: &str, description: Option<&str>) -> Self {
        let code = printable(code);
        let message = match description.map(printable).filter(|text| !text.is_empty()) {
            Some(text) => format!("{code}: {text}"),
            None => code.clone(),
        };
        Self { kind: OAuthErrorKind::Refused(code), message }
    }

    /// The error code of a refusal.
    pub fn code(&self) -> Option<&str> {
        match &self.kind {
            OAuthErrorKind::Refused(code) => Some(code),
            _ => None,
        }
    }

    /// Whether the grant is permanently invalid, so that the user has to log in again.
    pub fn ends_grant(&self) -> bool {
        self.code() == Some("invalid_grant")
    }

    /// Whether the authorization server does not know the client, or no longer does.
    pub fn ends_client(&self) -> bool {
        matches!(self.code(), Some("invalid_client" | "unauthorized_client"))
    }

    /// Removes these secrets from the message, since a server may have echoed them.
    pub(super) fn without(mut self, secrets: &[&str]) -> Self {
        for secret in secrets.iter().filter(|secret| secret.len() >= 4) {
            self.message = self.message.replace(secret, REMOVED);
            if let OAuthErrorKind::Refused(code) = &mut self.kind {
                *code = code.replace(secret, REMOVED);
            }
        }
        self
    }

    /// Prefixes the message with the operation that failed.
    pub(super) fn about(mut self, what: &str) -> Self {
        self.message = format!("{what}: {}", self.message);
        self
    }
}

impl From<WebError> for OAuthError {
    fn from(error: WebError) -> Self {
        let kind = match error.kind {
            WebErrorKind::Connect | WebErrorKind::Timeout | WebErrorKind::Protocol => {
                OAuthErrorKind::Unreachable
            }
            WebErrorKind::Refused | WebErrorKind::Invalid => OAuthErrorKind::Blocked,
            _ => OAuthErrorKind::Wrong,
        };
        Self { kind, message: error.message }
    }
}

/// Returns a server's message on one line, without control characters, cut after `SHOWN` characters.
pub fn printable(text: &str) -> String {
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    plain.take(SHOWN).collect::<String>().trim().to_owned()
}
