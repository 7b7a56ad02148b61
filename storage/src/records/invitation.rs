//! Invitations.

use crate::authority::Role;
use crate::keys::IndexKey;
use crate::record::{Growth, Index, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// An invitation of an address to become a member of a tenant. Kept in the system partition, since the link is
/// opened before the tenant is known; deleted when it is used or withdrawn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Invitation {
    /// The tenant to be joined.
    pub tenant: Uuid,
    /// The address, in lower case; a tenant has one invitation for each.
    pub email: String,
    /// What they may do there.
    pub role: Role,
    /// The administrator who sent it.
    pub invited_by: Uuid,
    /// What that person writes to them.
    pub message: Option<String>,
    /// SHA-256 (hex) of the secret in the link that is valid now.
    pub secret_sha256: String,
    /// Until when it is valid.
    pub expires_at: Timestamp,
    /// When a mail server took the letter with the link.
    pub mailed_at: Option<Timestamp>,
}

impl Invitation {
    /// The value of the unique index `by_address`; letter case does not count.
    pub fn address_key(tenant: &Uuid, email: &str) -> Vec<u8> {
        IndexKey::new().id(tenant).text(&email.to_lowercase()).done()
    }
}

impl Record for Invitation {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"iv";
    const NAME: &'static str = "invitation";
    const GROWTH: Growth<Self> =
        Growth::Expires("after its term; created by administrators, one per address");
    const INDEXES: &'static [Index<Self>] = &[
        Index {
            table: *b"i2",
            name: "by_address",
            unique: true,
            keys: |row| vec![Self::address_key(&row.tenant, &row.email)],
        },
        Index {
            table: *b"i3",
            name: "by_tenant",
            unique: false,
            keys: |row| vec![IndexKey::new().id(&row.tenant).moment(row.created_at).done()],
        },
    ];
}
