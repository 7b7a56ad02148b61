//! Registrations of this server as a client of authorization servers.

use crate::record::{Growth, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// A registration of this server as a client at an authorization server (RFC 7591), for one tenant. Its id is the
/// SHA-256 (hex) of issuer and redirect URI. The client secret is a secret, under [`secret`](Self::secret).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ClientRegistration {
    /// Issuer of the authorization server.
    pub issuer: String,
    /// The URI that users return to.
    pub redirect_uri: String,
    /// The id that the authorization server assigned to the client.
    pub client_id: String,
    /// Authentication method of the client: `none`, `client_secret_basic` or `client_secret_post`.
    pub auth_method: String,
    /// Time at which the client secret expires; none for never.
    pub secret_expires_at: Option<Timestamp>,
    /// Whether the last login with this registration has not returned. In that case, the authorization server may have
    /// deleted the registration.
    pub login_pending: bool,
}

impl ClientRegistration {
    /// Returns the name of the secret with the client secret.
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
