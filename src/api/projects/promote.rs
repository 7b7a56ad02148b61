//! Making a project a team's.

use actix_web::web::Data;
use serde_json::json;
use storage::records::{Grant, GrantLevel, Principal, PrincipalKind, Project, ProjectKind, Shared, Team};
use storage::{Row, Tx};
use uuid::Uuid;

use super::change::store;
use super::schema::PromoteProjectToTeamBody;
use super::view::ProjectResponse;
use crate::App;
use crate::api::{sharing, teams};
use crate::http::scopes::ProjectsWrite;
use crate::http::{Admin, Api, Area, Caller, Code, Found, Json, Problem, Refusal, operations};

/// Make a project a team's.
///
/// The team becomes an editor of it, and all its other members stay. Without `team_id` a team is made of the project's
/// users and groups, those who own the project as its owners. Doing so twice changes nothing; 409 when it is another
/// team's already. For administrators of the tenant, who do not let themselves into a project so: 403 for a team that
/// they are in themselves, unless they are members of the project.
#[utoipa::path(post, path = "/api/projects/admin/{project_id}/promote-to-team",
    operation_id = "projects.promote_project_to_team",
    responses((status = 200, description = "The project as it is now.", body = ProjectResponse),
        (status = 409, description = "It is another team's.", body = Problem, content_type = "application/problem+json")))]
async fn promote_project_to_team(
    project: Found<Row<Project>, ProjectsWrite, Admin>,
    app: Data<App>,
    Json(asked): Json<PromoteProjectToTeamBody>,
) -> Api<Json<ProjectResponse>> {
    let (caller, id) = (project.auth.caller(), project.id);
    app.store.run(move |tx| promote(tx, &caller, id, &asked)).await.map(Json)
}

fn promote(tx: &mut Tx, caller: &Caller, id: Uuid, asked: &PromoteProjectToTeamBody) -> Api<ProjectResponse> {
    let mut row = sharing::at_least::<Project>(tx, caller, id, GrantLevel::Owner)?;
    if row.kind == ProjectKind::Team {
        return match asked.team_id.is_none_or(|team| row.team_id == Some(team)) {
            true => Ok(ProjectResponse::of(tx, row, caller)?),
            false => Err(Refusal::new(Code::Conflict).detail("the project is another team's already")),
        };
    }
    let team = match asked.team_id {
        Some(team) => (named(tx, caller, &row, team)?, GrantLevel::Editor),
        None => made(tx, caller, &row, asked.name.as_deref())?,
    };
    let (team, level) = team;
    let principal = Principal { kind: PrincipalKind::Team, id: team };
    match row.grants.iter_mut().find(|grant| grant.principal == principal) {
        Some(grant) => grant.level = grant.level.max(level),
        None => row.grants.push(Grant { principal, level }),
    }
    (row.kind, row.body.team_id) = (ProjectKind::Team, Some(team));
    let row = store(tx, caller, row, "project.promote", json!({"team": team}))?;
    Ok(ProjectResponse::of(tx, row, caller)?)
}

fn named(tx: &Tx, caller: &Caller, project: &Project, team: Uuid) -> Api<Uuid> {
    let none = || Refusal::invalid("body", ["team_id"], "there is no such team", "not_found");
    let row = tx.get::<Team>(caller.tenant, &team)?.ok_or_else(none)?;
    let inside = row.owners.iter().chain(&row.members).any(|principal| caller.is(principal));
    if inside && project.member_level(caller) < Some(GrantLevel::Editor) {
        let why = "administrators do not let themselves into what others say in a project";
        return Err(Refusal::new(Code::NotAllowed).detail(why));
    }
    Ok(team)
}

/// A team of those who are in the project; its teams stay members by themselves. It may what all of them may, so that
/// nobody may more than before.
fn made(tx: &mut Tx, caller: &Caller, project: &Project, name: Option<&str>) -> Api<(Uuid, GrantLevel)> {
    let people = project
        .sharing()
        .grants
        .iter()
        .filter(|grant| matches!(grant.principal.kind, PrincipalKind::User | PrincipalKind::Group));
    let people: Vec<&Grant> = people.collect();
    let least = people.iter().map(|grant| grant.level).min().unwrap_or(GrantLevel::Editor);
    let (owning, others): (Vec<_>, Vec<_>) =
        people.into_iter().partition(|grant| grant.level == GrantLevel::Owner);
    let of =
        |grants: Vec<&Grant>| grants.into_iter().map(|grant| grant.principal.clone()).collect::<Vec<_>>();
    let mut owners = vec![Principal::user(project.owner)];
    owners.extend(of(owning));
    let name = name.unwrap_or(&project.name).trim().to_owned();
    let description = project.description.clone();
    let team = Team { name, description, owners, members: of(others) };
    Ok((teams::insert(tx, caller, team)?.id, least.min(GrantLevel::Editor)))
}

/// The operations of this file.
pub fn operations(area: &mut Area) {
    operations!(area; promote_project_to_team);
}
