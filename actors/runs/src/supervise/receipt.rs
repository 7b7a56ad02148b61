//! Reads the effects of a cancel from the run's journal.

use std::collections::HashMap;
use std::sync::Arc;

use storage::{Store, TenantId};
use uuid::Uuid;

use super::attach_error::AttachError;
use crate::event::flow::NodeStatus;
use crate::event::{EventData, StreamEvent, Terminal};
use crate::journal::Event;

/// The effects of a cancel.
#[derive(Clone, Debug)]
pub struct CancelOutcome {
    pub run_id: Uuid,
    /// The run's end, if it came in time, or if the run had ended before.
    pub terminal: Option<Terminal>,
    /// Runs that this run had started and that were stopped with it.
    pub children_stopped: Vec<Uuid>,
    /// Executions of nodes that were interrupted.
    pub nodes_stopped: Vec<String>,
    /// Estimated number of tokens that models still generated after the cancel was noted.
    pub tokens_after_cancel: u64,
}

/// Number of journal bytes that are read at once.
const READ: usize = 1 << 20;

/// Reads the effects of a cancel from a run's journal.
pub(super) async fn read(
    store: &Store,
    tenant: TenantId,
    run_id: Uuid,
) -> Result<CancelOutcome, AttachError> {
    let (mut effects, mut after) = (CancelEffects::default(), 0);
    loop {
        let read = store.read(move |reader| reader.journal_read(tenant, run_id, after, READ));
        let events = read.await?;
        let Some(last) = events.last() else { break };
        after = last.seq;
        events.iter().for_each(|event| effects.apply(event));
    }
    let terminal = store.read(move |reader| reader.terminal(tenant, run_id)).await?;
    let terminal = terminal.and_then(|json| serde_json::from_slice(&json).ok());
    let CancelEffects { children_stopped, nodes_stopped, chars, .. } = effects;
    let tokens_after_cancel = chars.div_ceil(4);
    Ok(CancelOutcome { run_id, terminal, children_stopped, nodes_stopped, tokens_after_cancel })
}

/// Collects the effects of a cancel from a journal.
#[derive(Default)]
struct CancelEffects {
    /// Whether the cancel was noted before the current event.
    cancelling: bool,
    /// Runs that nodes wait for, by the execution of the node.
    children: HashMap<Arc<str>, Uuid>,
    children_stopped: Vec<Uuid>,
    nodes_stopped: Vec<String>,
    /// Characters that models generated after the cancel was noted. Four characters count as one token.
    chars: u64,
}

impl CancelEffects {
    fn apply(&mut self, event: &Event) {
        match &*event.kind {
            "run.cancelling" => self.cancelling = true,
            "node.waiting" => self.node(event),
            "node.finished" | "text.delta" | "reasoning.delta" | "node.delta" if self.cancelling => {
                self.node(event)
            }
            _ => {}
        }
    }

    fn node(&mut self, event: &Event) {
        let Ok(StreamEvent { node, event, .. }) = serde_json::from_slice(&event.json) else { return };
        match (event, node) {
            (EventData::NodeWaiting(waiting), Some(node)) => {
                waiting.run_id.and_then(|child| self.children.insert(node.exec_id, child));
            }
            (EventData::NodeFinished(done), Some(node)) if done.status == NodeStatus::Cancelled => {
                self.children_stopped.extend(self.children.remove(&node.exec_id));
                self.nodes_stopped.push(node.exec_id.to_string());
            }
            (EventData::TextDelta { text, .. } | EventData::ReasoningDelta { text, .. }, _) => {
                self.chars += text.chars().count() as u64;
            }
            (EventData::NodeDelta(delta), _) => self.chars += delta.text.chars().count() as u64,
            _ => {}
        }
    }
}
