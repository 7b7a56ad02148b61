//! OAuth logins that have started and not completed.

use crate::keys::IndexKey;
use crate::record::{Growth, Index, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

/// A login that has started. Its id is the SHA-256 (hex) of its state. Stored in the system partition, because a user
/// who returns from an authorization server presents nothing but the state. Confidential values are a secret, under
/// [`secret`](Self::secret).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LoginFlow {
    /// The tenant in which the login was started.
    pub tenant: Uuid,
    /// The user who logs in.
    pub user: Uuid,
    /// The external service to log in at; none for a tool server.
    pub service: Option<String>,
    /// The assistant whose tool server it is, or that is to use the service.
    pub assistant: Option<Uuid>,
    /// Name of the tool server to log in at; none for an external service.
    pub server: Option<String>,
    /// URL of the tool server.
    pub url: Option<String>,
    /// The URI that the user returns to.
    pub redirect_uri: String,
    /// SHA-256 (hex) of the nonce that opens the login; empty once it has been opened.
    pub nonce_sha256: String,
    /// SHA-256 (hex) of the value given to the browser that requested the login; empty if no browser did.
    pub browser_sha256: String,
    /// Path of this server that the browser is redirected to at the end.
    pub return_to: Option<String>,
    /// The requested scopes.
    pub scopes: Vec<String>,
    /// The resource that the tokens will be for.
    pub resource: Option<String>,
    /// The client id of this server at the authorization server.
    pub client_id: String,
    /// Metadata of the authorization server, as discovered.
    pub authority: Value,
    /// Time at which the login expires.
    pub expires_at: Timestamp,
}

impl LoginFlow {
    /// Returns the name of the secret with the confidential values of the login.
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
