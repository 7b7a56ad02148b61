//! Conversations in projects.

use storage::authority::Feature;
use storage::records::{Conversation, GrantLevel, Project};
use storage::{Cursor, Page, Reader, Row, Scan, Tx};
use uuid::Uuid;

use super::require_member;
use crate::paging::PAGE_BYTES;
use crate::sharing;
use crate::{Caller, Refusal, Result, Scope};

/// Checks whether the caller may add conversations to a project, for operations of other areas. Returns `None` if the
/// caller cannot see the project.
///
/// # Errors
/// `feature_disabled`, `scope_missing`; `not_allowed` if the caller is not an editor of the project.
pub fn check_target(reader: &Reader, caller: &Caller, id: Uuid) -> Result<Option<()>> {
    caller.require_feature(Feature::Projects)?;
    caller.require_scope(Scope::ProjectsWrite)?;
    match sharing::visible::<Project>(reader, caller, id)? {
        Some(row) => require_member(&row, caller, GrantLevel::Editor).map(Some),
        None => Ok(None),
    }
}

/// Returns a page of the conversations in a project, most recently changed first.
///
/// # Errors
/// `not_allowed` if the caller is not a member. Administrators may see the project without being a member.
pub fn list(
    reader: &Reader,
    caller: &Caller,
    project: &Row<Project>,
    after: Option<Cursor>,
    limit: usize,
) -> Result<Page<Row<Conversation>>> {
    require_member(project, caller, GrantLevel::Viewer)?;
    let scan = Scan::index("by_project").prefix(project.id.as_bytes()).reverse();
    let scan = scan.limit(limit).bytes(PAGE_BYTES).after(after);
    Ok(reader.scan::<Conversation>(caller.tenant, scan)?)
}

/// Requires that the caller may add conversations to a project: they must be a member and an editor.
///
/// # Errors
/// `not_found`, `not_allowed`.
pub fn require_target(reader: &Reader, caller: &Caller, id: Uuid) -> Result<()> {
    let row = sharing::visible::<Project>(reader, caller, id)?;
    let row = row.ok_or_else(|| Refusal::not_found("project"))?;
    require_member(&row, caller, GrantLevel::Editor)
}

/// Moves one of the caller's conversations into a project, out of its current project. The caller has passed
/// [`require_target`] in the same transaction.
pub fn put_into(
    tx: &mut Tx,
    caller: &Caller,
    row: Row<Conversation>,
    project: Uuid,
) -> Result<Row<Conversation>> {
    set_project(tx, caller, row, Some(project))
}

/// Removes one of the caller's conversations from a project.
///
/// # Errors
/// `not_found` if the conversation is not in that project.
pub fn take_out(
    tx: &mut Tx,
    caller: &Caller,
    row: Row<Conversation>,
    project: Uuid,
) -> Result<Row<Conversation>> {
    match row.project_id == Some(project) {
        true => set_project(tx, caller, row, None),
        false => Err(Refusal::not_found("conversation in this project")),
    }
}

fn set_project(
    tx: &mut Tx,
    caller: &Caller,
    mut row: Row<Conversation>,
    project: Option<Uuid>,
) -> Result<Row<Conversation>> {
    if row.project_id != project {
        tx.place_conversation(caller.tenant, &mut row.body, project)?;
        row = tx.update(caller.tenant, row)?;
    }
    Ok(row)
}
