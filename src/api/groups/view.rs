//! Responses about groups and directories.

use domain::groups::{AvailableGroups, GroupUse, Selection};
use jobs::directory_sync::Refreshed;
use providers::directory::DirectorySettings;
use serde::Serialize;
use storage::records::{DirectoryGroup, DirectorySource, Group, GroupSync, RunState, SyncCounts};
use storage::{Row, Timestamp};
use utoipa::ToSchema;
use uuid::Uuid;

/// A group.
#[derive(Debug, Serialize, ToSchema)]
pub struct GroupResponse {
    /// The id by which grants name the group.
    pub id: Uuid,
    pub name: String,
    pub description: Option<String>,
    /// The number of members of the tenant in the group.
    pub member_count: u64,
    /// When the group was last synchronised. It has no members before its first synchronisation.
    pub synced_at: Option<Timestamp>,
}

impl From<Row<Group>> for GroupResponse {
    fn from(row: Row<Group>) -> Self {
        let Group { name, description, member_count, synced_at, .. } = row.body;
        Self { id: row.id, name, description, member_count, synced_at }
    }
}

crate::list_of! {
    pub GroupResponseList of GroupResponse
}

/// A group that the directory offers.
#[derive(Debug, Serialize, ToSchema)]
pub struct AvailableGroupResponse {
    /// The id of the group in the directory.
    pub external_id: String,
    pub name: String,
    pub description: Option<String>,
    /// The number of members, if the directory's list reports it.
    pub member_count: Option<u64>,
    /// Whether the group is synchronised.
    pub selected: bool,
    /// The id by which grants name the group. Present if the group is synchronised.
    pub group_id: Option<Uuid>,
}

impl AvailableGroupResponse {
    fn new(row: Row<DirectoryGroup>, group_id: Option<Uuid>) -> Self {
        let DirectoryGroup { name, description, member_count } = row.body;
        let (external_id, selected) = (row.id.1, group_id.is_some());
        Self { external_id, name, description, member_count, selected, group_id }
    }
}

/// The groups that the directory offered when its list was last fetched.
#[derive(Debug, Serialize, ToSchema)]
pub struct AvailableGroupsResponse {
    /// The groups on this page, sorted by name.
    pub items: Vec<AvailableGroupResponse>,
    /// The total number of groups.
    pub total: u64,
    /// The number of groups that were skipped.
    pub offset: u64,
    /// When the list was last fetched. `null` if it never was.
    pub refreshed_at: Option<Timestamp>,
    /// Why the last attempt to fetch the list failed, if it did.
    pub refresh_error: Option<String>,
}

impl AvailableGroupsResponse {
    /// Builds the response for the groups after the first `offset`.
    pub fn new(available: AvailableGroups, offset: u64) -> Self {
        let AvailableGroups { groups, total, refreshed_at, refresh_error } = available;
        let items = groups.into_iter().map(|(row, group)| AvailableGroupResponse::new(row, group)).collect();
        Self { items, total, offset, refreshed_at, refresh_error }
    }
}

/// The result of fetching the list of groups.
#[derive(Debug, Serialize, ToSchema)]
pub struct RefreshAvailableGroupsResponse {
    /// The number of groups that the directory offers.
    pub total: u64,
    /// When the list was fetched.
    pub refreshed_at: Timestamp,
}

impl From<Refreshed> for RefreshAvailableGroupsResponse {
    fn from(fetched: Refreshed) -> Self {
        Self { total: fetched.groups, refreshed_at: fetched.at }
    }
}

/// The tenant's directory, without its secret.
#[derive(Debug, Serialize, ToSchema)]
pub struct GroupSyncCredentialResponse {
    /// The type of the directory: `ldap`, `scim` or `microsoft_graph`.
    pub kind: String,
    /// The URL of the directory.
    pub url: String,
    /// The connection and search settings of the directory.
    pub directory: Option<DirectorySettings>,
    /// A part of the secret, to recognise it by.
    pub masked: String,
    /// The user who set the directory.
    pub set_by: Uuid,
    /// When the directory was set.
    pub set_at: Timestamp,
    /// When the last successful connection test took place.
    pub tested_at: Option<Timestamp>,
    /// Interval between scheduled synchronisations, in minutes.
    pub every_minutes: Option<u32>,
}

impl From<Row<DirectorySource>> for GroupSyncCredentialResponse {
    fn from(row: Row<DirectorySource>) -> Self {
        let source = row.body;
        let directory: Option<DirectorySettings> = serde_json::from_value(source.settings).ok();
        Self {
            kind: source.kind,
            url: directory.as_ref().map(|settings| settings.url().to_owned()).unwrap_or_default(),
            directory,
            masked: source.masked,
            set_by: source.set_by,
            set_at: source.set_at,
            tested_at: source.tested_at,
            every_minutes: source.every_minutes,
        }
    }
}

/// A synchronisation.
#[derive(Debug, Serialize, ToSchema)]
pub struct SyncGroupsResponse {
    pub sync_id: Uuid,
    /// The current state of the synchronisation.
    pub status: RunState,
    /// The user who started the synchronisation.
    pub user_id: Uuid,
    /// Whether the schedule started the synchronisation.
    pub by_clock: bool,
    /// Whether all groups are read, including unchanged ones.
    pub full: bool,
    /// Whether changes are only counted, without making them.
    pub dry_run: bool,
    /// Whether changes that look like faults of the directory are made as well.
    pub force: bool,
    /// The numbers of changes.
    pub counts: SyncCounts,
    /// Irregularities that did not stop the synchronisation.
    pub warnings: Vec<String>,
    /// A stable error code, if the synchronisation failed.
    pub error_code: Option<String>,
    /// The error message, if the synchronisation failed.
    pub error: Option<String>,
    /// When the synchronisation was created.
    pub created_at: Timestamp,
    /// When the synchronisation started to work.
    pub started_at: Option<Timestamp>,
    /// When the synchronisation ended.
    pub finished_at: Option<Timestamp>,
}

impl From<Row<GroupSync>> for SyncGroupsResponse {
    fn from(row: Row<GroupSync>) -> Self {
        let sync = row.body;
        Self {
            sync_id: row.id,
            status: sync.status,
            user_id: sync.user,
            by_clock: sync.by_clock,
            full: sync.full,
            dry_run: sync.dry_run,
            force: sync.force,
            counts: sync.counts,
            warnings: sync.warnings,
            error_code: sync.error_code,
            error: sync.error,
            created_at: row.created_at,
            started_at: sync.started_at,
            finished_at: sync.finished_at,
        }
    }
}

/// A page of synchronisations, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct SyncHistoryResponse {
    /// The synchronisations on this page.
    pub items: Vec<SyncGroupsResponse>,
    /// The total number of stored synchronisations.
    pub total: u64,
    /// The number of synchronisations that were skipped.
    pub offset: u64,
}

/// A group that is no longer selected.
#[derive(Debug, Serialize, ToSchema)]
pub struct DeselectedGroupResponse {
    pub id: Uuid,
    /// The id of the group in the directory.
    pub external_id: String,
    pub name: String,
    /// The objects with grants that name the group. These grants no longer have an effect. At most 100 objects
    /// are listed.
    pub used_by: Vec<GroupUse>,
}

/// The changes that a selection made.
#[derive(Debug, Serialize, ToSchema)]
pub struct UpdateGroupSelectionsResponse {
    /// The number of selected groups.
    pub selected: u64,
    /// Groups that were not selected before. They have no members until they are synchronised.
    pub added: Vec<GroupResponse>,
    /// Groups that are no longer selected.
    pub removed: Vec<DeselectedGroupResponse>,
}

impl From<Selection> for UpdateGroupSelectionsResponse {
    fn from(selection: Selection) -> Self {
        let removed = |(row, used_by): (Row<Group>, Vec<GroupUse>)| {
            let Group { external_id, name, .. } = row.body;
            DeselectedGroupResponse { id: row.id, external_id, name, used_by }
        };
        Self {
            selected: selection.selected,
            added: selection.added.into_iter().map(Into::into).collect(),
            removed: selection.removed.into_iter().map(removed).collect(),
        }
    }
}
