//! Who belongs to which tenant.

use crate::authority::Role;
use crate::keys::IndexKey;
use crate::record::{Growth, Index, Record};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// How someone became a member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MembershipOrigin {
    /// An administrator created the account.
    #[default]
    Added,
    /// They accepted an invitation.
    Invited,
    /// They signed up, with or without an administrator's consent.
    SignedUp,
    /// The directory lists them; it takes away what it gave.
    Directory,
}

/// A user's place in a tenant. Kept in the system partition; its id is (user, tenant).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Membership {
    /// What the user may do there.
    pub role: Role,
    /// How the user became a member.
    pub origin: MembershipOrigin,
    /// Whether it is certain that the address is theirs: they were let in by who knows them, or have proved it.
    pub proved: bool,
}

impl Membership {
    /// Whether claims about the user's address may be made about the user in this tenant. Not for those who signed
    /// up with an unverified address, which may belong to anyone.
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
