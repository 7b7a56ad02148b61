//! Determines which knowledge bases may be searched.

use storage::authority::Subject;
use storage::records::{Assistant, KnowledgeBase, Shared};
use storage::{Reader, Row, TenantId};
use uuid::Uuid;

/// The knowledge bases that this user may search with this assistant: the assistant's own knowledge if the user may use
/// the assistant, and of the bases that are attached to it or listed in `more`, those that the user may read.
pub fn bases_of(
    reader: &Reader,
    tenant: TenantId,
    user: Uuid,
    assistant: Option<Uuid>,
    more: &[Uuid],
) -> storage::Result<Vec<Uuid>> {
    if assistant.is_none() && more.is_empty() {
        return Ok(Vec::new());
    }
    let Some(subject) = Subject::read(reader, tenant, user)? else { return Ok(Vec::new()) };
    let assistant = match assistant {
        Some(id) => reader.get::<Assistant>(tenant, &id)?,
        None => None,
    };
    let assistant = assistant.filter(|row: &Row<Assistant>| row.level_of(&subject).is_some());
    let own = assistant.as_ref().and_then(|row| row.own_knowledge);
    let attached = assistant.iter().flat_map(|row| row.knowledge_bases.iter());
    let mut bases: Vec<Uuid> = own.into_iter().collect();
    for id in attached.chain(more) {
        if bases.contains(id) {
            continue;
        }
        let base = reader.get::<KnowledgeBase>(tenant, id)?;
        // The own knowledge of an assistant is accessible only through that assistant.
        let readable =
            |base: &Row<KnowledgeBase>| base.assistant_id.is_none() && base.level_of(&subject).is_some();
        if base.is_some_and(|base| readable(&base)) {
            bases.push(*id);
        }
    }
    Ok(bases)
}

/// Number of an assistant's knowledge bases that the user may not read. The assistant answers without them.
pub fn closed_to(
    reader: &Reader,
    tenant: TenantId,
    user: Uuid,
    assistant: Option<Uuid>,
) -> storage::Result<u32> {
    let assistant = match assistant {
        Some(id) => reader.get::<Assistant>(tenant, &id)?,
        None => None,
    };
    let Some(assistant) = assistant.filter(|row| !row.knowledge_bases.is_empty()) else { return Ok(0) };
    let Some(subject) = Subject::read(reader, tenant, user)? else { return Ok(0) };
    let mut closed = 0;
    for id in &assistant.knowledge_bases {
        let base = reader.get::<KnowledgeBase>(tenant, id)?;
        closed += u32::from(base.is_some_and(|base| base.level_of(&subject).is_none()));
    }
    Ok(closed)
}
