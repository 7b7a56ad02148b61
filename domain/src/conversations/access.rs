//! Access to conversations: the owner and the members of the conversation's project may read them.

use storage::authority::{Feature, Ground, Reason};
use storage::records::{Conversation, GrantLevel, Project};
use storage::{Reader, Row};
use uuid::Uuid;

use crate::access::lacking;
use crate::{Caller, Refusal, Result, projects};

/// Returns the grounds on which the caller may access a conversation. Members of its project may read it,
/// whatever their level there. Administering the tenant is not such a ground.
///
/// # Errors
/// Returns an error if storage fails.
pub fn grounds(reader: &Reader, caller: &Caller, row: &Row<Conversation>) -> storage::Result<Vec<Ground>> {
    if row.owner == caller.user {
        return Ok(vec![Ground { level: GrantLevel::Owner, reason: Reason::Owns }]);
    }
    let Some(project) = row.project_id.filter(|_| caller.features.contains(Feature::Projects)) else {
        return Ok(Vec::new());
    };
    let Some(project) = reader.get::<Project>(caller.tenant, &project)? else { return Ok(Vec::new()) };
    let members = projects::reading_grounds(&project, caller).into_iter();
    Ok(members.map(|ground| Ground { level: GrantLevel::Viewer, ..ground }).collect())
}

/// Returns the conversation with this id, if the caller may read it.
///
/// # Errors
/// Returns an error if storage fails.
pub fn readable(reader: &Reader, caller: &Caller, id: Uuid) -> storage::Result<Option<Row<Conversation>>> {
    let Some(row) = reader.get::<Conversation>(caller.tenant, &id)? else { return Ok(None) };
    let reached = !grounds(reader, caller, &row)?.is_empty();
    Ok(reached.then_some(row))
}

/// Returns one of the caller's own conversations.
///
/// # Errors
/// `not_found`, and `not_allowed` for a conversation that the caller may only read.
pub fn own(reader: &Reader, caller: &Caller, id: Uuid) -> Result<Row<Conversation>> {
    let row = readable(reader, caller, id)?.ok_or_else(|| Refusal::not_found("conversation"))?;
    match row.owner == caller.user {
        true => Ok(row),
        false => Err(lacking(GrantLevel::Owner, Some(GrantLevel::Viewer))),
    }
}
