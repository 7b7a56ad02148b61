//! The directory that a tenant's groups come from: its settings, the groups that it offers, the people that it
//! lists, and the history of synchronisations.

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

/// The directory of a tenant. A tenant has at most one, and its id is the tenant's. The credentials are a secret
/// named [`DirectorySource::SECRET`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DirectorySource {
    /// The protocol: `ldap`, `scim` or `microsoft_graph`.
    pub kind: String,
    /// Address and search settings, without secrets.
    pub settings: Value,
    /// A masked form of the secret by which it can be recognised.
    pub masked: String,
    /// The user who configured the directory. Scheduled synchronisations run on this user's behalf.
    pub set_by: Uuid,
    /// Time of the last change of the settings.
    pub set_at: Timestamp,
    /// Time of the last successful login to the directory.
    pub tested_at: Option<Timestamp>,
    /// Minutes between two scheduled synchronisations; `null` if each is started manually.
    pub every_minutes: Option<u32>,
    /// Which rows of [`DirectoryGroup`] hold the current list of groups of the directory.
    pub offer: Option<Uuid>,
    /// Number of groups that the directory lists.
    pub offered: u64,
    /// Time at which the groups were listed.
    pub refreshed_at: Option<Timestamp>,
    /// The error of the last attempt to list the groups, if it failed.
    pub refresh_error: Option<String>,
    /// The synchronisation that was started last.
    pub sync: Option<Uuid>,
    /// The change token that the directory expects, so that it can report only what has changed since.
    pub changes: Option<String>,
    /// Time of the last full read, regardless of changes.
    pub read_in_full_at: Option<Timestamp>,
}

impl DirectorySource {
    /// Name under which the credentials of the directory are stored.
    pub const SECRET: &'static str = "directory";
}

impl Record for DirectorySource {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"dy";
    const NAME: &'static str = "directory_source";
    const GROWTH: Growth<Self> = Growth::OnePer("tenant");
}

/// A group that the directory offers. Its id is (offer, the directory's id of the group). A new list is written
/// beside the old one and replaces it when [`DirectorySource::offer`] is written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DirectoryGroup {
    /// The group's name in the directory.
    pub name: String,
    /// The group's description in the directory.
    pub description: Option<String>,
    /// Number of members, if the directory includes it in its list.
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

/// State of a chosen group that is retained between synchronisations. Its id is the group's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct GroupListing {
    /// Number of people that the directory lists in the group, including those of nested groups.
    pub people: u64,
    /// The directory's ids of the nested groups, at any depth.
    pub nested: Vec<String>,
    /// Number of consecutive full synchronisations that did not find the group.
    pub missing: u32,
}

impl Record for GroupListing {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"gl";
    const NAME: &'static str = "group_listing";
    const GROWTH: Growth<Self> = Growth::OnePer("tenant");
}

/// A person whom the directory lists in a chosen group, with or without an account. The id is the email address in
/// lower case. A person with two addresses has two rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DirectoryPerson {
    /// The person's name in the directory.
    pub name: String,
    /// The chosen groups that list the person, in order.
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
    /// Returns the person whom the directory lists under an email address, with the groups that are still chosen.
    /// Letter case is ignored. Returns `None` if none of the groups is still chosen.
    ///
    /// # Errors
    /// Returns an error if the store fails.
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

/// Counts of what a synchronisation changed, or would have changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct SyncCounts {
    /// Chosen groups that were examined.
    pub groups_seen: u64,
    /// Groups that were read for the first time.
    pub groups_added: u64,
    /// Groups whose name or description changed.
    pub groups_renamed: u64,
    /// Groups that no longer exist in the directory and were emptied.
    pub groups_removed: u64,
    /// Groups that had not changed and were not read.
    pub groups_unchanged: u64,
    /// Groups that could not be read, or were left unchanged.
    pub groups_failed: u64,
    /// Group memberships that were added.
    pub members_added: u64,
    /// Group memberships that were removed.
    pub members_removed: u64,
    /// People in these groups who are not members of the tenant.
    pub members_unknown: u64,
    /// Users who became members of the tenant.
    pub users_joined: u64,
    /// Users whose tenant membership, granted by the directory, was removed.
    pub users_left: u64,
}

impl SyncCounts {
    /// Adds the counts of another synchronisation to this one.
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

/// A synchronisation. Its id is that of its run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GroupSync {
    pub status: RunState,
    /// The user who requested it. For scheduled synchronisations, the user who configured the directory.
    pub user: Uuid,
    /// Whether the schedule started it, not a person.
    pub by_clock: bool,
    /// Whether everything was to be read, regardless of changes.
    pub full: bool,
    /// Whether this was a dry run, which changes nothing.
    pub dry_run: bool,
    /// Whether to empty large groups that have lost all of their members.
    pub force: bool,
    /// Number of changes by kind.
    pub counts: SyncCounts,
    /// Problems found, at most a hundred sentences.
    pub warnings: Vec<String>,
    /// A stable error code if the synchronisation did not succeed.
    pub error_code: Option<String>,
    /// The error, for administrators.
    pub error: Option<String>,
    /// Time at which the synchronisation began to work.
    pub started_at: Option<Timestamp>,
    /// Time at which the synchronisation ended; none while it runs.
    pub finished_at: Option<Timestamp>,
}

impl Record for GroupSync {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"gs";
    const NAME: &'static str = "group_sync";
    const GROWTH: Growth<Self> = Growth::OnePer("group");
}
