//! Emails that the server sends to users.

mod smtp;

pub use smtp::Smtp;

use async_trait::async_trait;

/// An email to one recipient, in plain text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Email {
    /// The recipient's address.
    pub to: String,
    /// The subject; line breaks are replaced by spaces.
    pub subject: String,
    /// The plain text body.
    pub text: String,
}

/// A transport for emails.
#[async_trait]
pub trait Mailer: Send + Sync {
    /// Passes an email to the next mail server. Success does not guarantee delivery.
    ///
    /// # Errors
    /// Returns the reason for the failure; the message contains no secrets.
    async fn send(&self, letter: Email) -> Result<(), MailError>;
}

/// The error of a failed email.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct MailError {
    pub kind: MailErrorKind,
    /// A sentence for administrators, without credentials.
    pub message: String,
}

/// Categories of email failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailErrorKind {
    /// The address or the email is malformed.
    Malformed,
    /// The server permanently rejects the email.
    Refused,
    /// The server temporarily rejects the email.
    Later,
    /// The server rejected the credentials.
    Auth,
    /// There was no connection or no TLS, or the connection broke.
    Unreachable,
    /// The mail server did not answer in time.
    Timeout,
}

/// A fault in the mail settings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct MailConfigError(pub String);
