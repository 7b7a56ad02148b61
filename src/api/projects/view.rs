//! Responses about projects.

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
    /// What the project is about.
    pub description: Option<String>,
    /// Instructions that are added to the prompts of the project's conversations.
    pub instructions: String,
    /// Whether the project belongs to a user or to a team.
    pub kind: ProjectKind,
    /// The team, if the kind is `team`.
    pub team_id: Option<Uuid>,
    /// The user who owns the project.
    pub owner: Uuid,
    /// The number of users, groups and teams that are members, including the owner. Principals that are deleted
    /// or have left the tenant are not counted.
    pub member_count: usize,
    /// The number of conversations in the project.
    pub conversation_count: u64,
    /// What the caller may do with the project.
    pub permissions: ProjectPermissions,
    /// The version of the project, which starts at 1 and increases with every change.
    pub version: u64,
    /// When the project was created.
    pub created_at: Timestamp,
    /// When the project was last changed.
    pub updated_at: Timestamp,
}

/// What the caller may do with a project.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct ProjectPermissions {
    /// The caller's permission level.
    pub level: GrantLevel,
    /// Whether the caller is a member and can read the project's conversations. Administrators of the tenant
    /// who are not members can only manage the project.
    pub member: bool,
    /// Whether the caller may change the project.
    pub edit: bool,
    /// Whether the caller may add their own conversations to the project.
    pub add_conversations: bool,
    /// Whether the caller may manage the members and delete the project.
    pub manage: bool,
}

impl ProjectResponse {
    /// Builds the view of a project for a caller.
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

/// The members of a project, the owner first. May include deleted principals.
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
    /// Builds the views of a page of projects for a caller.
    pub fn from_page(reader: &Reader, page: Page<Row<Project>>, caller: &Caller) -> storage::Result<Self> {
        let next_cursor = page.next.as_ref().map(ToString::to_string);
        let items = page.items.into_iter().map(|row| ProjectResponse::from_row(reader, row, caller));
        Ok(Self { items: items.collect::<Result<_, _>>()?, total: None, next_cursor })
    }
}

/// A member of a project.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProjectMemberResponse {
    /// The user, group or team that is the member.
    #[serde(flatten)]
    pub principal: PrincipalResponse,
    /// The permission level of the member.
    pub level: GrantLevel,
}

impl ProjectMemberResponse {
    /// Loads all members, the owner first, without principals that are deleted or have left the tenant.
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
    /// The results, in the order of the request.
    pub results: Vec<AddedProjectMember>,
}

impl AddProjectMembersResponse {
    /// Combines the requested members with their outcomes, which are in the same order.
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
    /// Whether the member is a user, a group or a team.
    pub kind: PrincipalKind,
    pub id: Uuid,
    /// The member's permission level after the request.
    pub level: GrantLevel,
    /// What the request did.
    pub status: AddedStatus,
}

/// The result for a member to add.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AddedStatus {
    /// The principal is now a member.
    Added,
    /// The principal was already a member and now has another level.
    Changed,
    /// The principal was already a member with this level.
    Unchanged,
    /// The tenant has no principal with this kind and id.
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

/// The result of deleting a project or removing a member.
#[derive(Debug, Serialize, ToSchema)]
pub struct DeleteProjectResponse {
    pub project_id: Uuid,
    /// The removed member. Omitted if the project was deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub member_id: Option<Uuid>,
    /// The number of conversations that are no longer in a project. They are not deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub released_conversations: Option<u64>,
}
