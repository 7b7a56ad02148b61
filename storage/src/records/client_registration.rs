//! What authorities know this server as.

use crate::record::{Growth, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// That an authority has made this server a client of its own (RFC 7591), for one tenant. Its id is the SHA-256 (hex) of
/// issuer and redirect address; its secret is a secret, under [`secret`](Self::secret).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ClientRegistration {
    /// Issuer of the authorization server.
    pub issuer: String,
    /// The addresses that users return to.
    pub redirect_uri: String,
    /// The id that the server gave to the client.
    pub client_id: String,
    /// How it shows who it is: `none`, `client_secret_basic` or `client_secret_post`.
    pub auth_method: String,
    /// When its secret ends; none for never.
    pub secret_expires_at: Option<Timestamp>,
    /// Whether the last login that was begun with it has not come back. Its authority may have forgotten it.
    pub login_pending: bool,
}

impl ClientRegistration {
    /// The name of the secret that holds the client's.
    pub fn secret(id: &str) -> String {
        format!("client/{id}")
    }
}

impl Record for ClientRegistration {
    type Id = String;
    const TABLE: [u8; 2] = *b"xg";
    const NAME: &'static str = "client_registration";
    const GROWTH: Growth<Self> = Growth::OnePer("authorization server of a tool server");
}
