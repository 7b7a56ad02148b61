//! Projects: instructions and people around conversations.

use crate::authority::{Grant, GrantLevel, Principal, Reason, Shared, Sharing, Subject, Visibility};
use crate::record::{Growth, Index, Owner, Record};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// Whose a project is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProjectKind {
    /// Its creator's, and that of the members they add.
    #[default]
    Personal,
    /// A team's.
    Team,
}

/// Conversations that belong together, with instructions for all of them. Its members are its owner and those whom the
/// grants name; a member sees the project and reads its conversations, whatever their owner.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Project {
    pub name: String,
    /// What it is about.
    pub description: Option<String>,
    /// Added to the prompts of its conversations.
    pub instructions: String,
    /// Whose it is.
    pub kind: ProjectKind,
    /// The team, of the kind `team`.
    pub team_id: Option<Uuid>,
    /// The owner; no grant names them.
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
    /// What a person may do as a member; none where they are not one. The administrator role grants
    /// no membership: administrators manage a project, and read none of its conversations.
    pub fn member_level(&self, standing: &Subject) -> Option<GrantLevel> {
        let grounds = self.grounds_of(standing).into_iter();
        grounds.filter(|ground| ground.reason != Reason::Administers).map(|ground| ground.level).max()
    }

    /// Everybody who is named in it.
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
    // Open connections read conversations by it.
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

/// How many conversations are in a project; its id is the project's. Adding and removing a conversation write it, so
/// that nothing comes into a project that is being deleted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct ProjectCount {
    /// So many.
    pub conversations: u64,
}

impl Record for ProjectCount {
    type Id = Uuid;
    const TABLE: [u8; 2] = *b"pn";
    const NAME: &'static str = "project_count";
    const GROWTH: Growth<Self> = Growth::OnePer("project");
}
