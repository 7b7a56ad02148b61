//! Making, changing and deleting projects.

use serde_json::{Value, json};
use storage::records::{GrantLevel, Project};
use storage::{Row, Tx, new_id};
use uuid::Uuid;

use super::schema::{CreateProjectRequest, UpdateProjectRequest};
use super::view::{DeleteProjectResponse, ProjectResponse};
use crate::api::sharing;
use crate::http::{Api, Caller, IfMatch, Refusal};
use domain::audit::{Actor, audit};

/// Makes a project of the caller's.
pub fn create(tx: &mut Tx, caller: &Caller, new: CreateProjectRequest) -> Api<ProjectResponse> {
    let CreateProjectRequest { name, description, instructions } = new;
    let name = name.trim().to_owned();
    let project = Project { name, description, instructions, owner: caller.user, ..Project::default() };
    let row = tx.insert(caller.tenant, new_id(), project)?;
    Ok(ProjectResponse::of(tx, row, caller)?)
}

/// Replaces what editors may set.
pub fn update(
    tx: &mut Tx,
    caller: &Caller,
    id: Uuid,
    if_match: &IfMatch,
    new: UpdateProjectRequest,
) -> Api<ProjectResponse> {
    let mut row = sharing::at_least::<Project>(tx, caller, id, GrantLevel::Editor)?;
    if_match.check(row.version)?;
    if new.version.is_some_and(|version| version != row.version) {
        return Err(storage::Error::Stale("project").into());
    }
    let before = row.body.clone();
    row.name = new.name.trim().to_owned();
    row.description = new.description;
    row.instructions = new.instructions;
    if row.body != before {
        if row.member_level(caller).is_none() {
            note(tx, caller, id, "project.update", json!({"name": row.name}))?;
        }
        row = tx.update(caller.tenant, row)?;
    }
    Ok(ProjectResponse::of(tx, row, caller)?)
}

/// Deletes a project, and none of its conversations.
pub fn delete(tx: &mut Tx, caller: &Caller, id: Uuid) -> Api<DeleteProjectResponse> {
    let row = sharing::at_least::<Project>(tx, caller, id, GrantLevel::Owner)?;
    note(tx, caller, id, "project.delete", json!({"name": row.name, "owner": row.owner}))?;
    let released = tx.delete_project(caller.tenant, id)?;
    let released = released.ok_or_else(|| Refusal::not_found("project"))?;
    Ok(DeleteProjectResponse { project_id: id, member_id: None, released_conversations: Some(released) })
}

/// Stores a project whose members were changed, and writes down who did that.
pub fn store(
    tx: &mut Tx,
    caller: &Caller,
    row: Row<Project>,
    action: &str,
    detail: Value,
) -> Api<Row<Project>> {
    note(tx, caller, row.id, action, detail)?;
    Ok(tx.update(caller.tenant, row)?)
}

fn note(tx: &mut Tx, caller: &Caller, id: Uuid, action: &str, detail: Value) -> storage::Result<()> {
    audit(tx, caller.tenant, Actor::from(caller), action, format!("project {id}"), detail)
}
