//! Deletion of assistants: into the bin, out of it, and permanently.

use serde_json::json;
use storage::records::{
    Assistant, Automation, Document, GrantLevel, KnowledgeBase, PausedReason, Run, SkillDraft,
};
use storage::{Reader, Row, Scan, TenantId, Timestamp, Tx};
use uuid::Uuid;

use super::access;
use crate::audit::{Actor, audit};
use crate::{Caller, Result};

/// Moves an assistant that the caller owns to the bin, and pauses its automations.
///
/// # Errors
/// `not_found`, `not_allowed`.
pub fn put_into_bin(tx: &mut Tx, caller: &Caller, id: Uuid) -> Result<Row<Assistant>> {
    let mut row = access::at_least(tx, caller, id, GrantLevel::Owner)?;
    row.deleted_at = Some(Timestamp::now());
    pause_automations(tx, caller.tenant, id)?;
    Ok(tx.update(caller.tenant, row)?)
}

/// Restores an assistant that the caller owns from the bin. Its automations stay paused.
///
/// # Errors
/// `not_found`, `not_allowed`.
pub fn restore(tx: &mut Tx, caller: &Caller, id: Uuid) -> Result<Row<Assistant>> {
    let mut row = access::owned(tx, caller, id)?;
    if row.deleted_at.take().is_some() {
        row = tx.update(caller.tenant, row)?;
    }
    Ok(row)
}

/// The result of an attempt to delete an assistant permanently.
pub enum Deletion {
    /// The assistant is deleted. Indexes have to drop these documents (id, generation) of its own knowledge base.
    Done { base: Option<Uuid>, documents: Vec<(Uuid, u32)> },
    /// Nothing is deleted: these runs have to end first.
    LiveRuns(Vec<Uuid>),
}

/// Permanently deletes an assistant that the caller owns, and everything that belongs to it, unless a run works on its
/// knowledge or on a skill for it.
///
/// # Errors
/// `not_found`, `not_allowed`.
pub fn delete(tx: &mut Tx, caller: &Caller, id: Uuid) -> Result<Deletion> {
    let row = access::owned(tx, caller, id)?;
    let base = row.own_knowledge;
    let live = live_runs(tx, caller.tenant, id, base)?;
    if !live.is_empty() {
        return Ok(Deletion::LiveRuns(live));
    }
    pause_automations(tx, caller.tenant, id)?;
    let detail = json!({"name": row.name, "owner": row.owner});
    audit(tx, caller.tenant, Actor::from(caller), "assistant.delete", format!("assistant {id}"), detail)?;
    let documents = tx.delete_assistant(caller.tenant, id)?.unwrap_or_default();
    Ok(Deletion::Done { base, documents })
}

fn live_runs(
    reader: &Reader,
    tenant: TenantId,
    assistant: Uuid,
    base: Option<Uuid>,
) -> storage::Result<Vec<Uuid>> {
    let drafts = Scan::table().prefix(assistant.as_bytes().to_vec());
    let drafts = reader.scan::<SkillDraft>(tenant, drafts)?.items;
    let mut runs: Vec<Uuid> = drafts.iter().map(|draft| draft.id.1).collect();
    if let Some(base) = base {
        let documents = Scan::table().prefix(base.as_bytes().to_vec());
        runs.extend(reader.scan::<Document>(tenant, documents)?.items.iter().filter_map(|row| row.run_id));
        let base = reader.get::<KnowledgeBase>(tenant, &base)?;
        runs.extend(base.and_then(|row| row.body.rebuild).map(|rebuild| rebuild.run_id));
    }
    let mut live = Vec::new();
    for run in runs {
        if reader.get::<Run>(tenant, &run)?.is_some_and(|row| !row.state.is_terminal()) {
            live.push(run);
        }
    }
    Ok(live)
}

fn pause_automations(tx: &mut Tx, tenant: TenantId, assistant: Uuid) -> storage::Result<()> {
    let scan = Scan::index("by_assistant").prefix(assistant.as_bytes());
    for mut automation in tx.scan::<Automation>(tenant, scan)?.items {
        if automation.enabled {
            automation.enabled = false;
            automation.paused_reason = Some(PausedReason::AssistantDeleted);
            tx.update(tenant, automation)?;
        }
    }
    Ok(())
}
