//! Memberships of users in tenants.

use crate::authority::Role;
use crate::keys::IndexKey;
use crate::record::{Growth, Index, Record};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// How a user became a member of a tenant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MembershipOrigin {
    /// An administrator created the account.
    #[default]
    Added,
    /// The user accepted an invitation.
    Invited,
    /// The user signed up, with or without an administrator's approval.
    SignedUp,
    /// The directory lists the user. The directory also removes the memberships that it has granted.
    Directory,
}

/// The membership of a user in a tenant. Stored in the system partition; its id is (user, tenant).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Membership {
    /// The user's role in the tenant.
    pub role: Role,
    /// How the user became a member.
    pub origin: MembershipOrigin,
    /// Whether the email address certainly belongs to the user: someone who knows the user admitted them, or the
    /// address was verified.
    pub proved: bool,
}

impl Membership {
    /// Returns whether the server may rely on the user's email address in this tenant. It may not for users who
    /// signed up with an unverified address, which may belong to anyone.
    pub fn is_certain(&self) -> bool {
        self.proved || self.origin != MembershipOrigin::SignedUp
    }
}

impl Record for Membership {
    type Id = (Uuid, Uuid);
    const TABLE: [u8; 2] = *b"me";
    const NAME: &'static str = "membership";
    const GROWTH: Growth<Self> = Growth::OnePer("user and tenant");
    const DECIDES: bool = true;
    const INDEXES: &'static [Index<Self>] = &[Index {
        table: *b"m1",
        name: "by_tenant",
        unique: false,
        keys: |row| vec![IndexKey::new().id(&row.id.1).done()],
    }];
}
