//! API tokens.

use crate::keys::IndexKey;
use crate::record::{Growth, Index, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// A token for programs. Stored in the system partition, because it is looked up before the tenant is known. Only the
/// hash of its secret is stored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct ApiToken {
    /// The tenant that the token gives access to.
    pub tenant: Uuid,
    /// The user on whose behalf the token acts.
    pub user: Uuid,
    /// Name chosen by the owner.
    pub name: String,
    /// First characters of the token, shown in lists.
    pub prefix: String,
    /// SHA-256 (hex) of the secret.
    pub secret_sha256: String,
    /// The scopes of the token: `null` for everything that its user may do, `[]` for nothing.
    pub scopes: Option<Vec<String>>,
    /// Time at which the token expires.
    pub expires_at: Option<Timestamp>,
    /// Time of the last use, to the minute.
    pub last_used_at: Option<Timestamp>,
    /// Time at which the token was revoked.
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

    /// A new token does not revoke any rights, and neither does a record of its last use.
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
