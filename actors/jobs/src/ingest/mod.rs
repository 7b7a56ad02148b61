//! Makes documents searchable. A separate run reads each document, divides it into passages, embeds them and adds them to the
//! indexes. A crash delays such a run without losing its progress.
//!
//! The passages that a run builds belong to a *generation* of the document. Searches ignore a generation until the document
//! selects it for its base's index version. A page that changes, or a base that is indexed again with a different model, is
//! therefore searched in its old state until the new state is complete.

mod accept;
mod build;
mod close;
mod document;
mod fetch;
mod hold;
mod refetch;
mod reindex;
mod remove;

use std::sync::Arc;

use assist::{RunContext, RunWork};
use async_trait::async_trait;
use runs::{Event, EventData, RunHandler, RunOutcome, RunSummary, Terminal, Work, WorkEnd, WriteError};
use serde::{Deserialize, Serialize};
use storage::records::{Run, RunState};
use storage::{Row, TenantId, Tx};
use tokio::sync::Semaphore;
use uuid::Uuid;

pub use accept::{
    Added, DocumentTarget, IngestError, NewDocument, NewSource, add_document, add_in, launch_documents,
    ready_to_add,
};
pub use refetch::refetch_outdated_pages;
pub use reindex::{Reindex, reindex};
pub use remove::{remove_base, remove_document};

/// The run kind that ingests documents.
pub struct Ingest {
    run_context: Arc<RunContext>,
    /// Limits the number of runs that read, chunk and embed at the same time, because that takes processor time.
    places: Semaphore,
}

/// Maximum number of crashes of the server during one run. After that, the run ends with its own error, before the supervisor
/// would fail it.
const MAX_CRASHES: u32 = 6;

/// The request that a run stores.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
enum IngestRequest {
    /// Read a document and make it searchable.
    Document { base: Uuid, document: Uuid },
    /// Build the next version of a base's index.
    Base { base: Uuid },
}

impl IngestRequest {
    fn from_run(run: &Run) -> Option<Self> {
        serde_json::from_value(run.request.clone()).ok()
    }
}

impl Ingest {
    /// Creates the run kind. At most `at_once` documents are processed at the same time.
    pub fn new(run_context: Arc<RunContext>, at_once: usize) -> Self {
        Self { run_context, places: Semaphore::new(at_once.max(1)) }
    }
}

#[async_trait]
impl RunHandler for Ingest {
    type Details = close::Bill;

    async fn work(&self, work: Work) -> Result<WorkEnd, WriteError> {
        let work = RunWork::new(work, self.run_context.clone());
        let Some(request) = IngestRequest::from_run(&work.run) else {
            return Ok(RunOutcome::failed("bad_request", "the run does not name its document").into());
        };
        if work.run.crashes > MAX_CRASHES {
            let why = "the server repeatedly crashed during this run";
            return Ok(RunOutcome::failed("crash_loop", why).into());
        }
        // A run that waits here does not count as a working run, so that a user who adds a thousand documents can still use
        // assistants.
        work.stay(RunState::Waiting);
        let _place = tokio::select! {
            biased;
            () = work.cancel.cancelled() => return Ok(RunOutcome::Cancelled.into()),
            place = self.places.acquire() => place.map_err(|_| WriteError)?,
        };
        work.stay(RunState::Running);
        if work.history.is_empty() {
            let model = work.run.model.clone();
            let first = EventData::RunStarted { model, message_id: None, parent_id: None, input_estimate: 0 };
            work.begin(first)?.verdict().await.map_err(|_| WriteError)?;
        }
        let outcome = match request {
            IngestRequest::Document { base, document } => document::document(&work, base, document).await,
            IngestRequest::Base { base } => reindex::base(&work, base).await,
        };
        outcome.map(WorkEnd::Ended)
    }

    fn close_needs(&self, kind: &str) -> bool {
        kind == "usage"
    }

    fn close(&self, _: &Row<Run>, history: &[Event], _: &RunOutcome) -> RunSummary<close::Bill> {
        close::close(history)
    }

    fn conclude(
        &self,
        tx: &mut Tx,
        tenant: TenantId,
        run: &Row<Run>,
        bill: &close::Bill,
        terminal: &Terminal,
    ) -> storage::Result<()> {
        close::conclude(tx, tenant, run, bill, terminal)
    }
}
