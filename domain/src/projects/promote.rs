//! Converts a project into a team project.

use serde_json::json;
use storage::records::{Grant, GrantLevel, Principal, PrincipalKind, Project, ProjectKind, Shared, Team};
use storage::{Row, Tx};
use uuid::Uuid;

use super::change::store;
use crate::{Caller, Code, Refusal, Result, sharing, teams};

/// The team that a project is to belong to. Without `team_id`, a team is created from the project's users and groups.
#[derive(Clone, Debug, Default)]
pub struct TeamChoice {
    /// An existing team.
    pub team_id: Option<Uuid>,
    /// The name of a new team; the name of the project if omitted.
    pub name: Option<String>,
}

/// Converts a project into a team project: the team becomes an editor of it, and all other members stay. Repeating the
/// call changes nothing.
///
/// # Errors
/// `conflict` if the project already belongs to another team; `invalid` for a team that does not exist; `not_found`,
/// `not_allowed`.
pub fn promote(tx: &mut Tx, caller: &Caller, id: Uuid, choice: &TeamChoice) -> Result<Row<Project>> {
    let mut row = sharing::at_least::<Project>(tx, caller, id, GrantLevel::Owner)?;
    if row.kind == ProjectKind::Team {
        return match choice.team_id.is_none_or(|team| row.team_id == Some(team)) {
            true => Ok(row),
            false => Err(Refusal::new(Code::Conflict).detail("the project already belongs to another team")),
        };
    }
    let (team, level) = match choice.team_id {
        Some(team) => (existing(tx, caller, &row, team)?, GrantLevel::Editor),
        None => new_team(tx, caller, &row, choice.name.as_deref())?,
    };
    let principal = Principal { kind: PrincipalKind::Team, id: team };
    match row.grants.iter_mut().find(|grant| grant.principal == principal) {
        Some(grant) => grant.level = grant.level.max(level),
        None => row.grants.push(Grant { principal, level }),
    }
    (row.kind, row.body.team_id) = (ProjectKind::Team, Some(team));
    store(tx, caller, row, "project.promote", json!({"team": team}))
}

/// Checks an existing team. Administrators who are in the team would add themselves to the project, so they are refused
/// unless they are members of the project.
fn existing(tx: &Tx, caller: &Caller, project: &Project, team: Uuid) -> Result<Uuid> {
    let missing = || Refusal::invalid("body", ["team_id"], "there is no such team", "not_found");
    let row = tx.get::<Team>(caller.tenant, &team)?.ok_or_else(missing)?;
    let is_member = row.owners.iter().chain(&row.members).any(|principal| caller.is(principal));
    if is_member && project.member_level(caller) < Some(GrantLevel::Editor) {
        let why = "administrators cannot give themselves access to the conversations of a project";
        return Err(Refusal::new(Code::NotAllowed).detail(why));
    }
    Ok(team)
}

/// Creates a team from the project's users and groups. Its level is the lowest of theirs, so that no level is raised.
/// Teams that are members of the project remain direct members.
fn new_team(
    tx: &mut Tx,
    caller: &Caller,
    project: &Project,
    name: Option<&str>,
) -> Result<(Uuid, GrantLevel)> {
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
