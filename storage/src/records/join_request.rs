//! Requests to become a member.

use crate::keys::IndexKey;
use crate::record::{Growth, Index, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A sign-up for a tenant that is not complete: the address is to be verified by the link in an email,
/// or an administrator has to decide. Kept in the system partition, since the link is opened before the tenant is known.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct JoinRequest {
    pub tenant: Uuid,
    /// The address, in lower case.
    pub email: String,
    /// The name that they gave.
    pub display_name: String,
    /// Whether an administrator has to decide; before, the address is to be proved.
    pub waiting: bool,
    /// Whether the address was proved by a letter.
    pub proved: bool,
    /// The account, where they have one and gave its password.
    pub user: Option<Uuid>,
    /// The hash of the password they chose, in PHC form, where they had no account.
    pub phc: Option<String>,
    /// SHA-256 (hex) of the secret in the link; empty once they wait.
    pub secret_sha256: String,
    /// Until when the link is valid, or until when it is kept.
    pub expires_at: Timestamp,
}

impl std::fmt::Debug for JoinRequest {
    /// Without what belongs to the password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JoinRequest")
            .field("tenant", &self.tenant)
            .field("email", &self.email)
            .field("waiting", &self.waiting)
            .field("proved", &self.proved)
            .finish_non_exhaustive()
    }
}

impl JoinRequest {
    /// The value of the unique index `by_address`, which holds those who wait; letter case does not count.
    pub fn address_key(tenant: &Uuid, email: &str) -> Vec<u8> {
        IndexKey::new().id(tenant).text(&email.to_lowercase()).done()
    }
}

impl Record for JoinRequest {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"jr";
    const NAME: &'static str = "join_request";
    const GROWTH: Growth<Self> = Growth::Counted("per tenant, `limits.join_requests_per_tenant`");
    const INDEXES: &'static [Index<Self>] = &[
        Index {
            table: *b"j1",
            name: "by_tenant",
            unique: false,
            keys: |row| match row.waiting {
                true => vec![IndexKey::new().id(&row.tenant).moment(row.created_at).done()],
                false => Vec::new(),
            },
        },
        Index {
            table: *b"j2",
            name: "by_address",
            unique: true,
            keys: |row| match row.waiting {
                true => vec![Self::address_key(&row.tenant, &row.email)],
                false => Vec::new(),
            },
        },
    ];
}
