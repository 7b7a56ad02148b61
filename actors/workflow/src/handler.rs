//! The handler through which the supervisor executes workflow runs.

use std::time::Duration;

use async_trait::async_trait;
use runs::{Event, RunHandler, RunOutcome, RunSummary, Terminal, Work, WorkEnd, WriteError};
use serde_json::Value;
use storage::records::Run;
use storage::{Row, TenantId, Tx};

use crate::close;
use crate::engine::{COMPENSATION_LIMIT, Engine};
use crate::request::StoredRequest;
use crate::workflow::Workflow;

#[async_trait]
impl RunHandler for Workflow {
    type Details = close::JournalSummary;

    async fn work(&self, work: Work) -> Result<WorkEnd, WriteError> {
        // Boxed separately, so that the memory that the preparation needs is released before the run continues.
        match Box::pin(self.engine(work)).await {
            Ok(engine) => engine.run().await,
            Err(outcome) => Ok(outcome.into()),
        }
    }

    fn close_needs(&self, kind: &str) -> bool {
        close::needs(kind)
    }

    fn undoes(&self) -> bool {
        true
    }

    /// The time limit of compensation plus 30 seconds, instead of the installation's default grace period.
    fn grace(&self) -> Option<Duration> {
        Some(COMPENSATION_LIMIT + Duration::from_secs(30))
    }

    fn close(
        &self,
        run: &Row<Run>,
        history: &[Event],
        outcome: &RunOutcome,
    ) -> RunSummary<close::JournalSummary> {
        close::close(run, history, outcome)
    }

    fn conclude(
        &self,
        tx: &mut Tx,
        tenant: TenantId,
        run: &Row<Run>,
        account: &close::JournalSummary,
        terminal: &Terminal,
    ) -> storage::Result<()> {
        close::conclude(tx, tenant, run, account, terminal)
    }
}

impl Workflow {
    /// Creates the engine that executes the run. Returns the outcome of the run if its graph or inputs cannot be read.
    async fn engine(&self, mut work: Work) -> Result<Box<Engine>, RunOutcome> {
        let plan = self.plan_of(&work.store, work.tenant, &work.run).await;
        let plan = plan.map_err(|why| lost("graph_lost", "graph", &why))?;
        if !plan.may_ask_models() {
            work.asks_no_provider();
        }
        let request = StoredRequest::from_run(&work.run);
        let inputs = self.inputs_of(&work, &request, &plan).await;
        let inputs = inputs.map_err(|why| lost("inputs_lost", "inputs", &why))?;
        // The request is no longer needed, and would occupy memory for as long as the run waits.
        work.run.request = Value::Null;
        Ok(Box::new(Engine::new(work, self.run_context.clone(), request, plan, inputs)))
    }
}

fn lost(code: &str, what: &str, why: &dyn std::fmt::Display) -> RunOutcome {
    RunOutcome::failed(code, format!("the run's {what} cannot be read: {why}"))
}
