//! Projects: conversations that share instructions and members.

use crate::authority::{Grant, GrantLevel, Principal, Reason, Shared, Sharing, Subject, Visibility};
use crate::record::{Growth, Index, Owner, Record};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// Who a project belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProjectKind {
    /// The project belongs to its creator and the members that the creator adds.
    #[default]
    Personal,
    /// The project belongs to a team.
    Team,
}

/// Conversations that belong together, with common instructions. Its members are the owner and the principals of the
/// grants. A member sees the project and can read its conversations, regardless of who owns them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Project {
    pub name: String,
    /// What the project is about.
    pub description: Option<String>,
    /// Instructions that are added to the prompts of the project's conversations.
    pub instructions: String,
    /// Whether the project is personal or belongs to a team.
    pub kind: ProjectKind,
    /// The team, for the kind `team`.
    pub team_id: Option<Uuid>,
    /// The owner, who is not named in the grants.
    pub owner: Uuid,
    /// Members other than the owner: users, groups and teams.
    pub grants: Vec<Grant>,
}

impl Shared for Project {
    fn sharing(&self) -> Sharing<'_> {
        let visibility = if self.grants.is_empty() { Visibility::Private } else { Visibility::Shared };
        Sharing { owner: self.owner, visibility, grants: &self.grants }
    }
}

impl Project {
    /// Returns the user's permission level as a member, or `None` if the user is not a member. The administrator role
    /// does not confer membership: administrators can manage a project, but cannot read its conversations.
    pub fn member_level(&self, subject: &Subject) -> Option<GrantLevel> {
        let grounds = self.grounds_of(subject).into_iter();
        grounds.filter(|ground| ground.reason != Reason::Administers).map(|ground| ground.level).max()
    }

    /// Returns the owner and the principals of all grants.
    pub fn principals(&self) -> impl Iterator<Item = Principal> {
        std::iter::once(Principal::user(self.owner))
            .chain(self.grants.iter().map(|grant| grant.principal.clone()))
    }
}

impl Record for Project {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"pr";
    const NAME: &'static str = "project";
    const GROWTH: Growth<Self> =
        Growth::metered(|_, row| Owner::User(row.owner), "each field has a maximum length");
    // Open connections read conversations based on this record.
    const DECIDES: bool = true;
    const INDEXES: &'static [Index<Self>] = &[Index {
        table: *b"p1",
        name: "by_principal",
        unique: false,
        keys: |row| {
            let mut keys: Vec<_> = row.principals().map(|principal| principal.index_key()).collect();
            keys.sort_unstable();
            keys.dedup();
            keys
        },
    }];
}

/// Number of conversations in a project. Its id is the project's. Adding or removing a conversation writes this
/// record, so that nothing can be added to a project that is being deleted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct ProjectCount {
    /// The number of conversations.
    pub conversations: u64,
}

impl Record for ProjectCount {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"pn";
    const NAME: &'static str = "project_count";
    const GROWTH: Growth<Self> = Growth::OnePer("project");
}
