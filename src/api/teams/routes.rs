//! The operations of `/api/teams`.

use actix_web::web::Data;
use domain::Precondition;
use domain::teams::{self, NewPrincipals, NewTeam, SharedObjects, UpdateTeam};
use storage::records::Team;
use storage::{Reader, Row, Tx};
use uuid::Uuid;

use super::schema::{CreateTeamBody, ListTeams, TeamPrincipalsBody, UpdateTeamBody};
use super::view::{TeamResponse, TeamResponseList, TeamSummary};
use crate::App;
use crate::http::scopes::{TeamsRead, TeamsWrite};
use crate::http::{
    Api, Auth, Caller, Created, IfMatch, Json, Loaded, NoContent, Query, ToOwn, Versioned, operations,
};

/// List the caller's teams.
///
/// Returns the teams that name the caller or one of the caller's groups. Administrators of the tenant can list
/// all teams with `all=true`.
#[utoipa::path(get, path = "/api/teams", params(ListTeams))]
async fn list_teams(
    auth: Auth<TeamsRead>,
    app: Data<App>,
    Query(query): Query<ListTeams>,
) -> Api<Json<TeamResponseList>> {
    let (caller, paging, all) = (auth.caller(), query.paging(), query.all);
    let read = move |reader: &Reader| {
        let list = if all { teams::list_all } else { teams::list_own };
        let page = list(reader, &caller, paging.after()?, paging.limit as usize)?;
        Api::Ok(page.map(|row| TeamSummary::from_row(row, &caller)).into())
    };
    app.store.read(read).await.map(Json)
}

/// Create a team.
///
/// Any member of the tenant can create teams. The creator becomes an owner.
#[utoipa::path(post, path = "/api/teams")]
async fn create_team(
    auth: Auth<TeamsWrite>,
    app: Data<App>,
    Json(new): Json<CreateTeamBody>,
) -> Api<Created<TeamResponse>> {
    let (caller, new) = (auth.caller(), NewTeam::from(new));
    let create = move |tx: &mut Tx| {
        let row = teams::create(tx, &caller, new.clone())?;
        Api::Ok(TeamResponse::from_row(tx, row, &caller)?)
    };
    app.store.run(create).await.map(Created)
}

/// Retrieve a team.
///
/// Available to the team's members and owners, and to administrators of the tenant.
#[utoipa::path(get, path = "/api/teams/{team_id}")]
async fn get_team(team: Loaded<Row<Team>, TeamsRead>, app: Data<App>) -> Api<Versioned<TeamResponse>> {
    let (caller, row) = (team.auth.caller(), team.it);
    let shown = app.store.read(move |reader| TeamResponse::from_row(reader, row, &caller)).await?;
    Ok(Versioned(shown))
}

/// Update a team's name and description.
///
/// Omitted fields do not change; `null` clears a field. Requires an owner of the team or an administrator of
/// the tenant.
#[utoipa::path(patch, path = "/api/teams/{team_id}")]
async fn update_team(
    team: Loaded<Row<Team>, TeamsWrite, ToOwn>,
    app: Data<App>,
    if_match: IfMatch,
    Json(new): Json<UpdateTeamBody>,
) -> Api<Versioned<TeamResponse>> {
    let (caller, id) = (team.auth.caller(), team.id);
    let (precondition, new) = (if_match.precondition(), UpdateTeam::from(new));
    let update = move |tx: &mut Tx| {
        let row = teams::update(tx, &caller, id, &precondition, new.clone())?;
        Api::Ok(TeamResponse::from_row(tx, row, &caller)?)
    };
    app.store.run(update).await.map(Versioned)
}

/// Delete a team.
///
/// Grants to the team are deleted as well; objects that its members created are retained. Requires an owner of
/// the team or an administrator of the tenant.
#[utoipa::path(delete, path = "/api/teams/{team_id}")]
async fn delete_team(team: Loaded<Row<Team>, TeamsWrite, ToOwn>, app: Data<App>) -> Api<NoContent> {
    let (caller, id) = (team.auth.caller(), team.id);
    let by = caller.clone();
    let shared = app.store.read(move |reader| SharedObjects::read(reader, &by, id)).await?;
    app.store.run(move |tx| teams::delete(tx, &caller, id, &shared)).await.map(|()| NoContent)
}

/// Replace the members of a team.
///
/// Owners belong to the team without being listed here. Sending the current members again changes nothing.
/// Requires an owner of the team or an administrator of the tenant.
#[utoipa::path(put, path = "/api/teams/{team_id}/members")]
async fn set_team_members(
    team: Loaded<Row<Team>, TeamsWrite, ToOwn>,
    app: Data<App>,
    if_match: IfMatch,
    Json(new): Json<TeamPrincipalsBody>,
) -> Api<Versioned<TeamResponse>> {
    put(&app, team, if_match, new, teams::set_members).await
}

/// Replace the owners of a team.
///
/// At least one owner must be a user of the tenant who is not disabled, or a group with such a user. Requires
/// an owner of the team or an administrator of the tenant.
#[utoipa::path(put, path = "/api/teams/{team_id}/owners")]
async fn set_team_owners(
    team: Loaded<Row<Team>, TeamsWrite, ToOwn>,
    app: Data<App>,
    if_match: IfMatch,
    Json(new): Json<TeamPrincipalsBody>,
) -> Api<Versioned<TeamResponse>> {
    put(&app, team, if_match, new, teams::set_owners).await
}

/// Replaces the owners or the members.
async fn put(
    app: &App,
    team: Loaded<Row<Team>, TeamsWrite, ToOwn>,
    if_match: IfMatch,
    new: TeamPrincipalsBody,
    set: fn(&mut Tx, &Caller, Uuid, &Precondition, NewPrincipals) -> domain::Result<Row<Team>>,
) -> Api<Versioned<TeamResponse>> {
    let (caller, id) = (team.auth.caller(), team.id);
    let (precondition, new) = (if_match.precondition(), NewPrincipals::from(new));
    let replace = move |tx: &mut Tx| {
        let row = set(tx, &caller, id, &precondition, new.clone())?;
        Api::Ok(TeamResponse::from_row(tx, row, &caller)?)
    };
    app.store.run(replace).await.map(Versioned)
}

operations!(list_teams, create_team, get_team, update_team, delete_team, set_team_members, set_team_owners);
