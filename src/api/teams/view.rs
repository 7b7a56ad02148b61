//! Responses about teams.

use domain::teams::may_manage;
use serde::Serialize;
use storage::records::{Principal, Team};
use storage::{Reader, Row, Timestamp};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::api::principals::PrincipalResponse;
use crate::http::{Caller, HasVersion, list_of};

/// A team with its owners and members.
#[derive(Debug, Serialize, ToSchema)]
pub struct TeamResponse {
    /// The team's name, member counts and permissions.
    #[serde(flatten)]
    pub team: TeamSummary,
    /// The principals who manage the team, without principals that are deleted or have left the tenant.
    pub owners: Vec<PrincipalResponse>,
    /// The members in addition to the owners.
    pub members: Vec<PrincipalResponse>,
}

/// A summary of a team.
#[derive(Debug, Serialize, ToSchema)]
pub struct TeamSummary {
    pub id: Uuid,
    pub name: String,
    pub description: Option<String>,
    /// The number of principals who manage the team.
    pub owner_count: usize,
    /// The number of members in addition to the owners.
    pub member_count: usize,
    /// What the caller may do with the team.
    pub permissions: TeamPermissions,
    /// The version of the team, which starts at 1 and increases with every change.
    pub version: u64,
    /// When the team was created.
    pub created_at: Timestamp,
    /// When the team was last changed.
    pub updated_at: Timestamp,
}

/// What the caller may do with a team.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct TeamPermissions {
    /// Whether the caller may change the team, set its members and owners, and delete it.
    pub manage: bool,
}

impl TeamSummary {
    /// Builds the summary of a team for a caller.
    pub fn from_row(row: Row<Team>, caller: &Caller) -> Self {
        let permissions = TeamPermissions { manage: may_manage(&row, caller) };
        let Row { id, version, created_at, updated_at, body } = row;
        let Team { name, description, owners, members } = body;
        let (owner_count, member_count) = (owners.len(), members.len());
        Self {
            id,
            name,
            description,
            owner_count,
            member_count,
            permissions,
            version,
            created_at,
            updated_at,
        }
    }
}

impl TeamResponse {
    /// Builds the view of a team for a caller.
    pub fn from_row(reader: &Reader, row: Row<Team>, caller: &Caller) -> storage::Result<Self> {
        let names = |principals: &[Principal]| PrincipalResponse::all(reader, caller.tenant, principals);
        let (owners, members) = (names(&row.owners)?, names(&row.members)?);
        let mut team = TeamSummary::from_row(row, caller);
        (team.owner_count, team.member_count) = (owners.len(), members.len());
        Ok(Self { team, owners, members })
    }
}

impl HasVersion for TeamResponse {
    fn version(&self) -> u64 {
        self.team.version
    }
}

list_of! {
    /// A page of teams, oldest first.
    #[derive(Debug)]
    pub TeamResponseList of TeamSummary
}
