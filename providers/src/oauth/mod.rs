//! OAuth 2.1 from the client's side: who gives tokens for a server, becoming a client there, logging users in, and
//! renewing and giving back what they got.
//!
//! Every address here is chosen by people of a tenant or by servers that they chose, so all of it goes out by the guarded
//! client ([`WebClient`]), with limits on size and time, and no redirect is followed with a code or a token. Nothing
//! here is kept: who logs in where, and with what, is the caller's.

mod challenge;
mod discovery;
mod error;
mod metadata;
mod proof;
mod registration;
mod tokens;

pub use challenge::{Challenge, scopes};
pub use discovery::ServerAccess;
pub use error::{OAuthError, OAuthErrorKind, printable};
pub use metadata::{Authority, Resource};
pub use proof::{challenge as challenge_of_verifier, random};
pub use registration::{ClientMetadata, RegisteredClient};
pub use tokens::{Ask, AuthMethod, Client, Tokens};

use crate::web::WebClient;

/// The client's side of OAuth. Cheap to clone.
#[derive(Clone, Debug)]
pub struct OAuth {
    web: WebClient,
}

impl OAuth {
    /// A client of authorization servers that uses `web` for all requests.
    pub fn new(web: WebClient) -> Self {
        Self { web }
    }

    /// The web client for all requests.
    pub fn web(&self) -> &WebClient {
        &self.web
    }
}
