//! Deleting knowledge bases.

use serde_json::json;
use storage::records::{Assistant, GrantLevel};
use storage::{Reader, Scan};
use uuid::Uuid;

use super::access;
use crate::{Caller, Code, Refusal, Result, assistants};

/// Requires that the caller may delete a knowledge base: they own it, and no assistant uses it unless `force` is set.
///
/// # Errors
/// `not_found`, `not_allowed`; `in_use` with the assistants that use it. Assistants that the caller may not see are
/// only counted.
pub fn require_removable(reader: &Reader, caller: &Caller, id: Uuid, force: bool) -> Result<()> {
    access::at_least(reader, caller, id, GrantLevel::Owner)?;
    if force {
        return Ok(());
    }
    let assistants = reader.scan::<Assistant>(caller.tenant, Scan::table())?.items;
    let using =
        assistants.into_iter().filter(|row| row.deleted_at.is_none() && row.knowledge_bases.contains(&id));
    let (visible, others): (Vec<_>, Vec<_>) =
        using.partition(|row| assistants::access::level(row, caller).is_some());
    if visible.is_empty() && others.is_empty() {
        return Ok(());
    }
    let named: Vec<_> = visible.iter().map(|row| json!({"id": row.id, "name": row.name})).collect();
    Err(Refusal::new(Code::InUse)
        .detail("assistants use it; `force=true` detaches it from them")
        .extra("assistants", named)
        .extra("others", others.len()))
}
