//! Requests about teams.

use domain::teams::{NewPrincipals, NewTeam, UpdateTeam};
use serde::Deserialize;
use storage::records::Principal;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::api::principals::PersonKind;
use crate::http::{DEFAULT_PAGE, Faults, Paging, Patch, Validate};

/// An owner or a member of a team.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
pub struct TeamPrincipal {
    /// User or group.
    pub kind: PersonKind,
    pub id: Uuid,
}

/// The principals, each once.
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

/// A new team.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CreateTeamBody {
    /// Its name. Another team may have the same.
    #[schema(min_length = 1, max_length = 100)]
    pub name: String,
    #[schema(max_length = 1000)]
    pub description: Option<String>,
    /// The principals who manage it. The caller is added, unless they administer the tenant and name others.
    #[serde(default)]
    #[schema(max_items = 100)]
    pub owners: Vec<TeamPrincipal>,
    /// The members beside the owners.
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

/// A change to a team. What is left out stays; `null` clears.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdateTeamBody {
    #[schema(value_type = Option<String>, min_length = 1, max_length = 100)]
    pub name: Patch<String>,
    #[schema(value_type = Option<String>, max_length = 1000)]
    pub description: Patch<String>,
    /// The version that is changed; if it is another by now, the answer is 412. `If-Match` does the same.
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

/// All owners, or all members, of a team.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct TeamPrincipalsBody {
    /// They replace the previous ones. Owners are at most 100.
    #[schema(max_items = 1000)]
    pub principals: Vec<TeamPrincipal>,
    /// The version that is changed; if it is another by now, the answer is 412. `If-Match` does the same.
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
    /// All teams of the tenant, in the place of the caller's own; for administrators.
    #[serde(default)]
    #[param(required = false)]
    pub all: bool,
    /// How many at most.
    #[serde(default = "default_page")]
    #[param(required = false, minimum = 1, maximum = 200, default = 50)]
    pub limit: u32,
    /// `next_cursor` of the page before.
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
