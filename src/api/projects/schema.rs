//! Requests about projects.

use domain::projects::members::NewMember;
use domain::projects::{NewProject, TeamChoice, UpdateProject};
use serde::Deserialize;
use storage::records::{GrantLevel, Principal, PrincipalKind};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::http::{Faults, Validate};

/// Maximum number of members that one request can add.
const TOGETHER: usize = 200;

/// A project to create.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CreateProjectRequest {
    /// The name of the project. It need not be unique.
    #[schema(min_length = 1, max_length = 100)]
    pub name: String,
    /// What the project is about.
    #[schema(max_length = 1000)]
    pub description: Option<String>,
    /// Instructions that are added to the prompts of the project's conversations.
    #[serde(default)]
    #[schema(max_length = 8000)]
    pub instructions: String,
}

impl Validate for CreateProjectRequest {
    const TRIMMED: &'static [&'static str] = &["name"];

    fn validate(&self, faults: &mut Faults) {
        faults.name("name", self.name.trim());
    }
}

impl From<CreateProjectRequest> for NewProject {
    fn from(body: CreateProjectRequest) -> Self {
        let CreateProjectRequest { name, description, instructions } = body;
        Self { name, description, instructions }
    }
}

/// The new values of a project. Omitted fields are reset to their defaults.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UpdateProjectRequest {
    #[schema(min_length = 1, max_length = 100)]
    pub name: String,
    /// What the project is about.
    #[schema(max_length = 1000)]
    pub description: Option<String>,
    /// Instructions that are added to the prompts of the project's conversations.
    #[serde(default)]
    #[schema(max_length = 8000)]
    pub instructions: String,
    /// The version to replace. If the current version differs, the response is 412. `If-Match` has the same
    /// effect.
    pub version: Option<u64>,
}

impl Validate for UpdateProjectRequest {
    const TRIMMED: &'static [&'static str] = &["name"];

    fn validate(&self, faults: &mut Faults) {
        faults.name("name", self.name.trim());
    }
}

impl From<UpdateProjectRequest> for UpdateProject {
    fn from(body: UpdateProjectRequest) -> Self {
        let UpdateProjectRequest { name, description, instructions, version } = body;
        Self { name, description, instructions, version }
    }
}

/// The kind of principal that can be a member of a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProjectMemberKind {
    User,
    /// A group of the directory.
    Group,
    Team,
}

/// A member to add, or whose level to change.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
pub struct NewProjectMember {
    /// Whether the member is a user, a group or a team.
    pub kind: ProjectMemberKind,
    pub id: Uuid,
    /// The permission level of the member.
    #[serde(default)]
    pub level: GrantLevel,
}

impl NewProjectMember {
    /// The principal as grants name it.
    pub fn principal(&self) -> Principal {
        let kind = match self.kind {
            ProjectMemberKind::User => PrincipalKind::User,
            ProjectMemberKind::Group => PrincipalKind::Group,
            ProjectMemberKind::Team => PrincipalKind::Team,
        };
        Principal { kind, id: self.id }
    }
}

impl From<&NewProjectMember> for NewMember {
    fn from(member: &NewProjectMember) -> Self {
        Self { principal: member.principal(), level: member.level }
    }
}

/// The members to add.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct AddProjectMembersBody {
    /// Principals that are already members get the level given here.
    #[schema(min_items = 1, max_items = 200)]
    pub members: Vec<NewProjectMember>,
}

impl Validate for AddProjectMembersBody {
    fn validate(&self, faults: &mut Faults) {
        let principals: Vec<_> =
            self.members.iter().take(TOGETHER).map(NewProjectMember::principal).collect();
        for (at, principal) in principals.iter().enumerate() {
            if principals[..at].contains(principal) {
                faults.add(["members", &at.to_string(), "id"], "is named twice", "duplicate");
            }
        }
    }
}

/// The team to which the project will belong. If both fields are omitted, a team with the project's name is
/// created.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct PromoteProjectToTeamBody {
    /// The id of an existing team.
    pub team_id: Option<Uuid>,
    /// The name of a new team that is created from the project's users and groups.
    #[schema(min_length = 1, max_length = 100)]
    pub name: Option<String>,
}

impl From<PromoteProjectToTeamBody> for TeamChoice {
    fn from(PromoteProjectToTeamBody { team_id, name }: PromoteProjectToTeamBody) -> Self {
        Self { team_id, name }
    }
}

impl Validate for PromoteProjectToTeamBody {
    const TRIMMED: &'static [&'static str] = &["name"];

    fn validate(&self, faults: &mut Faults) {
        if self.team_id.is_some() && self.name.is_some() {
            faults.add(["name"], "cannot be combined with `team_id`", "conflicting");
        }
        if let Some(name) = &self.name {
            faults.name("name", name.trim());
        }
    }
}
