//! Runs that a node starts. They are watched until they end, or detached.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use assist::completion::OnActive;
use runs::event::flow::NodeWaiting;
use runs::{
    AttachError, Cursor, EventBody, EventData, NodeRef, RequestKey, Runs, StartError, Terminal, Work, Writer,
};
use serde_json::{Value, json};
use storage::records::RunState;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::engine::value_store::ValueStore;
use crate::graph::WorkflowConfig;
use crate::nodes::{Fields, NodeError, NodeResult};
use crate::request::{ConversationTarget, WorkflowStart};

/// The pause before the start of a child run is retried.
const RETRY_PAUSE: Duration = Duration::from_millis(500);
/// Maximum nesting depth of runs that start other runs.
const MAX_DEPTH: u32 = 8;

/// A run that a node starts.
pub(super) struct Child {
    pub runs: Runs,
    /// The run and its conversation, if an earlier epoch has started the run.
    pub known: Option<(Uuid, Option<Uuid>)>,
    pub start: WorkflowStart,
    pub detach: bool,
    pub depth: u32,
    pub writer: Writer,
    pub at: Arc<NodeRef>,
    pub cancel: CancellationToken,
    /// Set once the journal names the run.
    pub watched: WatchedRun,
}

/// The run that a task watches. Empty until the run is known.
pub(super) type WatchedRun = Arc<OnceLock<Uuid>>;

/// Builds the request for a node's run. After a crash, the request yields the same run; after a failure, a new one.
pub(super) fn start_of(
    work: &Work,
    config: &WorkflowConfig,
    at: &NodeRef,
    inputs: Fields,
    failures: u32,
) -> WorkflowStart {
    let run = &work.run;
    let key = format!("run:{}:{}:{failures}", run.id, at.exec_id);
    WorkflowStart {
        tenant: work.tenant,
        user: run.user,
        token_id: run.token_id,
        assistant_id: config.assistant_id,
        place: ConversationTarget::New { is_system: true, title: None },
        inputs,
        idempotency_key: Some(RequestKey::new(work.tenant, run.user, &key)),
        request_sha256: String::new(),
        on_active: OnActive::Refuse,
        context: run.context.clone(),
        debug: None,
        parent: Some(run.id),
    }
}

impl Child {
    /// Starts the run and waits for its end.
    pub async fn run(self) -> Result<NodeResult, NodeError> {
        if self.depth >= MAX_DEPTH {
            return Err(NodeError::new("too_deep", format!("runs are nested more than {MAX_DEPTH} deep")));
        }
        let (tenant, user, store) = (self.start.tenant, self.start.user, self.runs.store().clone());
        let (run_id, conversation_id, cursor) = match self.known {
            Some((run, conversation)) if self.detach => return Ok(detached(run, conversation)),
            Some((run, conversation)) => (run, conversation, self.attach(run).await?),
            None => self.begin().await?,
        };
        let waiting = NodeWaiting {
            on: "child".into(),
            run_id: Some(run_id),
            conversation_id,
            ..NodeWaiting::default()
        };
        if self.known.is_none() {
            let written = self.writer.push(EventBody::in_node(&self.at, EventData::NodeWaiting(waiting)));
            written.map_err(|_| superseded())?;
        }
        let _ = self.watched.set(run_id);
        if self.detach {
            return Ok(detached(run_id, conversation_id));
        }
        let watched = tokio::select! {
            biased;
            () = self.cancel.cancelled() => None,
            watched = watch(cursor.whole().uncounted()) => Some(watched),
        };
        match watched {
            Some(watched) => outcome(watched, &mut ValueStore::new(store, tenant, run_id)).await,
            None => {
                // The child run is cancelled on behalf of the parent run's user.
                let _ = self.runs.cancel(tenant, run_id, user).await;
                Err(NodeError::new("cancelled", "was stopped"))
            }
        }
    }

    /// Starts the run. Retries if the reason is temporary. If the server is shutting down, the next epoch starts the run.
    async fn begin(&self) -> Result<(Uuid, Option<Uuid>, Cursor), NodeError> {
        loop {
            match crate::start(&self.runs, self.start.clone()).await {
                Ok(started) => return Ok((started.run.id, Some(started.conversation_id), started.cursor)),
                Err(
                    StartError::ShuttingDown
                    | StartError::TooMany
                    | StartError::Busy
                    | StartError::Storage(storage::Error::Busy | storage::Error::Full),
                ) => {}
                Err(StartError::OverBudget(why)) => return Err(why.into()),
                Err(why) => return Err(NodeError::new("child_refused", why.to_string())),
            }
            tokio::select! {
                () = self.cancel.cancelled() => return Err(NodeError::new("cancelled", "was stopped")),
                () = tokio::time::sleep(RETRY_PAUSE) => {}
            }
        }
    }

    async fn attach(&self, run: Uuid) -> Result<Cursor, NodeError> {
        loop {
            match self.runs.attach(self.start.tenant, run, 0).await {
                Ok(cursor) => return Ok(cursor),
                Err(AttachError::Busy) => tokio::time::sleep(RETRY_PAUSE).await,
                Err(why) => return Err(NodeError::new("child_lost", why.to_string())),
            }
        }
    }
}

/// Returns the outputs of a node whose run is detached.
fn detached(run_id: Uuid, conversation_id: Option<Uuid>) -> NodeResult {
    let ids = json!({"conversation_id": conversation_id, "stream_id": run_id});
    NodeResult::with(ids.as_object().cloned().unwrap_or_default())
}

fn superseded() -> NodeError {
    NodeError::new("gone", "the run continues elsewhere")
}

/// Reads a run to its end. Returns its outputs and its terminal record.
async fn watch(mut cursor: Cursor) -> Option<(Fields, Terminal)> {
    let mut outputs = Fields::new();
    while let Ok(Some(chunk)) = cursor.next().await {
        for event in &chunk.events {
            if !matches!(&*event.kind, "outputs" | "run.ended") {
                continue;
            }
            match serde_json::from_slice(&event.json) {
                Ok(EventData::Outputs(ended)) => outputs = ended.outputs,
                Ok(EventData::RunEnded { terminal }) => return Some((outputs, terminal)),
                _ => {}
            }
        }
    }
    None
}

async fn outcome(
    watched: Option<(Fields, Terminal)>,
    values: &mut ValueStore,
) -> Result<NodeResult, NodeError> {
    let lost = || NodeError::new("child_lost", "the end of the run that was started cannot be read");
    let (outputs, terminal) = watched.ok_or_else(lost)?;
    match terminal.status {
        RunState::Succeeded | RunState::Partial => Ok(NodeResult::with(values.load_all(&outputs).await?)),
        status => {
            let said = terminal.error.map(|error| error.message);
            let name = serde_json::to_value(status).ok();
            let name = name.as_ref().and_then(Value::as_str).unwrap_or_default();
            let message = said.unwrap_or_else(|| format!("the run that was started is {name}"));
            Err(NodeError::new("child_failed", message))
        }
    }
}
