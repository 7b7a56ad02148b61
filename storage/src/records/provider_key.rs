//! A tenant's own keys for providers.

use crate::record::{Growth, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// What may be told of a key of the tenant's own. Its id is the provider's name. The key itself is a secret,
/// under [`secret`](Self::secret).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct ProviderKey {
    /// Enough of it to know it again.
    pub masked: String,
    /// Who set it.
    pub set_by: Uuid,
    /// When.
    pub set_at: Timestamp,
    /// The origin (scheme, host and port) of the provider at that time: it goes to no other. None in rows that
    /// were written before this was kept.
    pub origin: Option<String>,
}

impl ProviderKey {
    /// The name of the secret that is the key of a provider.
    pub fn secret(provider: &str) -> String {
        format!("provider/{provider}")
    }

    /// What may be shown of a key: its last four characters, where that leaves enough unsaid.
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
