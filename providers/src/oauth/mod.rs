//! The client side of OAuth 2.1: discovering authorization servers, registering as a client, logging users in, and
//! renewing and revoking their tokens.
//!
//! All URLs come from a tenant's users or from servers that they chose. Requests therefore go through the guarded
//! client ([`WebClient`]) with size and time limits, and no redirect is followed with a code or a token. This module
//! stores nothing: logins and tokens are the caller's responsibility.

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

/// The client side of OAuth. Cheap to clone.
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
