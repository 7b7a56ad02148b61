//! Access to knowledge bases.

use storage::authority::Ground;
use storage::records::{GrantLevel, KnowledgeBase, Shared};
use storage::{Reader, Row};
use uuid::Uuid;

use crate::access::lacking;
use crate::{Caller, Refusal, Result, Scope, assistants};

/// Returns the caller's level on a knowledge base; `None` if the caller may not see it.
pub fn level(
    reader: &Reader,
    base: &Row<KnowledgeBase>,
    caller: &Caller,
) -> storage::Result<Option<GrantLevel>> {
    Ok(grounds(reader, base, caller)?.into_iter().map(|ground| ground.level).max())
}

/// Returns the grounds on which the caller has any level on a knowledge base. An assistant's own knowledge is accessible
/// to those who may edit the assistant, and can only be deleted together with the assistant.
pub fn grounds(reader: &Reader, base: &Row<KnowledgeBase>, caller: &Caller) -> storage::Result<Vec<Ground>> {
    let Some(assistant) = base.assistant_id else { return Ok(base.grounds_of(caller)) };
    let assistant = assistants::access::visible(reader, caller, assistant)?;
    let grounds = assistant.map(|row| row.grounds_of(caller)).unwrap_or_default();
    let editing = grounds.into_iter().filter(|ground| ground.level >= GrantLevel::Editor);
    Ok(editing.map(|ground| Ground { level: GrantLevel::Editor, ..ground }).collect())
}

/// Returns the knowledge base with this id, if the caller may see it.
pub fn visible(reader: &Reader, caller: &Caller, id: Uuid) -> storage::Result<Option<Row<KnowledgeBase>>> {
    let Some(row) = reader.get::<KnowledgeBase>(caller.tenant, &id)? else { return Ok(None) };
    Ok(level(reader, &row, caller)?.map(|_| row))
}

/// Requires the scopes of assistants for an assistant's own knowledge: a token that may only write knowledge cannot
/// change assistants.
///
/// # Errors
/// `scope_missing` if the token lacks the scope.
pub fn require_scope(base: &KnowledgeBase, caller: &Caller, least: GrantLevel) -> Result<()> {
    match base.assistant_id {
        Some(_) if least > GrantLevel::Viewer => caller.require_scope(Scope::AssistantsWrite),
        Some(_) => caller.require_scope(Scope::AssistantsRead),
        None => Ok(()),
    }
}

/// Returns the knowledge base with this id, if the caller has at least the level `least` on it.
///
/// # Errors
/// `not_found` if the caller may not see it, `not_allowed` if they have a lower level; the errors of [`require_scope`].
pub fn at_least(reader: &Reader, caller: &Caller, id: Uuid, least: GrantLevel) -> Result<Row<KnowledgeBase>> {
    let row = visible(reader, caller, id)?.ok_or_else(|| Refusal::not_found("knowledge base"))?;
    match level(reader, &row, caller)? {
        Some(level) if level >= least => require_scope(&row, caller, least).map(|()| row),
        level => Err(lacking(least, level)),
    }
}
