//! Requests about projects.

use domain::projects::members::NewMember;
use domain::projects::{NewProject, TeamChoice, UpdateProject};
use serde::Deserialize;
use storage::records::{GrantLevel, Principal, PrincipalKind};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::http::{Faults, Validate};

/// Members that are added at once.
const TOGETHER: usize = 200;

/// A new project.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CreateProjectRequest {
    /// Its name. Another project may have the same.
    #[schema(min_length = 1, max_length = 100)]
    pub name: String,
    /// What it is about.
    #[schema(max_length = 1000)]
    pub description: Option<String>,
    /// Added to the prompts of its conversations.
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

/// All of a project that can be set. What is left out takes its default.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UpdateProjectRequest {
    #[schema(min_length = 1, max_length = 100)]
    pub name: String,
    /// What it is about.
    #[schema(max_length = 1000)]
    pub description: Option<String>,
    /// Added to the prompts of its conversations.
    #[serde(default)]
    #[schema(max_length = 8000)]
    pub instructions: String,
    /// The version that is replaced; if it is another by now, the answer is 412. `If-Match` does the same.
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

/// What may be a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProjectMemberKind {
    User,
    /// A group of the directory.
    Group,
    Team,
}

/// A member to add, or to give another level.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
pub struct NewProjectMember {
    /// User, group or team.
    pub kind: ProjectMemberKind,
    pub id: Uuid,
    /// What it may do.
    #[serde(default)]
    pub level: GrantLevel,
}

impl NewProjectMember {
    /// As grants name it.
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

/// Members to be added.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct AddProjectMembersBody {
    /// Existing members get the level that is given here.
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

/// The team that a project is to belong to; without either, a team of the project's name is made.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct PromoteProjectToTeamBody {
    /// A team that is there.
    pub team_id: Option<Uuid>,
    /// The name of a team that is made of the project's users and groups.
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
            faults.add(["name"], "either this or `team_id`", "conflicting");
        }
        if let Some(name) = &self.name {
            faults.name("name", name.trim());
        }
    }
}
