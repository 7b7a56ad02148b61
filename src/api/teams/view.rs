//! How teams are shown.

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
    /// The team in short.
    #[serde(flatten)]
    pub team: TeamSummary,
    /// The principals who manage it, without those that are deleted or have left the tenant.
    pub owners: Vec<PrincipalResponse>,
    /// The members beside the owners.
    pub members: Vec<PrincipalResponse>,
}

/// A team in short.
#[derive(Debug, Serialize, ToSchema)]
pub struct TeamSummary {
    pub id: Uuid,
    pub name: String,
    pub description: Option<String>,
    /// How many principals manage it.
    pub owner_count: usize,
    /// How many are in it beside them.
    pub member_count: usize,
    /// What the caller may do with it.
    pub permissions: TeamPermissions,
    /// How often it was written, from 1.
    pub version: u64,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// What the caller may do with a team.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct TeamPermissions {
    /// Change it, say who is in it, and delete it.
    pub manage: bool,
}

impl TeamSummary {
    /// The team as this caller may see it.
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
    /// The team as this caller may see it.
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
