//! What became of a cancel, read from the run's journal.

use storage::{Store, TenantId};
use uuid::Uuid;

use super::runs::AttachError;
use crate::event::{EventData, StreamEvent, Terminal};
use crate::journal::Event;

/// What became of a cancel.
#[derive(Clone, Debug)]
pub struct CancelOutcome {
    /// The run.
    pub run_id: Uuid,
    /// Its end, if it came in time; also one that came long before.
    pub terminal: Option<Terminal>,
    /// Runs that it had started and that were stopped with it.
    pub children_stopped: Vec<Uuid>,
    /// Executions of nodes that were stopped in their midst.
    pub nodes_stopped: Vec<String>,
    /// Estimated tokens that models still gave after the cancel was noted.
    pub tokens_after_cancel: u64,
}

/// Reads the receipt.
pub(super) async fn read(
    store: &Store,
    tenant: TenantId,
    run_id: Uuid,
) -> Result<CancelOutcome, AttachError> {
    let found = store.read(move |reader| {
        let terminal = reader.terminal(tenant, run_id)?;
        let events = reader.journal_read(tenant, run_id, 0, usize::MAX)?;
        Ok::<_, storage::Error>((terminal, events))
    });
    let (terminal, events) = found.await?;
    let terminal = terminal.and_then(|json| serde_json::from_slice(&json).ok());
    let mut outcome = CancelOutcome {
        run_id,
        terminal,
        children_stopped: Vec::new(),
        nodes_stopped: Vec::new(),
        tokens_after_cancel: tokens_after_cancel(&events),
    };
    stopped(&events, &mut outcome);
    Ok(outcome)
}

/// Nodes that ended as cancelled after the cancel was noted, and the runs they waited for.
fn stopped(events: &[Event], outcome: &mut CancelOutcome) {
    let at = events.iter().position(|event| &*event.kind == "run.cancelling").unwrap_or(events.len());
    let mut children = std::collections::HashMap::new();
    for (place, event) in events.iter().enumerate() {
        if !matches!(&*event.kind, "node.waiting" | "node.finished") {
            continue;
        }
        let Ok(StreamEvent { node: Some(node), event, .. }) = serde_json::from_slice(&event.json) else {
            continue;
        };
        match event {
            EventData::NodeWaiting(waiting) => {
                waiting.run_id.and_then(|child| children.insert(node.exec_id, child));
            }
            EventData::NodeFinished(done)
                if place > at && done.status == crate::event::flow::NodeStatus::Cancelled =>
            {
                outcome.children_stopped.extend(children.remove(&node.exec_id));
                outcome.nodes_stopped.push(node.exec_id.to_string());
            }
            _ => {}
        }
    }
}

/// Estimates the output tokens that came after the cancel was noted, at four characters each.
fn tokens_after_cancel(events: &[Event]) -> u64 {
    let after = events.iter().skip_while(|event| &*event.kind != "run.cancelling");
    let chars = after.map(|event| match serde_json::from_slice(&event.json) {
        Ok(EventData::TextDelta { text, .. } | EventData::ReasoningDelta { text, .. }) => {
            text.chars().count() as u64
        }
        Ok(EventData::NodeDelta(delta)) => delta.text.chars().count() as u64,
        _ => 0,
    });
    chars.sum::<u64>().div_ceil(4)
}
