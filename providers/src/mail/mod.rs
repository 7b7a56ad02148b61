//! Letters: mail that the server sends to people.

mod smtp;

pub use smtp::Smtp;

use async_trait::async_trait;

/// A letter to one person, in plain text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Email {
    /// The recipient's address.
    pub to: String,
    /// What it is about; line breaks in it become spaces.
    pub subject: String,
    /// The plain text body.
    pub text: String,
}

/// A transport for emails.
#[async_trait]
pub trait Mailer: Send + Sync {
    /// Hands a letter to the next server on its way. That this went well does not say that it arrives.
    ///
    /// # Errors
    /// Why it was not taken. Nothing secret stands in it.
    async fn send(&self, letter: Email) -> Result<(), MailError>;
}

/// Why a letter was not sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct MailError {
    pub kind: MailErrorKind,
    /// A sentence for administrators, without credentials.
    pub message: String,
}

/// What kept a letter from being sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailErrorKind {
    /// The address, or the letter, is none.
    Malformed,
    /// The server will not have it, now or later.
    Refused,
    /// The server will not have it now.
    Later,
    /// The server refused the login.
    Auth,
    /// There was no connection, or no TLS, or it broke off.
    Unreachable,
    /// The mail server did not answer in time.
    Timeout,
}

/// What is wrong with the settings of mail.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct MailConfigError(pub String);
