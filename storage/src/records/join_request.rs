//! Requests to become a member of a tenant.

use crate::keys::IndexKey;
use crate::record::{Growth, Index, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A sign-up for a tenant that is not complete: the address has to be verified through the link in an email, or an
/// administrator has to decide. Stored in the system partition, because the link is opened before the tenant is known.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct JoinRequest {
    pub tenant: Uuid,
    /// The email address, in lower case.
    pub email: String,
    /// Display name entered at sign-up.
    pub display_name: String,
    /// Whether an administrator has to decide. Before that, the address has to be verified.
    pub waiting: bool,
    /// Whether the address was verified by email.
    pub proved: bool,
    /// The existing account, if the person has one and entered its password.
    pub user: Option<Uuid>,
    /// Hash of the chosen password, in PHC form, if the person had no account.
    pub phc: Option<String>,
    /// SHA-256 (hex) of the secret in the link; empty while the request waits for an administrator.
    pub secret_sha256: String,
    /// Time at which the link expires or, while the request waits for an administrator, at which the request is deleted.
    pub expires_at: Timestamp,
}

impl std::fmt::Debug for JoinRequest {
    /// Omits everything related to the password.
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
    /// Returns the key of the unique index `by_address`, which contains the requests that wait for an administrator.
    /// Letter case is ignored.
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
