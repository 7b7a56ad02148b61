//! Documents become findable: each is read, cut into passages, embedded and put into the indexes by a
//! run of its own, which a crash holds up and does not undo.
//!
//! What such a run makes belongs to a *generation* of the document, which no search finds until the
//! document says that it is the one for its base's version of the index. So a page that changes, or a
//! base that is indexed again by another model, is searched as it was until the new state is whole.

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
pub use refetch::keep_fresh;
pub use reindex::{Reindex, reindex};
pub use remove::{remove_base, remove_document};

/// The kind of run that makes documents findable.
pub struct Ingest {
    run_context: Arc<RunContext>,
    /// Reading, cutting and embedding take processor time, so few are at it together.
    places: Semaphore,
}

/// Times that the server may stop in the midst of one run; after that it is given up in good order, before
/// the supervisor does it by force.
const MOST_CRASHES: u32 = 6;

/// What a run keeps of what it is to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
enum IngestRequest {
    /// Make a document findable.
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
    /// Reads `at_once` documents at a time, with what `run_context` has.
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
        if work.run.crashes > MOST_CRASHES {
            let why = "the server went down again and again while it worked on this";
            return Ok(RunOutcome::failed("crash_loop", why).into());
        }
        // A user who adds a thousand documents goes on talking to their assistants during that: what waits
        // here takes no place among the runs that work.
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
