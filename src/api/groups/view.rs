//! How groups and directories are shown.

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
    /// Its id, by which grants name it.
    pub id: Uuid,
    pub name: String,
    pub description: Option<String>,
    /// How many members of the tenant are in it.
    pub member_count: u64,
    /// When it was last synchronised; before that, it has no members.
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
    /// What the directory calls it.
    pub external_id: String,
    pub name: String,
    pub description: Option<String>,
    /// How many members it has, where the directory's list says so.
    pub member_count: Option<u64>,
    /// Whether it is synchronised.
    pub selected: bool,
    /// The id by which grants name it, if it is.
    pub group_id: Option<Uuid>,
}

impl AvailableGroupResponse {
    fn new(row: Row<DirectoryGroup>, group_id: Option<Uuid>) -> Self {
        let DirectoryGroup { name, description, member_count } = row.body;
        let (external_id, selected) = (row.id.1, group_id.is_some());
        Self { external_id, name, description, member_count, selected, group_id }
    }
}

/// Groups that the directory offered when its list was last fetched.
#[derive(Debug, Serialize, ToSchema)]
pub struct AvailableGroupsResponse {
    /// This part of them, by their names.
    pub items: Vec<AvailableGroupResponse>,
    /// How many there are in all.
    pub total: u64,
    /// How many were skipped.
    pub offset: u64,
    /// When the list was fetched; `null` where it never was.
    pub refreshed_at: Option<Timestamp>,
    /// Why it could not be fetched since then.
    pub refresh_error: Option<String>,
}

impl AvailableGroupsResponse {
    /// The groups after the first `offset`.
    pub fn new(available: AvailableGroups, offset: u64) -> Self {
        let AvailableGroups { groups, total, refreshed_at, refresh_error } = available;
        let items = groups.into_iter().map(|(row, group)| AvailableGroupResponse::new(row, group)).collect();
        Self { items, total, offset, refreshed_at, refresh_error }
    }
}

/// The list of groups, fetched again.
#[derive(Debug, Serialize, ToSchema)]
pub struct RefreshAvailableGroupsResponse {
    /// How many groups the directory offers.
    pub total: u64,
    /// When that was.
    pub refreshed_at: Timestamp,
}

impl From<Refreshed> for RefreshAvailableGroupsResponse {
    fn from(fetched: Refreshed) -> Self {
        Self { total: fetched.groups, refreshed_at: fetched.at }
    }
}

/// The directory of the tenant, without its secret.
#[derive(Debug, Serialize, ToSchema)]
pub struct GroupSyncCredentialResponse {
    /// `ldap`, `scim` or `microsoft_graph`.
    pub kind: String,
    /// Where it is.
    pub url: String,
    /// Where it is and what is looked for there.
    pub directory: Option<DirectorySettings>,
    /// A part of the secret, to recognise it by.
    pub masked: String,
    /// Who set it.
    pub set_by: Uuid,
    /// When.
    pub set_at: Timestamp,
    /// When the last test of the connection succeeded.
    pub tested_at: Option<Timestamp>,
    /// Minutes between two synchronisations by the clock.
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
    /// How far it has come, or how it ended.
    pub status: RunState,
    /// The user who started it.
    pub user_id: Uuid,
    /// Whether it was started by the clock.
    pub by_clock: bool,
    /// Whether everything was to be read.
    pub full: bool,
    /// Whether changes are only counted, not made.
    pub dry_run: bool,
    /// Whether changes that look like faults of the directory are made all the same.
    pub force: bool,
    /// What was done.
    pub counts: SyncCounts,
    /// Irregularities that did not stop it.
    pub warnings: Vec<String>,
    /// A stable code where it did not end well.
    pub error_code: Option<String>,
    /// What went wrong.
    pub error: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it began to work.
    pub started_at: Option<Timestamp>,
    /// When it ended.
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

/// Synchronisations, the latest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct SyncHistoryResponse {
    /// This part of them.
    pub items: Vec<SyncGroupsResponse>,
    /// How many are stored.
    pub total: u64,
    /// How many were skipped.
    pub offset: u64,
}

/// A group that is no longer selected.
#[derive(Debug, Serialize, ToSchema)]
pub struct DeselectedGroupResponse {
    pub id: Uuid,
    /// What the directory calls it.
    pub external_id: String,
    pub name: String,
    /// The objects that name it, without effect from now on; a hundred at most.
    pub used_by: Vec<GroupUse>,
}

/// What a selection changed.
#[derive(Debug, Serialize, ToSchema)]
pub struct UpdateGroupSelectionsResponse {
    /// How many groups are selected.
    pub selected: u64,
    /// Those that were not before. They have no members until they are synchronised.
    pub added: Vec<GroupResponse>,
    /// Those that are not any more.
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
