//! What a run waits for, going by its journal.

use std::collections::BTreeMap;

use runs::event::flow::{FormRequired, NodeWaiting};
use runs::{EventData, StreamEvent};
use serde::Serialize;
use storage::records::{Run, RunState};
use storage::{Reader, TenantId, Timestamp};
use utoipa::ToSchema;
use uuid::Uuid;

/// Bytes of a journal that are looked through at once.
const LOOK: usize = 256 * 1024;

/// Something that a run waits for.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct WorkflowWait {
    /// The node that waits.
    pub node_id: String,
    /// Which execution of it, where it stands in an `each` or a `loop`.
    pub exec_id: String,
    /// `human`, `event`, `timer` or `child`.
    pub on: String,
    /// Until when at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// The form that is to be answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<FormRequired>,
    /// The name of the event that is to come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// The run that it waits for,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream_id: Option<Uuid>,
    /// and where that one lives; forms of it are answered there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<Uuid>,
}

/// Adds up, event by event, what a run waits for.
#[derive(Debug, Default)]
pub struct Waits {
    forms: BTreeMap<String, FormRequired>,
    /// By execution, in the order of their names.
    open: BTreeMap<String, WorkflowWait>,
}

/// Whether an event of this type says anything of that.
pub fn tells(kind: &str) -> bool {
    matches!(kind, "node.waiting" | "node.finished" | "node.retry" | "form.required" | "run.ended")
}

impl Waits {
    /// Reads all of a run's journal.
    pub fn of_run(reader: &Reader, tenant: TenantId, run: Uuid) -> storage::Result<Self> {
        let (mut waits, mut after) = (Self::default(), 0);
        loop {
            let events = reader.journal_read(tenant, run, after, LOOK)?;
            let Some(last) = events.last() else { return Ok(waits) };
            after = last.seq;
            for event in events.iter().filter(|event| tells(&event.kind)) {
                if let Ok(event) = serde_json::from_slice(&event.json) {
                    waits.note(&event);
                }
            }
        }
    }

    /// Takes note of one event.
    pub fn note(&mut self, event: &StreamEvent) {
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

    /// All of it.
    pub fn into_vec(self) -> Vec<WorkflowWait> {
        self.open.into_values().collect()
    }
}

/// Whether a run stands still until somebody comes: it waits for a person or an event, or is halted, or waits for runs of
/// which that is true.
pub fn stands_still(reader: &Reader, tenant: TenantId, run: Uuid) -> storage::Result<bool> {
    let Some(row) = reader.get::<Run>(tenant, &run)? else { return Ok(false) };
    match (row.state, row.state_detail.as_deref()) {
        (RunState::Paused, _) | (RunState::Waiting, Some("human" | "event")) => Ok(true),
        (RunState::Waiting, Some("child")) => {
            let waits = Waits::of_run(reader, tenant, run)?.into_vec();
            let mut still = !waits.is_empty();
            for wait in waits {
                // Runs start runs only so deep: this ends.
                still &= match wait.stream_id {
                    Some(child) => stands_still(reader, tenant, child)?,
                    None => matches!(&*wait.on, "human" | "event"),
                };
            }
            Ok(still)
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

/// What of it can be brought by whoever resumes the run, in words.
pub fn in_words(waits: &[WorkflowWait]) -> String {
    let one = |wait: &WorkflowWait| match (&wait.event, wait.on.as_str()) {
        (Some(event), _) => format!("the event {event:?} (node {})", wait.exec_id),
        (None, "human") => format!("the answer to the form of node {}", wait.exec_id),
        (None, "child") => format!("the run that node {} has started", wait.exec_id),
        (None, _) => format!("the time of node {}", wait.exec_id),
    };
    waits.iter().map(one).collect::<Vec<_>>().join("; ")
}
