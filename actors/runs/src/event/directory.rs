//! Events of a synchronisation of groups with their directory.

use serde::{Deserialize, Serialize};
use storage::records::SyncCounts;
use utoipa::ToSchema;
use uuid::Uuid;

/// Result of the synchronisation for one group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum GroupOutcome {
    /// The group now matches the directory.
    Synced,
    /// The group had not changed in the directory.
    Unchanged,
    /// The group could not be read and was left unchanged.
    Failed,
    /// The group is suddenly empty in the directory although it had many members. This is assumed to be an error, and
    /// the group was left unchanged.
    Kept,
    /// The directory has no such group.
    Missing,
    /// The directory has not had such a group for some time, and the group was emptied.
    Removed,
}

/// Result of the synchronisation of one group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DirectoryGroupDone {
    pub group_id: Uuid,
    pub name: String,
    /// How the synchronisation of this group ended.
    pub outcome: GroupOutcome,
    /// Counts of the changes to this group only.
    pub counts: SyncCounts,
    /// Why the group could not be synchronised, if it was not.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schema(nullable = false)]
    pub detail: Option<String>,
}

/// Result for the tenant's members, after all groups were read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DirectoryMembersDone {
    pub counts: SyncCounts,
    /// Why some changes were not made, if any were omitted.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schema(nullable = false)]
    pub detail: Option<String>,
}
