//! A tenant's own provider keys.

use crate::record::{Growth, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// The public part of a tenant's own provider key. Its id is the provider's name. The key itself is a secret,
/// under [`secret`](Self::secret).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct ProviderKey {
    /// A masked form by which the key can be recognised.
    pub masked: String,
    /// The user who set the key.
    pub set_by: Uuid,
    /// Time at which the key was set.
    pub set_at: Timestamp,
    /// The origin (scheme, host and port) of the provider at that time. The key is sent to no other origin.
    /// None in rows of versions that did not store it.
    pub origin: Option<String>,
}

impl ProviderKey {
    /// Returns the name of the secret with the key for a provider.
    pub fn secret(provider: &str) -> String {
        format!("provider/{provider}")
    }

    /// Returns the visible part of a key: its last four characters if the key has at least 12 characters,
    /// otherwise none.
    pub fn mask(key: &str) -> String {
        let count = key.chars().count();
        let shown = if count >= 12 { 4 } else { 0 };
        let tail: String = key.chars().skip(count - shown).collect();
        format!("…{tail}")
    }
}

impl Record for ProviderKey {
    type Id = String;
    const TABLE: [u8; 2] = *b"pk";
    const NAME: &'static str = "provider_key";
    const GROWTH: Growth<Self> = Growth::OnePer("provider and tenant");
}
