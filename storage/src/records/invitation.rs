//! Invitations.

use crate::authority::Role;
use crate::keys::IndexKey;
use crate::record::{Growth, Index, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// An invitation of an email address to become a member of a tenant. Stored in the system partition, because
/// the link is opened before the tenant is known. Deleted when it is used or withdrawn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Invitation {
    /// The tenant to join.
    pub tenant: Uuid,
    /// The email address, in lower case. A tenant has at most one invitation per address.
    pub email: String,
    /// The role of the new member.
    pub role: Role,
    /// The administrator who sent the invitation.
    pub invited_by: Uuid,
    /// Personal message of the administrator.
    pub message: Option<String>,
    /// SHA-256 (hex) of the secret in the currently valid link.
    pub secret_sha256: String,
    /// Time at which the invitation expires.
    pub expires_at: Timestamp,
    /// Time at which a mail server accepted the email with the link.
    pub mailed_at: Option<Timestamp>,
}

impl Invitation {
    /// Returns the key of the unique index `by_address`. Letter case is ignored.
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
