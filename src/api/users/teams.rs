//! The caller's teams.

use actix_web::web::Data;
use domain::teams;
use serde::Serialize;
use storage::Reader;
use storage::authority::Feature;
use storage::records::{Principal, Team};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::App;
use crate::api::principals::PrincipalResponse;
use crate::http::scopes::TeamsRead;
use crate::http::{Api, Auth, Caller, Json, Paging, Query, list_of, operations};

/// The role of a user in a team.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TeamRole {
    /// An owner manages the team.
    Owner,
    Member,
}

/// A team to which the caller belongs.
#[derive(Debug, Serialize, ToSchema)]
pub struct UserTeamResponse {
    pub id: Uuid,
    pub name: String,
    pub description: Option<String>,
    /// The caller's role in the team.
    pub role: TeamRole,
    /// The principals through which the caller belongs to the team: the user, or the user's groups.
    pub via: Vec<PrincipalResponse>,
}

list_of! {
    /// A page of the caller's teams, oldest first.
    #[derive(Debug)]
    pub UserTeamResponseList of UserTeamResponse
}

/// List the caller's teams with the caller's role in each.
#[utoipa::path(get, path = "/api/users/me/teams", params(Paging))]
async fn list_my_teams(
    auth: Auth<TeamsRead>,
    app: Data<App>,
    Query(paging): Query<Paging>,
) -> Api<Json<UserTeamResponseList>> {
    let caller = auth.caller();
    caller.require_feature(Feature::Teams)?;
    app.store.read(move |reader| list(reader, &caller, &paging)).await.map(Json)
}

fn list(reader: &Reader, caller: &Caller, paging: &Paging) -> Api<UserTeamResponseList> {
    let page = teams::list_own(reader, caller, paging.after()?, paging.limit as usize)?;
    let next_cursor = page.next.as_ref().map(ToString::to_string);
    let mut items = Vec::with_capacity(page.items.len());
    for row in page.items {
        let own = |principals: &[Principal]| -> Vec<Principal> {
            principals.iter().filter(|principal| caller.is(principal)).cloned().collect()
        };
        let (owning, mut via) = (own(&row.owners), own(&row.members));
        let role = if owning.is_empty() { TeamRole::Member } else { TeamRole::Owner };
        via.retain(|principal| !owning.contains(principal));
        let via = PrincipalResponse::all(reader, caller.tenant, owning.iter().chain(&via))?;
        let Team { name, description, .. } = row.body;
        items.push(UserTeamResponse { id: row.id, name, description, role, via });
    }
    Ok(UserTeamResponseList { items, total: None, next_cursor })
}

operations!(list_my_teams);
