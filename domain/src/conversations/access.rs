//! Who may read a conversation: its owner, and the members of its project.

use storage::authority::{Feature, Ground, Reason};
use storage::records::{Conversation, GrantLevel, Project};
use storage::{Reader, Row};
use uuid::Uuid;

use crate::access::lacking;
use crate::{Caller, Refusal, Result, projects};

/// What lets the caller reach a conversation. Members of its project read it, whatever else they may do there;
/// administering the tenant is no reason.
///
/// # Errors
/// Those of storage.
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

/// The conversation with this id, if the caller may read it.
///
/// # Errors
/// Those of storage.
pub fn readable(reader: &Reader, caller: &Caller, id: Uuid) -> storage::Result<Option<Row<Conversation>>> {
    let Some(row) = reader.get::<Conversation>(caller.tenant, &id)? else { return Ok(None) };
    let reached = !grounds(reader, caller, &row)?.is_empty();
    Ok(reached.then_some(row))
}

/// The caller's own conversation.
///
/// # Errors
/// `not_found`, and `not_allowed` for one that they only read.
pub fn own(reader: &Reader, caller: &Caller, id: Uuid) -> Result<Row<Conversation>> {
    let row = readable(reader, caller, id)?.ok_or_else(|| Refusal::not_found("conversation"))?;
    match row.owner == caller.user {
        true => Ok(row),
        false => Err(lacking(GrantLevel::Owner, Some(GrantLevel::Viewer))),
    }
}
