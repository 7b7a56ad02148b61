//! API tokens.

use crate::keys::IndexKey;
use crate::record::{Growth, Index, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// A token for programs. Kept in the system partition, since it is looked up before the tenant
/// is known; only the hash of its secret is stored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct ApiToken {
    /// The tenant it opens.
    pub tenant: Uuid,
    /// Whose rights it has.
    pub user: Uuid,
    /// What its owner calls it.
    pub name: String,
    /// Its first characters, shown in lists.
    pub prefix: String,
    /// SHA-256 (hex) of the secret.
    pub secret_sha256: String,
    /// What it may be used for: `null` for everything its user may do, `[]` for nothing.
    pub scopes: Option<Vec<String>>,
    /// When it expires.
    pub expires_at: Option<Timestamp>,
    /// When it was last used, to the minute.
    pub last_used_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

impl Record for ApiToken {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"to";
    const NAME: &'static str = "api_token";
    const GROWTH: Growth<Self> = Growth::Counted("per user and tenant, `limits.api_tokens_per_user`");
    const DECIDES: bool = true;
    const INDEXES: &'static [Index<Self>] = &[Index {
        table: *b"t1",
        name: "by_user",
        unique: false,
        keys: |row| vec![IndexKey::new().id(&row.user).id(&row.tenant).done()],
    }];

    /// A new token takes nothing from anyone, and neither does the note of its last use.
    fn changes_rights(before: Option<&Self>, after: Option<&Self>) -> bool {
        match (before, after) {
            (Some(before), Some(after)) => {
                let noted =
                    Self { last_used_at: before.last_used_at, name: before.name.clone(), ..after.clone() };
                noted != *before
            }
            (before, _) => before.is_some(),
        }
    }
}
