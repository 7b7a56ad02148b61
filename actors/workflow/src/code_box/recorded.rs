//! Reads the inputs that a node received in earlier runs.

use runs::{EventData, StreamEvent};
use serde_json::{Map, Value};
use storage::records::{Conversation, Run, RunKind};
use storage::{IndexKey, Reader, Scan, TenantId};
use uuid::Uuid;

use crate::nodes::Fields;

/// Maximum number of conversations that are searched, most recent first.
const CONVERSATIONS: usize = 100;
/// Maximum number of runs whose journals are searched.
const RUNS: usize = 10;
/// Maximum number of bytes that are read of one journal.
const JOURNAL: usize = 1 << 20;
/// Maximum number of distinct inputs that are returned.
const WANTED: usize = 5;

/// Returns the inputs that a node received in the most recent runs of an assistant, most recent first and without duplicates.
/// Only runs that this user started are searched, because the user may not see the inputs of other users' runs. Inputs whose
/// values are too large to be stored in the journal itself are skipped.
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
    // Run ids contain the time of creation.
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
