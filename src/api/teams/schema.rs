//! Requests about teams.

use domain::teams::{NewPrincipals, NewTeam, UpdateTeam};
use serde::Deserialize;
use storage::records::Principal;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::api::principals::PersonKind;
use crate::http::{DEFAULT_PAGE, Faults, Paging, Patch, Validate};

/// An owner or member of a team.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
pub struct TeamPrincipal {
    /// Whether the principal is a user or a group.
    pub kind: PersonKind,
    pub id: Uuid,
}

/// Converts to principals and removes duplicates.
fn principals(named: &[TeamPrincipal]) -> Vec<Principal> {
    let mut principals: Vec<Principal> = Vec::with_capacity(named.len());
    for TeamPrincipal { kind, id } in named {
        let principal = Principal { kind: (*kind).into(), id: *id };
        if !principals.contains(&principal) {
            principals.push(principal);
        }
    }
    principals
}

/// A team to create.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CreateTeamBody {
    /// The name of the team. It need not be unique.
    #[schema(min_length = 1, max_length = 100)]
    pub name: String,
    #[schema(max_length = 1000)]
    pub description: Option<String>,
    /// The principals who manage the team. The caller is added, unless the caller administers the tenant and
    /// names other owners.
    #[serde(default)]
    #[schema(max_items = 100)]
    pub owners: Vec<TeamPrincipal>,
    /// The members in addition to the owners.
    #[serde(default)]
    #[schema(max_items = 1000)]
    pub members: Vec<TeamPrincipal>,
}

impl Validate for CreateTeamBody {
    const TRIMMED: &'static [&'static str] = &["name"];

    fn validate(&self, faults: &mut Faults) {
        faults.name("name", self.name.trim());
    }
}

impl From<CreateTeamBody> for NewTeam {
    fn from(body: CreateTeamBody) -> Self {
        let (owners, members) = (principals(&body.owners), principals(&body.members));
        Self { name: body.name, description: body.description, owners, members }
    }
}

/// Changes to a team. Omitted fields do not change; `null` clears a field.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdateTeamBody {
    #[schema(value_type = Option<String>, min_length = 1, max_length = 100)]
    pub name: Patch<String>,
    #[schema(value_type = Option<String>, max_length = 1000)]
    pub description: Patch<String>,
    /// The version to change. If the current version differs, the response is 412. `If-Match` has the same
    /// effect.
    pub version: Option<u64>,
}

impl Validate for UpdateTeamBody {
    const TRIMMED: &'static [&'static str] = &["name"];

    fn validate(&self, faults: &mut Faults) {
        match &self.name {
            Patch::Set(name) => faults.name("name", name.trim()),
            Patch::Clear => faults.add(["name"], "cannot be empty", "missing"),
            Patch::Keep => {}
        }
    }
}

impl From<UpdateTeamBody> for UpdateTeam {
    fn from(UpdateTeamBody { name, description, version }: UpdateTeamBody) -> Self {
        Self { name, description, version }
    }
}

/// The complete list of owners, or of members, of a team.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct TeamPrincipalsBody {
    /// The principals that replace the current ones. At most 100 owners are allowed.
    #[schema(max_items = 1000)]
    pub principals: Vec<TeamPrincipal>,
    /// The version to change. If the current version differs, the response is 412. `If-Match` has the same
    /// effect.
    pub version: Option<u64>,
}

impl Validate for TeamPrincipalsBody {}

impl From<TeamPrincipalsBody> for NewPrincipals {
    fn from(body: TeamPrincipalsBody) -> Self {
        Self { principals: principals(&body.principals), version: body.version }
    }
}

#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ListTeams {
    /// Lists all teams of the tenant instead of the caller's own. Requires an administrator.
    #[serde(default)]
    #[param(required = false)]
    pub all: bool,
    /// The maximum number of items to return.
    #[serde(default = "default_page")]
    #[param(required = false, minimum = 1, maximum = 200, default = 50)]
    pub limit: u32,
    /// The `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

fn default_page() -> u32 {
    DEFAULT_PAGE
}

impl ListTeams {
    pub fn paging(&self) -> Paging {
        Paging { limit: self.limit, cursor: self.cursor.clone() }
    }
}

impl Validate for ListTeams {
    fn validate(&self, faults: &mut Faults) {
        self.paging().validate(faults);
    }
}
