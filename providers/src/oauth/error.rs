//! Why an authority did not do what it was asked.

use crate::web::{WebError, WebErrorKind};

/// Characters of an authority's own words that are passed on.
const SHOWN: usize = 300;
/// What stands in a secret's place.
const REMOVED: &str = "[secret]";

/// Why an authority, or a resource, did not do what it was asked. The words are fit to be shown: they hold no secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct OAuthError {
    /// What sort of failure it was.
    pub kind: OAuthErrorKind,
    /// A sentence for administrators, without credentials.
    pub message: String,
}

/// The sorts of failure that callers treat differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OAuthErrorKind {
    /// There was no response, or one that reports a temporary fault. A retry may help.
    Unreachable,
    /// The authority said no, with this code of RFC 6749, 7009 or 7591.
    Refused(String),
    /// What it said breaks the protocol.
    Wrong,
    /// It can not do what is needed: PKCE, a way to register.
    Unfit,
    /// This server's own settings do not let it be asked; nothing was sent.
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

    /// A refusal, in the authority's words as far as they are fit.
    pub(super) fn refused(code: &str, description: Option<&str>) -> Self {
        let code = printable(code);
        let message = match description.map(printable).filter(|text| !text.is_empty()) {
            Some(text) => format!("{code}: {text}"),
            None => code.clone(),
        };
        Self { kind: OAuthErrorKind::Refused(code), message }
    }

    /// The code of a refusal.
    pub fn code(&self) -> Option<&str> {
        match &self.kind {
            OAuthErrorKind::Refused(code) => Some(code),
            _ => None,
        }
    }

    /// Whether the grant is over for good, so that the user has to log in again.
    pub fn ends_grant(&self) -> bool {
        self.code() == Some("invalid_grant")
    }

    /// Whether the authority does not know the client, or not any more.
    pub fn ends_client(&self) -> bool {
        matches!(self.code(), Some("invalid_client" | "unauthorized_client"))
    }

    /// Without these secrets, which a server may have put into its words.
    pub(super) fn without(mut self, secrets: &[&str]) -> Self {
        for secret in secrets.iter().filter(|secret| secret.len() >= 4) {
            self.message = self.message.replace(secret, REMOVED);
            if let OAuthErrorKind::Refused(code) = &mut self.kind {
                *code = code.replace(secret, REMOVED);
            }
        }
        self
    }

    /// With what was being done.
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

/// A server's words on one line, without what is not for the eye, and not too many of them.
pub fn printable(text: &str) -> String {
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    plain.take(SHOWN).collect::<String>().trim().to_owned()
}
