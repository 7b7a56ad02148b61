//! Teams and their members.

use crate::authority::Principal;
use crate::record::{Growth, Index, Owner, Record};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// A group of users of a tenant who share resources. Both owners and members belong to the team.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Team {
    pub name: String,
    pub description: Option<String>,
    /// Users and groups that manage the team; at least one.
    pub owners: Vec<Principal>,
    /// Other users and groups of the team.
    pub members: Vec<Principal>,
}

impl Record for Team {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"tm";
    const NAME: &'static str = "team";
    const GROWTH: Growth<Self> = Growth::metered(|_, _| Owner::Tenant, "each field has a maximum length");
    const DECIDES: bool = true;
    const INDEXES: &'static [Index<Self>] = &[Index {
        table: *b"t2",
        name: "by_principal",
        unique: false,
        keys: |row| {
            let mut keys: Vec<_> = row.owners.iter().chain(&row.members).map(Principal::index_key).collect();
            keys.sort_unstable();
            keys.dedup();
            keys
        },
    }];
}
