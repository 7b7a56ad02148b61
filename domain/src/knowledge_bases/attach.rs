//! The knowledge bases that are attached to an assistant.

use storage::records::{Assistant, GrantLevel, KnowledgeBase};
use storage::{Reader, Row, Tx};
use uuid::Uuid;

use super::access;
use crate::{Caller, Refusal, Result, assistants};

/// Maximum number of knowledge bases attached to an assistant.
pub const MAX_ATTACHED: usize = 100;

/// Requires a knowledge base to be attached to an assistant.
///
/// # Errors
/// `not_found`.
pub fn require_attached(assistant: &Assistant, base: Uuid) -> Result<()> {
    let attached = assistant.knowledge_bases.contains(&base);
    attached.then_some(()).ok_or_else(|| Refusal::not_found("knowledge base"))
}

/// Returns the attached knowledge bases that the caller may read, in the order in which they were attached.
pub fn readable(
    reader: &Reader,
    caller: &Caller,
    assistant: &Assistant,
) -> storage::Result<Vec<Row<KnowledgeBase>>> {
    let rows = assistant.knowledge_bases.iter().map(|id| access::visible(reader, caller, *id));
    rows.filter_map(Result::transpose).collect()
}

/// Attaches a knowledge base that the caller may read to an assistant that the caller may edit, and returns both.
/// Attaching it again changes nothing.
///
/// # Errors
/// `not_found`, `not_allowed`; `invalid` for a knowledge base that the caller cannot see, or if the limit is exceeded.
pub fn attach(
    tx: &mut Tx,
    caller: &Caller,
    assistant: Uuid,
    base: Uuid,
) -> Result<(Row<Assistant>, Row<KnowledgeBase>)> {
    let mut row = assistants::access::at_least(tx, caller, assistant, GrantLevel::Editor)?;
    let invalid = |why: String, kind| Refusal::invalid("body", ["knowledge_base_id"], why, kind);
    // Another assistant's own knowledge can only be used by that assistant.
    let base = access::visible(tx, caller, base)?.filter(|base| base.assistant_id.is_none());
    let base = base.ok_or_else(|| invalid("there is no such knowledge base".to_owned(), "not_found"))?;
    if !row.knowledge_bases.contains(&base.id) {
        if row.knowledge_bases.len() >= MAX_ATTACHED {
            let why = format!("an assistant has at most {MAX_ATTACHED} knowledge bases");
            return Err(invalid(why, "too_many"));
        }
        row.knowledge_bases.push(base.id);
        row = tx.update(caller.tenant, row)?;
    }
    Ok((row, base))
}

/// Detaches a knowledge base from an assistant that the caller may edit.
///
/// # Errors
/// `not_found`, also for a knowledge base that is not attached; `not_allowed`.
pub fn detach(tx: &mut Tx, caller: &Caller, assistant: Uuid, base: Uuid) -> Result<()> {
    let mut row = assistants::access::at_least(tx, caller, assistant, GrantLevel::Editor)?;
    require_attached(&row, base)?;
    row.knowledge_bases.retain(|id| *id != base);
    tx.update(caller.tenant, row)?;
    Ok(())
}
