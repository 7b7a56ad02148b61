//! The directory that a tenant's groups come from: where it is, what it offers, whom it lists, and how each
//! synchronisation went.

use crate::error::Result;
use crate::ids::TenantId;
use crate::keys::IndexKey;
use crate::reader::Reader;
use crate::record::{Growth, Index, Record, Row};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{Group, RunState, User};

/// The directory of a tenant; there is one at most, and its id is the tenant's. What opens it is a secret of the
/// name [`DirectorySource::SECRET`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DirectorySource {
    /// What it speaks: `ldap`, `scim` or `microsoft_graph`.
    pub kind: String,
    /// Where it is and what is looked for there, without anything secret.
    pub settings: Value,
    /// Enough of the secret to know it again.
    pub masked: String,
    /// Who set it; synchronisations by the clock are theirs.
    pub set_by: Uuid,
    /// Time of the last change of the settings.
    pub set_at: Timestamp,
    /// When the directory last let us in.
    pub tested_at: Option<Timestamp>,
    /// Minutes between two scheduled synchronisations; `null` if each is started manually.
    pub every_minutes: Option<u32>,
    /// Which rows of [`DirectoryGroup`] hold what the directory offers.
    pub offer: Option<Uuid>,
    /// The number of groups that the directory lists.
    pub offered: u64,
    /// Time at which the groups were listed.
    pub refreshed_at: Option<Timestamp>,
    /// Why they could not be fetched since.
    pub refresh_error: Option<String>,
    /// The synchronisation that was begun last.
    pub sync: Option<Uuid>,
    /// What the directory wants to see again to tell what has changed since.
    pub changes: Option<String>,
    /// When everything was last read, whether it had changed or not.
    pub read_in_full_at: Option<Timestamp>,
}

impl DirectorySource {
    /// The name of the secret.
    pub const SECRET: &'static str = "directory";
}

impl Record for DirectorySource {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"dy";
    const NAME: &'static str = "directory_source";
    const GROWTH: Growth<Self> = Growth::OnePer("tenant");
}

/// A group that the directory offers. Its id is (offer, what the directory calls it): a new list is written beside
/// the old one, and takes its place with the one write of [`DirectorySource::offer`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DirectoryGroup {
    /// The group's name in the directory.
    pub name: String,
    /// The group's description in the directory.
    pub description: Option<String>,
    /// How many members it has, where the directory tells that in its list.
    pub member_count: Option<u64>,
}

impl Record for DirectoryGroup {
    type Id = (Uuid, String);
    const TABLE: [u8; 2] = *b"gc";
    const NAME: &'static str = "directory_group";
    const GROWTH: Growth<Self> = Growth::Server("the groups that the directory of a tenant lists");
    const INDEXES: &'static [Index<Self>] = &[Index {
        table: *b"g3",
        name: "by_name",
        unique: false,
        keys: |row| vec![IndexKey::new().id(&row.id.0).text(&row.name.to_lowercase()).done()],
    }];
}

/// What is remembered of a chosen group between two synchronisations. Its id is the group's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct GroupListing {
    /// People that the directory listed in it, those of groups in it among them.
    pub people: u64,
    /// What the directory calls the groups in it, at any depth.
    pub nested: Vec<String>,
    /// How many whole synchronisations in a row did not find it.
    pub missing: u32,
}

impl Record for GroupListing {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"gl";
    const NAME: &'static str = "group_listing";
    const GROWTH: Growth<Self> = Growth::OnePer("tenant");
}

/// A person whom the directory lists in a chosen group, whether they have an account or not. The id is the address
/// in lower case; who has two addresses has two rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DirectoryPerson {
    /// What the directory calls them.
    pub name: String,
    /// The chosen groups that list them, in order.
    pub groups: Vec<Uuid>,
}

impl Record for DirectoryPerson {
    type Id = String;
    const TABLE: [u8; 2] = *b"dp";
    const NAME: &'static str = "directory_person";
    const GROWTH: Growth<Self> = Growth::Server("the people in the chosen groups, 2,000 groups per tenant");
    const INDEXES: &'static [Index<Self>] = &[Index {
        table: *b"d3",
        name: "by_group",
        unique: false,
        keys: |row| row.groups.iter().map(|group| IndexKey::new().id(group).done()).collect(),
    }];
}

impl DirectoryPerson {
    /// Whom the directory lists at an address in groups that are still chosen; letter case does not count.
    ///
    /// # Errors
    /// Those of the store.
    pub fn find(reader: &Reader, tenant: TenantId, email: &str) -> Result<Option<Row<Self>>> {
        let mut found = None;
        for spelling in User::spellings(email.trim()) {
            found = reader.get::<Self>(tenant, &spelling)?;
            if found.is_some() {
                break;
            }
        }
        let Some(mut row) = found else { return Ok(None) };
        let mut chosen = Vec::with_capacity(row.groups.len());
        for group in std::mem::take(&mut row.groups) {
            if reader.get::<Group>(tenant, &group)?.is_some() {
                chosen.push(group);
            }
        }
        row.groups = chosen;
        Ok(Some(row).filter(|row| !row.groups.is_empty()))
    }
}

/// What a synchronisation did, or would have done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct SyncCounts {
    /// Chosen groups that were looked at.
    pub groups_seen: u64,
    /// Groups that were read for the first time.
    pub groups_added: u64,
    /// Groups that have another name, or description, than before.
    pub groups_renamed: u64,
    /// Groups that are gone from the directory and were emptied.
    pub groups_removed: u64,
    /// Groups that had not changed, and were not read.
    pub groups_unchanged: u64,
    /// Groups that could not be read, or were left as they are.
    pub groups_failed: u64,
    /// Memberships in groups that were added.
    pub members_added: u64,
    /// Memberships in groups that were taken away.
    pub members_removed: u64,
    /// People in those groups who are no members of the tenant.
    pub members_unknown: u64,
    /// Users who became members of the tenant.
    pub users_joined: u64,
    /// Users whose membership, which the directory had given, was taken away.
    pub users_left: u64,
}

impl SyncCounts {
    /// Adds the counts of another synchronisation.
    pub fn add(&mut self, others: &Self) {
        self.groups_seen += others.groups_seen;
        self.groups_added += others.groups_added;
        self.groups_renamed += others.groups_renamed;
        self.groups_removed += others.groups_removed;
        self.groups_unchanged += others.groups_unchanged;
        self.groups_failed += others.groups_failed;
        self.members_added += others.members_added;
        self.members_removed += others.members_removed;
        self.members_unknown += others.members_unknown;
        self.users_joined += others.users_joined;
        self.users_left += others.users_left;
    }
}

/// One synchronisation. Its id is that of its run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GroupSync {
    pub status: RunState,
    /// Who asked for it; for those by the clock, who set the directory.
    pub user: Uuid,
    /// Whether the schedule started it, not a person.
    pub by_clock: bool,
    /// Whether everything was to be read, whether it had changed or not.
    pub full: bool,
    /// Whether nothing was to be changed.
    pub dry_run: bool,
    /// Whether groups that lost all of their many members were to be emptied.
    pub force: bool,
    /// The number of changes by kind.
    pub counts: SyncCounts,
    /// What was not as it should be, at most a hundred sentences.
    pub warnings: Vec<String>,
    /// A stable code where it did not end well.
    pub error_code: Option<String>,
    /// The error, for administrators.
    pub error: Option<String>,
    /// When it began to work.
    pub started_at: Option<Timestamp>,
    /// Time of the end; none while it runs.
    pub finished_at: Option<Timestamp>,
}

impl Record for GroupSync {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"gs";
    const NAME: &'static str = "group_sync";
    const GROWTH: Growth<Self> = Growth::OnePer("group");
}
