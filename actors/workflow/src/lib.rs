//! Workflows: graphs of nodes, run step by step, watched, halted, resumed and debugged.
//!
//! [`Workflow`] is the kind of run. It depends on `assist` for what nodes use (models, tools, documents), on `expr` for
//! the expressions in graphs, and on `runs`.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod close;
pub mod code_box;
pub mod debug;
mod disclosure;
mod engine;
mod files;
pub mod graph;
mod inputs;
pub mod nodes;
mod notices;
mod request;
mod start;
mod starter;

use std::sync::Arc;
use std::time::Duration;

use assist::RunContext;
use async_trait::async_trait;
use runs::{Event, RunHandler, RunOutcome, RunSummary, StartError, Terminal, Work, WriteError};
use serde_json::{Map, Value};
use storage::records::{Message, Run};
use storage::{BlobId, Row, Store, TenantId, Tx};

pub use disclosure::sees_everything;
pub use request::{
    ConversationTarget, Debug, Fork, Order, PlayMode, Resume, ResumeRefused, Resumed, Started, StoredRequest,
    WorkflowStart,
};

pub use inputs::input_faults;
pub use start::start;
pub use starter::Starter;

use engine::{COMPENSATION_LIMIT, Engine};
use graph::{Plan, Plans};

/// The kind of run that goes by a graph.
pub struct Workflow {
    run_context: Arc<RunContext>,
    /// Graphs that were read lately.
    pub(crate) plans: Plans,
}

impl Workflow {
    /// Runs graphs with what `run_context` has.
    pub fn new(run_context: Arc<RunContext>) -> Self {
        Self { run_context, plans: Plans::default() }
    }

    /// The graph that a run goes by. It was checked when the run was accepted.
    pub(crate) async fn plan_of(
        &self,
        store: &Store,
        tenant: TenantId,
        run: &Run,
    ) -> Result<Arc<Plan>, StartError> {
        let request = StoredRequest::from_run(run);
        if let Some(plan) = self.plans.find(&request.graph_hash) {
            return Ok(plan);
        }
        let blob = request.graph.ok_or(StartError::NotAWorkflow)?;
        let graph: Value = read(store, tenant, &blob).await?;
        self.plans.get_or_read(&graph).map_err(StartError::GraphInvalid)
    }

    /// What takes a run to its end; or its end, where what it goes by cannot be read.
    async fn engine(&self, mut work: Work) -> Result<Box<Engine>, RunOutcome> {
        let plan = self.plan_of(&work.store, work.tenant, &work.run).await;
        let plan = plan.map_err(|why| lost("graph_lost", "graph", &why))?;
        let request = StoredRequest::from_run(&work.run);
        let inputs = self.inputs_of(&work, &request, &plan).await;
        let inputs = inputs.map_err(|why| lost("inputs_lost", "inputs", &why))?;
        // It has been read, and would only take memory for as long as the run waits.
        work.run.request = Value::Null;
        Ok(Box::new(Engine::new(work, self.run_context.clone(), request, plan, inputs)))
    }

    /// What a run was started with, whole.
    async fn inputs_of(
        &self,
        work: &Work,
        request: &StoredRequest,
        plan: &Plan,
    ) -> storage::Result<Map<String, Value>> {
        if let Some(blob) = &request.inputs_blob {
            return read(&work.store, work.tenant, blob).await;
        }
        let (Some(name), Some(conversation), Some(id)) =
            (&request.from_message, work.run.conversation_id, request.parent_id)
        else {
            return Ok(request.inputs.clone());
        };
        let tenant = work.tenant;
        let message = work.store.read(move |reader| reader.get::<Message>(tenant, &(conversation, id)));
        let message = message.await?.map(|row| row.body).unwrap_or_default();
        let given = inputs::from_message(plan, name, &message);
        Ok(plan.take_inputs(&given).unwrap_or(given))
    }
}

fn lost(code: &str, what: &str, why: &dyn std::fmt::Display) -> RunOutcome {
    RunOutcome::failed(code, format!("the run's {what} cannot be read: {why}"))
}

/// The largest value that is brought into memory, in bytes of JSON.
const LARGEST: u64 = 64 << 20;

/// A value of a run that is kept apart from its journal.
async fn read<T: serde::de::DeserializeOwned>(
    store: &Store,
    tenant: TenantId,
    blob: &BlobId,
) -> storage::Result<T> {
    let size = store.blobs().size(tenant, blob).await?.ok_or(storage::Error::NotFound("blob"))?;
    if size > LARGEST {
        return Err(storage::Error::Invalid(format!("a value is larger than {} MiB", LARGEST >> 20)));
    }
    let json = store.blobs().range(tenant, blob, 0..size).await?;
    serde_json::from_slice(&json).map_err(|why| storage::Error::Corrupt(why.to_string()))
}

#[async_trait]
impl RunHandler for Workflow {
    type Details = close::Account;

    async fn work(&self, work: Work) -> Result<RunOutcome, WriteError> {
        // In a box of its own: what this needs is not held on to while the run goes on.
        match Box::pin(self.engine(work)).await {
            Ok(engine) => engine.run().await,
            Err(outcome) => Ok(outcome),
        }
    }

    fn close_needs(&self, kind: &str) -> bool {
        close::needs(kind)
    }

    /// Beside the common grace, the time to undo what was done.
    fn grace(&self) -> Option<Duration> {
        Some(COMPENSATION_LIMIT + Duration::from_secs(30))
    }

    fn close(&self, run: &Row<Run>, history: &[Event], outcome: &RunOutcome) -> RunSummary<close::Account> {
        close::close(run, history, outcome)
    }

    fn conclude(
        &self,
        tx: &mut Tx,
        tenant: TenantId,
        run: &Row<Run>,
        account: &close::Account,
        terminal: &Terminal,
    ) -> storage::Result<()> {
        close::conclude(tx, tenant, run, account, terminal)
    }
}
