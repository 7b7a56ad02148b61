//! Computes what a run waits for from its journal.

use std::collections::BTreeMap;

use runs::event::flow::{FormRequired, NodeWaiting};
use runs::{EventData, StreamEvent};
use serde::Serialize;
use storage::records::{Run, RunState};
use storage::{Reader, TenantId, Timestamp};
use utoipa::ToSchema;
use uuid::Uuid;

/// Number of journal bytes read at a time.
const CHUNK: usize = 256 * 1024;

/// A condition that a run waits for: a form, an event, a point in time, or the end of another run.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct WorkflowWait {
    pub node_id: String,
    /// The execution of the node, which differs from the node id inside an `each` or a `loop`.
    pub exec_id: String,
    /// `human`, `event`, `timer` or `child`.
    pub on: String,
    /// The latest time at which the wait ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub until: Option<Timestamp>,
    /// The form to answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub form: Option<FormRequired>,
    /// The name of the expected event.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub event: Option<String>,
    /// The run that the node waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub stream_id: Option<Uuid>,
    /// The conversation of the run that the node waits for. Forms of that run are answered there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub conversation_id: Option<Uuid>,
}

/// What a run waits for, after the events that have been applied.
#[derive(Debug, Default)]
pub(crate) struct Waits {
    /// Forms whose node has not started to wait yet, by execution.
    forms: BTreeMap<String, FormRequired>,
    /// Current waits, by execution.
    open: BTreeMap<String, WorkflowWait>,
}

impl Waits {
    /// Reads the complete journal of a run.
    pub(crate) fn read(reader: &Reader, tenant: TenantId, run: Uuid) -> storage::Result<Self> {
        let (mut waits, mut after) = (Self::default(), 0);
        loop {
            let events = reader.journal_read(tenant, run, after, CHUNK)?;
            let Some(last) = events.last() else { return Ok(waits) };
            after = last.seq;
            for event in events.iter().filter(|event| Self::depend_on(&event.kind)) {
                if let Ok(event) = serde_json::from_slice(&event.json) {
                    waits.apply(&event);
                }
            }
        }
    }

    /// Whether events of this type change what a run waits for.
    pub(crate) fn depend_on(kind: &str) -> bool {
        matches!(kind, "node.waiting" | "node.finished" | "node.retry" | "form.required" | "run.ended")
    }

    pub(crate) fn apply(&mut self, event: &StreamEvent) {
        if let EventData::RunEnded { .. } = event.event {
            *self = Self::default();
        }
        let Some(at) = &event.node else { return };
        let exec_id = at.exec_id.to_string();
        match &event.event {
            EventData::FormRequired(form) => drop(self.forms.insert(exec_id, (**form).clone())),
            EventData::NodeWaiting(waiting) => {
                let form = self.forms.remove(&exec_id);
                let node_id = at.node_id.to_string();
                self.open.insert(exec_id.clone(), wait((node_id, exec_id), waiting.clone(), form));
            }
            EventData::NodeFinished(_) | EventData::NodeRetry(_) => drop(self.open.remove(&exec_id)),
            _ => {}
        }
    }

    pub(crate) fn into_vec(self) -> Vec<WorkflowWait> {
        self.open.into_values().collect()
    }
}

/// Whether a run cannot continue by itself: it waits for a person or an event, is paused, or waits only for runs that are blocked
/// themselves.
pub(crate) fn is_blocked(reader: &Reader, tenant: TenantId, run: Uuid) -> storage::Result<bool> {
    let Some(row) = reader.get::<Run>(tenant, &run)? else { return Ok(false) };
    match (row.state, row.state_detail.as_deref()) {
        (RunState::Paused, _) | (RunState::Waiting, Some("human" | "event")) => Ok(true),
        (RunState::Waiting, Some("child")) => {
            let waits = Waits::read(reader, tenant, run)?.into_vec();
            let mut blocked = !waits.is_empty();
            for wait in waits {
                // The depth of nested runs is limited, so the recursion terminates.
                blocked &= match wait.stream_id {
                    Some(child) => is_blocked(reader, tenant, child)?,
                    None => matches!(&*wait.on, "human" | "event"),
                };
            }
            Ok(blocked)
        }
        _ => Ok(false),
    }
}

fn wait(
    (node_id, exec_id): (String, String),
    waiting: NodeWaiting,
    form: Option<FormRequired>,
) -> WorkflowWait {
    let NodeWaiting { on, until, event, run_id, conversation_id, .. } = waiting;
    WorkflowWait { node_id, exec_id, on, until, form, event, stream_id: run_id, conversation_id }
}

/// Describes the waits in words, for an error message.
pub(crate) fn describe(waits: &[WorkflowWait]) -> String {
    let one = |wait: &WorkflowWait| match (&wait.event, wait.on.as_str()) {
        (Some(event), _) => format!("the event {event:?} (node {})", wait.exec_id),
        (None, "human") => format!("the answer to the form of node {}", wait.exec_id),
        (None, "child") => format!("the run that node {} has started", wait.exec_id),
        (None, _) => format!("the time of node {}", wait.exec_id),
    };
    waits.iter().map(one).collect::<Vec<_>>().join("; ")
}
