//! Logins by OAuth that have begun and not ended.

use crate::keys::IndexKey;
use crate::record::{Growth, Index, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

/// A login that has begun. Its id is the SHA-256 (hex) of its state. Kept in the system partition, since who comes back
/// from an authority shows nothing but the state. What is not for the eye is a secret, under
/// [`secret`](Self::secret).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LoginFlow {
    /// The tenant in which the login was started.
    pub tenant: Uuid,
    /// Whose login it will be.
    pub user: Uuid,
    /// The external service to log in at; none for a tool server.
    pub service: Option<String>,
    /// The assistant: the one whose tool server it is, or the one that is to use the service.
    pub assistant: Option<Uuid>,
    /// Name of the tool server to log in at; none for an external service.
    pub server: Option<String>,
    /// Address of the tool server.
    pub url: Option<String>,
    /// The path that the user returns to.
    pub redirect_uri: String,
    /// SHA-256 (hex) of the nonce that opens it; empty once it was opened.
    pub nonce_sha256: String,
    /// SHA-256 (hex) of what the browser was given that asked for it; empty where none did.
    pub browser_sha256: String,
    /// Where the browser is sent at the end, as a path of this server.
    pub return_to: Option<String>,
    /// The requested scopes.
    pub scopes: Vec<String>,
    /// What the tokens will be for.
    pub resource: Option<String>,
    /// As what this server is known to the authority.
    pub client_id: String,
    /// Metadata of the authorization server, as discovered.
    pub authority: Value,
    /// Time at which the login expires.
    pub expires_at: Timestamp,
}

impl LoginFlow {
    /// The name of the secret that holds the rest of it.
    pub fn secret(id: &str) -> String {
        format!("login/{id}")
    }
}

impl Record for LoginFlow {
    type Id = String;
    const TABLE: [u8; 2] = *b"xl";
    const NAME: &'static str = "login_flow";
    const GROWTH: Growth<Self> = Growth::Expires("minutes after it began");
    const INDEXES: &'static [Index<Self>] = &[
        Index {
            table: *b"x1",
            name: "by_expiry",
            unique: false,
            keys: |row| vec![IndexKey::new().moment(row.expires_at).done()],
        },
        Index {
            table: *b"x2",
            name: "by_nonce",
            unique: true,
            keys: |row| match row.nonce_sha256.as_str() {
                "" => Vec::new(),
                nonce => vec![IndexKey::new().text(nonce).done()],
            },
        },
        Index {
            table: *b"x4",
            name: "by_user",
            unique: false,
            keys: |row| vec![IndexKey::new().id(&row.tenant).id(&row.user).moment(row.created_at).done()],
        },
    ];
}
