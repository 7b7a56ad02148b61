//! Tokens that are to be given back.

use crate::record::{Growth, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

/// That a login is over here, and its authority is still to be told. Kept in the system partition; the tokens are a
/// secret, under [`secret`](Self::secret), until it is done or given up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Revocation {
    /// The tenant that the login was in.
    pub tenant: Uuid,
    /// The external service, where it was one.
    pub service: Option<String>,
    /// As what this server is known there.
    pub client_id: String,
    /// What is known of the authority.
    pub authority: Value,
    /// How often it was tried.
    pub attempts: u32,
    /// When it is to be tried again.
    pub due_at: Timestamp,
}

impl Revocation {
    /// The name of the secret that holds the tokens.
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
