//! Who may do what with a knowledge base.

use storage::records::{GrantLevel, KnowledgeBase};
use storage::{Reader, Row};
use uuid::Uuid;

use crate::api::assistants::access as assistants;
use crate::api::sharing;
use crate::http::{Api, ApiError, Caller, Code, Scope};

/// What the caller may do with it; none where they may not even see it. The own knowledge of an
/// assistant belongs to those who may change the assistant, and goes with it alone.
pub fn level(
    reader: &Reader,
    base: &Row<KnowledgeBase>,
    caller: &Caller,
) -> storage::Result<Option<GrantLevel>> {
    let Some(assistant) = base.assistant_id else { return Ok(sharing::level(&base.body, caller)) };
    let assistant = assistants::visible(reader, caller, assistant)?;
    let level = assistant.and_then(|row| assistants::level(&row, caller));
    Ok(level.filter(|level| *level >= GrantLevel::Editor).map(|_| GrantLevel::Editor))
}

/// A knowledge base that the caller may see.
pub fn visible(reader: &Reader, caller: &Caller, id: Uuid) -> storage::Result<Option<Row<KnowledgeBase>>> {
    let Some(row) = reader.get::<KnowledgeBase>(caller.tenant, &id)? else { return Ok(None) };
    Ok(level(reader, &row, caller)?.map(|_| row))
}

/// Refuses a token that may write knowledge and no assistants, where the base is an assistant's own.
fn in_scope(base: &KnowledgeBase, caller: &Caller, least: GrantLevel) -> Api<()> {
    match base.assistant_id {
        Some(_) if least > GrantLevel::Viewer => caller.require_scope(Scope::AssistantsWrite),
        Some(_) => caller.require_scope(Scope::AssistantsRead),
        None => Ok(()),
    }
}

/// A knowledge base that the caller may do that with: 404 where they may not see it, 403 where they
/// may see it only.
pub fn at_least(reader: &Reader, caller: &Caller, id: Uuid, least: GrantLevel) -> Api<Row<KnowledgeBase>> {
    let row = visible(reader, caller, id)?.ok_or_else(|| ApiError::not_found("knowledge base"))?;
    match level(reader, &row, caller)? {
        Some(level) if level >= least => in_scope(&row, caller, least).map(|()| row),
        _ => Err(Code::NotAllowed.into()),
    }
}
