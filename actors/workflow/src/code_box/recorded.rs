//! What a node was given in earlier runs.

use runs::{EventData, StreamEvent};
use serde_json::{Map, Value};
use storage::records::{Conversation, Run, RunKind};
use storage::{IndexKey, Reader, Scan, TenantId};
use uuid::Uuid;

use crate::nodes::Fields;

/// Conversations that are looked through, the latest first.
const CONVERSATIONS: usize = 100;
/// Runs whose journals are looked through.
const RUNS: usize = 10;
/// Bytes of one journal that are looked through.
const JOURNAL: usize = 1 << 20;
/// Different inputs that are wanted.
const WANTED: usize = 5;

/// Inputs that a node had in the latest runs of an assistant that this user started, the latest first, without
/// repetition. What others gave their runs is not for them to see. Inputs with values so large that the journal holds
/// only their names are left out.
pub fn recorded(
    reader: &Reader,
    tenant: TenantId,
    user: Uuid,
    assistant: Uuid,
    node: &str,
) -> storage::Result<Vec<Fields>> {
    let mut found: Vec<Fields> = Vec::new();
    for run in latest(reader, tenant, user, assistant)? {
        for inputs in of_run(reader, tenant, run, node)?.into_iter().rev() {
            if !found.contains(&inputs) {
                found.push(inputs);
            }
        }
        if found.len() >= WANTED {
            break;
        }
    }
    found.truncate(WANTED);
    Ok(found)
}

fn latest(reader: &Reader, tenant: TenantId, user: Uuid, assistant: Uuid) -> storage::Result<Vec<Uuid>> {
    let own = Scan::index("by_owner_updated").prefix(IndexKey::new().id(&user).done());
    let own = reader.scan::<Conversation>(tenant, own.reverse().limit(CONVERSATIONS))?.items;
    let mut runs = Vec::new();
    for conversation in own.iter().filter(|conversation| conversation.assistant_id == Some(assistant)) {
        let of_it = Scan::index("by_conversation").prefix(conversation.id.as_bytes());
        let rows = reader.scan::<Run>(tenant, of_it.reverse().limit(RUNS))?.items;
        let wanted = |run: &storage::Row<Run>| run.kind == RunKind::Workflow && !run.journal_expired;
        runs.extend(rows.into_iter().filter(wanted).map(|run| run.id));
    }
    // Ids contain the time.
    runs.sort_unstable_by(|a, b| b.cmp(a));
    runs.truncate(RUNS);
    Ok(runs)
}

fn of_run(reader: &Reader, tenant: TenantId, run: Uuid, node: &str) -> storage::Result<Vec<Fields>> {
    let events = reader.journal_read(tenant, run, 0, JOURNAL)?;
    let begun = events.iter().filter(|event| &*event.kind == "node.started");
    let inputs = begun.filter_map(|event| {
        let event: StreamEvent = serde_json::from_slice(&event.json).ok()?;
        match (event.node, event.event) {
            (Some(at), EventData::NodeStarted(started)) if &*at.node_id == node => Some(started.inputs),
            _ => None,
        }
    });
    Ok(inputs.filter(is_whole).collect())
}

fn is_whole(inputs: &Map<String, Value>) -> bool {
    inputs.values().all(|value| value.get("$blob").is_none())
}
