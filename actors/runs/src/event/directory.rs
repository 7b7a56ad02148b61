//! What happens in a synchronisation of groups with their directory.

use serde::{Deserialize, Serialize};
use storage::records::SyncCounts;
use utoipa::ToSchema;
use uuid::Uuid;

/// What became of one group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum GroupOutcome {
    /// It is as the directory has it.
    Synced,
    /// It had not changed in the directory.
    Unchanged,
    /// It could not be read, and stays as it was.
    Failed,
    /// It lost all of its many members at once, which is not believed; it stays as it was.
    Kept,
    /// The directory has no such group.
    Missing,
    /// The directory has had no such group for a while; it was emptied.
    Removed,
}

/// What became of one group in a synchronisation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DirectoryGroupDone {
    pub group_id: Uuid,
    pub name: String,
    /// What became of it.
    pub outcome: GroupOutcome,
    /// What was done, for this group alone.
    pub counts: SyncCounts,
    /// Why it is not as it should be.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub detail: Option<String>,
}

/// What became of the tenant's members, once all groups were read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DirectoryMembersDone {
    pub counts: SyncCounts,
    /// Why something was left undone.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub detail: Option<String>,
}
