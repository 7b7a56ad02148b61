//! Who may do what with a knowledge base.

use storage::authority::Ground;
use storage::records::{GrantLevel, KnowledgeBase, Shared};
use storage::{Reader, Row};
use uuid::Uuid;

use crate::api::assistants::access as assistants;
use crate::http::{Api, Caller, Refusal, Scope, lacking};

/// What the caller may do with it; none where they may not even see it.
pub fn level(
    reader: &Reader,
    base: &Row<KnowledgeBase>,
    caller: &Caller,
) -> storage::Result<Option<GrantLevel>> {
    Ok(grounds(reader, base, caller)?.into_iter().map(|ground| ground.level).max())
}

/// Why the caller may do anything with it. The own knowledge of an assistant belongs to those who may change
/// the assistant, and goes with it alone.
pub fn grounds(reader: &Reader, base: &Row<KnowledgeBase>, caller: &Caller) -> storage::Result<Vec<Ground>> {
    let Some(assistant) = base.assistant_id else { return Ok(base.grounds_of(caller)) };
    let assistant = assistants::visible(reader, caller, assistant)?;
    let grounds = assistant.map(|row| row.grounds_of(caller)).unwrap_or_default();
    let editing = grounds.into_iter().filter(|ground| ground.level >= GrantLevel::Editor);
    Ok(editing.map(|ground| Ground { level: GrantLevel::Editor, ..ground }).collect())
}

/// A knowledge base that the caller may see.
pub fn visible(reader: &Reader, caller: &Caller, id: Uuid) -> storage::Result<Option<Row<KnowledgeBase>>> {
    let Some(row) = reader.get::<KnowledgeBase>(caller.tenant, &id)? else { return Ok(None) };
    Ok(level(reader, &row, caller)?.map(|_| row))
}

/// Refuses a token that may write knowledge and no assistants, where the base is an assistant's own.
pub fn in_scope(base: &KnowledgeBase, caller: &Caller, least: GrantLevel) -> Api<()> {
    match base.assistant_id {
        Some(_) if least > GrantLevel::Viewer => caller.require_scope(Scope::AssistantsWrite),
        Some(_) => caller.require_scope(Scope::AssistantsRead),
        None => Ok(()),
    }
}

/// A knowledge base that the caller may do that with: 404 where they may not see it, 403 where they
/// may see it only.
pub fn at_least(reader: &Reader, caller: &Caller, id: Uuid, least: GrantLevel) -> Api<Row<KnowledgeBase>> {
    let row = visible(reader, caller, id)?.ok_or_else(|| Refusal::not_found("knowledge base"))?;
    match level(reader, &row, caller)? {
        Some(level) if level >= least => in_scope(&row, caller, least).map(|()| row),
        level => Err(lacking(least, level)),
    }
}
