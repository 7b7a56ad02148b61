//! Completions: a model answers in a conversation, or answers messages that the client sends.

mod attached;
mod bill;
mod chat;
mod close;
mod delta_writer;
mod input;
mod project;
mod prompt;
mod recover;
mod request;
mod sources;
mod start;
mod title;
mod transcript;
mod turn;
mod workflows;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use runs::{
    Event, EventData, Placement, RunHandler, RunOutcome, RunSummary, Terminal, Work, WorkEnd, WriteError,
};
use storage::records::{Recovery, Run};
use storage::{Row, TenantId, Tx};

use crate::run_context::{RunContext, RunWork};

pub use chat::{ChatStart, ClientInput, open_input, start_chat};
pub use close::{AnswerContent, write_answer};
pub use request::{CompletionStart, Input, NewMessage, OnActive, Started};

pub use input::{AnswerPosition, insert};
pub use prompt::CONTINUE_INSTRUCTION;
pub use start::reattach;
pub use start::start;
pub use title::title_of;
pub use workflows::{WorkflowRequest, WorkflowStarter};

use recover::Next;
use transcript::Transcript;

/// How much of an answer without waiting readers a crash may lose, as a duration. Most answers without a reader end
/// within it and take one commit.
const UNFOLLOWED_DELAY: Duration = Duration::from_secs(1);

/// The handler of completions.
pub struct Completion {
    run_context: Arc<RunContext>,
    workflows: Arc<dyn WorkflowStarter>,
}

impl Completion {
    /// Creates a handler that uses `run_context`. Messages to an assistant that is a workflow are passed to `workflows`.
    pub fn new(run_context: Arc<RunContext>, workflows: Arc<dyn WorkflowStarter>) -> Self {
        Self { run_context, workflows }
    }
}

#[async_trait]
impl RunHandler for Completion {
    type Details = Transcript;

    /// Completions mostly wait for the model; longer computations (searches, code) use their own threads.
    fn placement(&self) -> Placement {
        Placement::Starter
    }

    fn unfollowed_delay(&self) -> Option<Duration> {
        Some(UNFOLLOWED_DELAY)
    }

    async fn work(&self, work: Work) -> Result<WorkEnd, WriteError> {
        let work = RunWork::new(work, self.run_context.clone());
        tokio::select! {
            outcome = answer(&work) => outcome.map(WorkEnd::Ended),
            () = work.stop_when_abandoned() => Ok(RunOutcome::Cancelled.into()),
        }
    }

    fn close(&self, run: &Row<Run>, history: &[Event], outcome: &RunOutcome) -> RunSummary<Transcript> {
        close::close(run, history, outcome, &self.run_context.models)
    }

    fn conclude(
        &self,
        tx: &mut Tx,
        tenant: TenantId,
        run: &Row<Run>,
        transcript: &Transcript,
        terminal: &Terminal,
    ) -> storage::Result<()> {
        close::conclude(tx, tenant, run, transcript, terminal)
    }
}

/// The recovery policy of a run without one of its own.
pub(crate) const DEFAULT_RECOVERY: Recovery = Recovery::Keep;

/// Begins an answer, or continues from the state of an earlier epoch.
async fn answer(work: &RunWork) -> Result<RunOutcome, WriteError> {
    if work.cancel.is_cancelled() {
        return Ok(RunOutcome::Cancelled);
    }
    let mut transcript = Transcript::from_history(&work.history);
    let next = recover::next(work, &transcript);
    let goes_on = match next {
        Next::StartOver => Some(EventData::RunReset {}),
        Next::GoOn => {
            Some(EventData::RunRecovered { epoch: work.run.epoch, kept_chars: transcript.kept_chars() })
        }
        Next::Begin | Next::End(_) => None,
    };
    if let Some(goes_on) = goes_on {
        let owed = transcript.bill.owed(&work.run.model, &work.run_context.models);
        // In one group: readers of some encodings see nothing of an answer before they know whether it starts over.
        work.writer.push_all(owed.into_iter().chain([goes_on]).map(Into::into).collect())?;
    }
    match next {
        Next::Begin => turn::answer(work, transcript).await,
        Next::StartOver => turn::answer(work, transcript.reset()).await,
        Next::GoOn => {
            for (call_id, error) in transcript.settle() {
                work.writer.push(EventData::ToolResult { call_id, output: None, error: Some(error) })?;
            }
            turn::answer(work, transcript).await
        }
        Next::End(outcome) => Ok(outcome),
    }
}
