//! Transfers an assistant to another owner, and removes what the new owner may not use.

use serde_json::{Value, json};
use storage::authority::Subject;
use storage::records::{Assistant, KnowledgeBase, Principal, Shared, Skill};
use storage::{Reader, Record, Row, TenantId};
use uuid::Uuid;

/// Makes `to` the owner, and returns the detail of the audit record. Approvals of services are withdrawn, because other
/// users gave them. Skills and knowledge bases that the new owner may not see are removed: the new owner could not tell
/// what the assistant does with them, and their owners could continue to change them.
pub(super) fn transfer(
    reader: &Reader,
    tenant: TenantId,
    assistant: &mut Assistant,
    to: Uuid,
) -> storage::Result<Value> {
    let mut detail = json!({"from": assistant.owner, "to": to});
    if assistant.owner == to {
        return Ok(detail);
    }
    assistant.owner = to;
    // An earlier grant has no effect beside ownership.
    let own = Principal::user(to);
    assistant.grants.retain(|grant| grant.principal != own);
    assistant.withdraw_services(|_| false);
    let skills = invisible::<Skill>(reader, tenant, to, &assistant.skills)?;
    let bases = invisible::<KnowledgeBase>(reader, tenant, to, &assistant.knowledge_bases)?;
    assistant.skills.retain(|skill| !skills.contains(skill));
    assistant.knowledge_bases.retain(|base| !bases.contains(base));
    for (name, removed) in [("skills", skills), ("knowledge_bases", bases)] {
        if !removed.is_empty() {
            detail["taken_off"][name] = json!(removed);
        }
    }
    Ok(detail)
}

/// Returns the ids whose objects a user may not see.
fn invisible<T>(reader: &Reader, tenant: TenantId, user: Uuid, ids: &[Uuid]) -> storage::Result<Vec<Uuid>>
where
    T: Record<Id = Uuid> + Shared,
{
    let subject = Subject::read(reader, tenant, user)?;
    let is_visible =
        |row: Row<T>| subject.as_ref().is_some_and(|subject| row.body.level_of(subject).is_some());
    let mut invisible = Vec::new();
    for id in ids {
        if !reader.get::<T>(tenant, id)?.is_some_and(is_visible) {
            invisible.push(*id);
        }
    }
    Ok(invisible)
}
