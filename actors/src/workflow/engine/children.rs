//! Runs that a node starts: watched until they end, or left to themselves.

use std::sync::Arc;

use serde_json::{Value, json};
use storage::records::RunState;
use tokio_util::sync::CancellationToken;

use super::Engine;
use crate::completion::OnActive;
use crate::event::flow::NodeWaiting;
use crate::event::{EventBody, EventData, NodeRef, Terminal};
use crate::journal::{Cursor, Writer};
use crate::supervise::Runs;
use crate::workflow::graph::WorkflowConfig;
use crate::workflow::nodes::{Done, Fields, NodeError};
use crate::workflow::request::{Place, WorkflowStart};

/// Runs may start runs, which may start runs, this deep.
const DEEPEST: u32 = 8;

/// A run to be started by a node.
pub(super) struct Child {
    pub runs: Runs,
    pub start: WorkflowStart,
    pub detach: bool,
    pub depth: u32,
    pub writer: Writer,
    pub at: Arc<NodeRef>,
    pub cancel: CancellationToken,
}

impl Engine {
    /// The run that a node starts: the same one whenever the node is tried again.
    pub(super) fn child_start(&self, config: &WorkflowConfig, at: &NodeRef, inputs: Fields) -> WorkflowStart {
        let run = &self.work.run;
        WorkflowStart {
            tenant: self.work.tenant,
            user: run.user,
            token_id: run.token_id,
            assistant_id: config.assistant_id,
            place: Place::New { is_system: true, title: None },
            inputs,
            idempotency_key: Some(format!("run:{}:{}", run.id, at.exec_id)),
            request_sha256: String::new(),
            on_active: OnActive::Refuse,
            context: run.context.clone(),
            debug: None,
            parent: Some(run.id),
        }
    }
}

impl Child {
    /// Starts the run and waits for its end.
    pub async fn run(self) -> Result<Done, NodeError> {
        if self.depth >= DEEPEST {
            return Err(NodeError::new("too_deep", format!("runs start runs more than {DEEPEST} deep")));
        }
        let (tenant, user) = (self.start.tenant, self.start.user);
        let started = self.runs.start_workflow(self.start).await;
        let started = started.map_err(|why| NodeError::new("child_refused", why.to_string()))?;
        let (run_id, conversation_id) = (Some(started.run_id), Some(started.conversation_id));
        let waiting = NodeWaiting { on: "child".into(), run_id, conversation_id, ..NodeWaiting::default() };
        let told = self.writer.push(EventBody::of(&self.at, EventData::NodeWaiting(waiting)));
        told.map_err(|_| NodeError::new("gone", "the run goes on elsewhere"))?;
        if self.detach {
            let ids = json!({"conversation_id": started.conversation_id, "stream_id": started.run_id});
            return Ok(Done::with(ids.as_object().cloned().unwrap_or_default()));
        }
        let watched = tokio::select! {
            biased;
            () = self.cancel.cancelled() => None,
            watched = watch(started.cursor) => Some(watched),
        };
        match watched {
            Some(watched) => outcome(watched),
            None => {
                // Whoever cancels the parent is the one who cancels the child.
                let _ = self.runs.cancel(tenant, started.run_id, user).await;
                Err(NodeError::new("cancelled", "was stopped"))
            }
        }
    }
}

/// Reads a run to its end: what it gave, and how it ended.
async fn watch(mut cursor: Cursor) -> Option<(Fields, Terminal)> {
    let mut outputs = Fields::new();
    while let Ok(Some(chunk)) = cursor.next().await {
        for event in &chunk.events {
            if !matches!(&*event.kind, "outputs" | "run.ended") {
                continue;
            }
            match serde_json::from_slice(&event.json) {
                Ok(EventData::Outputs(given)) => outputs = given.outputs,
                Ok(EventData::RunEnded { terminal }) => return Some((outputs, terminal)),
                _ => {}
            }
        }
    }
    None
}

fn outcome(watched: Option<(Fields, Terminal)>) -> Result<Done, NodeError> {
    let lost = || NodeError::new("child_lost", "the end of the run that was started cannot be read");
    let (outputs, terminal) = watched.ok_or_else(lost)?;
    match terminal.status {
        RunState::Succeeded | RunState::Partial => Ok(Done::with(outputs)),
        status => {
            let said = terminal.error.map(|error| error.message);
            let name = serde_json::to_value(status).ok();
            let name = name.as_ref().and_then(Value::as_str).unwrap_or_default();
            let message = said.unwrap_or_else(|| format!("the run that was started is {name}"));
            Err(NodeError::new("child_failed", message))
        }
    }
}
