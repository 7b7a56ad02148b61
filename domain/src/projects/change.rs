//! Creating, changing and deleting projects.

use serde_json::{Value, json};
use storage::records::{GrantLevel, Project};
use storage::{Row, Tx, new_id};
use uuid::Uuid;

use crate::audit::{Actor, audit};
use crate::sharing;
use crate::{Caller, Precondition, Refusal, Result};

/// A project to create.
#[derive(Clone, Debug)]
pub struct NewProject {
    /// The name; surrounding white space is removed.
    pub name: String,
    pub description: Option<String>,
    /// The instructions for all conversations of the project.
    pub instructions: String,
}

/// The fields of a project that editors may set. All of them are replaced.
#[derive(Clone, Debug)]
pub struct UpdateProject {
    /// The name; surrounding white space is removed.
    pub name: String,
    pub description: Option<String>,
    /// The instructions for all conversations of the project.
    pub instructions: String,
    /// The version that the caller has seen, if the body contains one.
    pub version: Option<u64>,
}

/// Creates a project that the caller owns.
pub fn create(tx: &mut Tx, caller: &Caller, new: NewProject) -> Result<Row<Project>> {
    let NewProject { name, description, instructions } = new;
    let name = name.trim().to_owned();
    let project = Project { name, description, instructions, owner: caller.user, ..Project::default() };
    Ok(tx.insert(caller.tenant, new_id(), project)?)
}

/// Replaces the fields that editors may set.
///
/// # Errors
/// `not_found`, `not_allowed`; `stale` for another version.
pub fn update(
    tx: &mut Tx,
    caller: &Caller,
    id: Uuid,
    precondition: &Precondition,
    new: UpdateProject,
) -> Result<Row<Project>> {
    let mut row = sharing::at_least::<Project>(tx, caller, id, GrantLevel::Editor)?;
    precondition.check_both(new.version, "project", row.version)?;
    let before = row.body.clone();
    row.name = new.name.trim().to_owned();
    row.description = new.description;
    row.instructions = new.instructions;
    if row.body != before {
        if row.member_level(caller).is_none() {
            record(tx, caller, id, "project.update", json!({"name": row.name}))?;
        }
        row = tx.update(caller.tenant, row)?;
    }
    Ok(row)
}

/// Deletes a project and keeps its conversations. Returns the number of its conversations.
///
/// # Errors
/// `not_found`, `not_allowed`.
pub fn delete(tx: &mut Tx, caller: &Caller, id: Uuid) -> Result<u64> {
    let row = sharing::at_least::<Project>(tx, caller, id, GrantLevel::Owner)?;
    record(tx, caller, id, "project.delete", json!({"name": row.name, "owner": row.owner}))?;
    let released = tx.delete_project(caller.tenant, id)?;
    released.ok_or_else(|| Refusal::not_found("project"))
}

/// Stores a project whose members were changed, with an audit record.
pub(super) fn store(
    tx: &mut Tx,
    caller: &Caller,
    row: Row<Project>,
    action: &str,
    detail: Value,
) -> Result<Row<Project>> {
    record(tx, caller, row.id, action, detail)?;
    Ok(tx.update(caller.tenant, row)?)
}

fn record(tx: &mut Tx, caller: &Caller, id: Uuid, action: &str, detail: Value) -> storage::Result<()> {
    audit(tx, caller.tenant, Actor::from(caller), action, format!("project {id}"), detail)
}
