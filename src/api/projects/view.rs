//! How projects are shown.

use domain::projects::members::AddOutcome;
use domain::sharing;
use serde::Serialize;
use storage::records::{GrantLevel, Principal, PrincipalKind, Project, ProjectCount, ProjectKind};
use storage::{Page, Reader, Row, Timestamp};
use utoipa::ToSchema;
use uuid::Uuid;

use super::schema::NewProjectMember;
use crate::api::principals::PrincipalResponse;
use crate::http::{Caller, HasVersion, list_of};

/// A project.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProjectResponse {
    pub id: Uuid,
    pub name: String,
    /// What it is about.
    pub description: Option<String>,
    /// Added to the prompts of its conversations.
    pub instructions: String,
    /// Whether it is a user's or a team's.
    pub kind: ProjectKind,
    /// The team, of the kind `team`.
    pub team_id: Option<Uuid>,
    /// The user who owns it.
    pub owner: Uuid,
    /// How many users, groups and teams are members, the owner among them, without those that are deleted or have left
    /// the tenant.
    pub member_count: usize,
    /// How many conversations are in it.
    pub conversation_count: u64,
    /// What the caller may do with it.
    pub permissions: ProjectPermissions,
    /// How often it was written, from 1.
    pub version: u64,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// What the caller may do with a project.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct ProjectPermissions {
    /// In one word.
    pub level: GrantLevel,
    /// Whether they are a member, and read its conversations. Administrators of the tenant who are none manage it alone.
    pub member: bool,
    /// Change it.
    pub edit: bool,
    /// Put conversations of their own into it.
    pub add_conversations: bool,
    /// Manage its members, and delete it.
    pub manage: bool,
}

impl ProjectResponse {
    /// The project as this caller may see it.
    pub fn from_row(reader: &Reader, row: Row<Project>, caller: &Caller) -> storage::Result<Self> {
        let count = reader.get::<ProjectCount>(caller.tenant, &row.id)?;
        let level = sharing::level(&row.body, caller).unwrap_or_default();
        let member = row.member_level(caller);
        let permissions = ProjectPermissions {
            level,
            member: member.is_some(),
            edit: level >= GrantLevel::Editor,
            add_conversations: member >= Some(GrantLevel::Editor),
            manage: level >= GrantLevel::Owner,
        };
        let Row { id, version, created_at, updated_at, body } = row;
        let member_count = members(&body)
            .map(|(principal, _)| sharing::is_principal(reader, caller.tenant, &principal).map(usize::from))
            .sum::<storage::Result<usize>>()?;
        Ok(Self {
            id,
            name: body.name,
            description: body.description,
            instructions: body.instructions,
            kind: body.kind,
            team_id: body.team_id,
            owner: body.owner,
            member_count,
            conversation_count: count.map_or(0, |row| row.conversations),
            permissions,
            version,
            created_at,
            updated_at,
        })
    }
}

/// The members of a project, the owner first; some of them may be deleted.
fn members(project: &Project) -> impl Iterator<Item = (Principal, GrantLevel)> {
    let owner = (Principal::user(project.owner), GrantLevel::Owner);
    let grants = project.grants.iter().map(|grant| (grant.principal.clone(), grant.level));
    std::iter::once(owner).chain(grants)
}

impl HasVersion for ProjectResponse {
    fn version(&self) -> u64 {
        self.version
    }
}

list_of! {
    /// A page of projects, oldest first.
    #[derive(Debug)]
    pub ProjectResponseList of ProjectResponse
}

impl ProjectResponseList {
    /// The projects as this caller may see them.
    pub fn from_page(reader: &Reader, page: Page<Row<Project>>, caller: &Caller) -> storage::Result<Self> {
        let next_cursor = page.next.as_ref().map(ToString::to_string);
        let items = page.items.into_iter().map(|row| ProjectResponse::from_row(reader, row, caller));
        Ok(Self { items: items.collect::<Result<_, _>>()?, total: None, next_cursor })
    }
}

/// A member of a project.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProjectMemberResponse {
    /// Who.
    #[serde(flatten)]
    pub principal: PrincipalResponse,
    /// What they may do.
    pub level: GrantLevel,
}

impl ProjectMemberResponse {
    /// All members, the owner first, without those that are deleted or have left the tenant.
    pub fn all(reader: &Reader, project: &Project, caller: &Caller) -> storage::Result<Vec<Self>> {
        let mut all = Vec::with_capacity(project.grants.len() + 1);
        for (principal, level) in members(project) {
            let principal = PrincipalResponse::load(reader, caller.tenant, &principal)?;
            all.extend(principal.map(|principal| Self { principal, level }));
        }
        Ok(all)
    }
}

list_of! {
    /// The members of a project, the owner first.
    #[derive(Debug)]
    pub ProjectMemberResponseList of ProjectMemberResponse
}

/// The result for each member to add.
#[derive(Debug, Serialize, ToSchema)]
pub struct AddProjectMembersResponse {
    /// In the order of the request.
    pub results: Vec<AddedProjectMember>,
}

impl AddProjectMembersResponse {
    /// The outcomes for these members, in the same order.
    pub fn from_outcomes(members: &[NewProjectMember], outcomes: Vec<AddOutcome>) -> Self {
        let added = |(member, outcome): (&NewProjectMember, AddOutcome)| AddedProjectMember {
            kind: member.principal().kind,
            id: member.id,
            level: member.level,
            status: outcome.into(),
        };
        Self { results: members.iter().zip(outcomes).map(added).collect() }
    }
}

/// The result for one member to add.
#[derive(Debug, Serialize, ToSchema)]
pub struct AddedProjectMember {
    /// User, group or team.
    pub kind: PrincipalKind,
    pub id: Uuid,
    /// What it may do now.
    pub level: GrantLevel,
    /// The result.
    pub status: AddedStatus,
}

/// The result for a member to add.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AddedStatus {
    /// It is a member now.
    Added,
    /// It was one, and has another level now.
    Changed,
    /// It was one, with this level.
    Unchanged,
    /// The tenant has none of this kind and id.
    NotFound,
}

impl From<AddOutcome> for AddedStatus {
    fn from(outcome: AddOutcome) -> Self {
        match outcome {
            AddOutcome::Added => Self::Added,
            AddOutcome::Changed => Self::Changed,
            AddOutcome::Unchanged => Self::Unchanged,
            AddOutcome::NotFound => Self::NotFound,
        }
    }
}

/// That a project, or a member of it, is gone.
#[derive(Debug, Serialize, ToSchema)]
pub struct DeleteProjectResponse {
    pub project_id: Uuid,
    /// The member that is gone; none where the project is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub member_id: Option<Uuid>,
    /// How many conversations are in no project any more; they are not deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub released_conversations: Option<u64>,
}
