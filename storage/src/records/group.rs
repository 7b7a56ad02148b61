//! Groups of a directory and their members.

use crate::keys::IndexKey;
use crate::record::{Growth, Index, Record};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// A group of the tenant's directory that was chosen for synchronisation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Group {
    /// The directory's id of the group, which does not change when the group is renamed.
    pub external_id: String,
    pub name: String,
    /// The description in the directory.
    pub description: Option<String>,
    /// Number of members who are users of this tenant.
    pub member_count: u64,
    /// Time of the last full synchronisation.
    pub synced_at: Option<Timestamp>,
}

impl Record for Group {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"gr";
    const NAME: &'static str = "group";
    const GROWTH: Growth<Self> = Growth::Counted("2,000 per tenant");
    const DECIDES: bool = true;
    const INDEXES: &'static [Index<Self>] = &[Index {
        table: *b"g1",
        name: "by_external",
        unique: true,
        keys: |row| vec![IndexKey::new().text(&row.external_id).done()],
    }];
}

/// The membership of a user in a group. Its id is (user, group).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct GroupMember {}

impl Record for GroupMember {
    type Id = (Uuid, Uuid);
    const TABLE: [u8; 2] = *b"gm";
    const NAME: &'static str = "group_member";
    const GROWTH: Growth<Self> = Growth::Server("the members of the chosen groups");
    const DECIDES: bool = true;
    const INDEXES: &'static [Index<Self>] = &[Index {
        table: *b"g2",
        name: "by_group",
        unique: false,
        keys: |row| vec![IndexKey::new().id(&row.id.1).done()],
    }];
}
