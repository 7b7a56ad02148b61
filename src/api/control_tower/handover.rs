//! What an assistant loses when it gets another owner.

use serde_json::{Value, json};
use storage::authority::Subject;
use storage::records::{Assistant, KnowledgeBase, Principal, Shared, Skill};
use storage::{Reader, Record, Row, TenantId};
use uuid::Uuid;

/// Makes it somebody else's. What was approved was approved by others; and what the new owner may not see themselves is
/// taken off it: they could not tell what it does with it, and whoever it belongs to could go on changing it.
///
/// Tells how the audit record has it.
pub fn hand_over(
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
    // What was granted before says nothing beside that.
    let own = Principal::user(to);
    assistant.grants.retain(|grant| grant.principal != own);
    assistant.withdraw_services(|_| false);
    let skills = unseen::<Skill>(reader, tenant, to, &assistant.skills)?;
    let bases = unseen::<KnowledgeBase>(reader, tenant, to, &assistant.knowledge_bases)?;
    assistant.skills.retain(|skill| !skills.contains(skill));
    assistant.knowledge_bases.retain(|base| !bases.contains(base));
    for (name, taken) in [("skills", skills), ("knowledge_bases", bases)] {
        if !taken.is_empty() {
            detail["taken_off"][name] = json!(taken);
        }
    }
    Ok(detail)
}

/// Those of these things that somebody may not see.
fn unseen<T>(reader: &Reader, tenant: TenantId, user: Uuid, ids: &[Uuid]) -> storage::Result<Vec<Uuid>>
where
    T: Record<Id = Uuid> + Shared,
{
    let standing = Subject::read(reader, tenant, user)?;
    let sees = |row: Row<T>| standing.as_ref().is_some_and(|standing| row.body.level_of(standing).is_some());
    let mut unseen = Vec::new();
    for id in ids {
        if !reader.get::<T>(tenant, id)?.is_some_and(sees) {
            unseen.push(*id);
        }
    }
    Ok(unseen)
}
