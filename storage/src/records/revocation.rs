//! Tokens that have to be revoked at their authorization server.

use crate::record::{Growth, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

/// A login that has ended on this server and whose tokens still have to be revoked at the authorization server.
/// Stored in the system partition. The tokens are a secret, under [`secret`](Self::secret), until they are revoked
/// or the revocation is abandoned.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Revocation {
    /// The tenant of the login.
    pub tenant: Uuid,
    /// The external service, if the login was at one.
    pub service: Option<String>,
    /// The client id of this server at the authorization server.
    pub client_id: String,
    /// Metadata of the authorization server.
    pub authority: Value,
    /// Number of attempts.
    pub attempts: u32,
    /// Time of the next attempt.
    pub due_at: Timestamp,
}

impl Revocation {
    /// Returns the name of the secret with the tokens.
    pub fn secret(id: &Uuid) -> String {
        format!("revocation/{id}")
    }
}

impl Record for Revocation {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"xr";
    const NAME: &'static str = "revocation";
    const GROWTH: Growth<Self> =
        Growth::Server("one row for each login that ended, until the authorization server has been notified");
}
