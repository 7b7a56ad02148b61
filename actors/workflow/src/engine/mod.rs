//! The engine executes a run from the end of its journal to the end of the run.
//!
//! ```text
//!  attempts, timers, commands ──> Engine: how nodes begin and end
//!                                   │         │
//!                               Recorder   Scheduler: what begins next
//!                                   │         │
//!                      journal <────┴> State <┘
//! ```
//!
//! - [`State`] is the state recorded in the journal. It changes only through events.
//! - [`Recorder`] applies events to the state and commits them to the journal in the same turn, so that the actor of a later
//!   epoch, which reads the journal, reaches the same state.
//! - [`Scheduler`] chooses what begins next, from the state alone.
//! - [`Attempts`] holds the tasks that execute nodes.
//! - [`Waits`] holds forms, timers, pauses, and stops of a debug session.
//!
//! None of these components refers to the engine. The engine connects them: `node_begin`, `node_end` and `containers` contain the
//! rules for nodes; `start`, `recovery`, `finish` and `compensation` contain the rules for the run; `on_attempt`, `on_timer` and
//! `on_command` handle input.

mod attempts;
mod compensation;
mod containers;
mod finish;
mod node_begin;
mod node_end;
mod on_attempt;
mod on_command;
mod on_timer;
mod recorder;
mod recovery;
mod run_values;
mod scheduler;
mod start;
mod state;
mod unload;
mod value_store;
mod waits;

use std::sync::Arc;

use assist::RunContext;
use runs::{RunOutcome, Work, WorkEnd, WriteError};

use self::attempts::Attempts;
use self::containers::Containers;
use self::node_end::{NodeEnd, success};
use self::recorder::Recorder;
use self::run_values::RunValues;
use self::scheduler::Scheduler;
use self::state::State;
use self::unload::Unloading;
use self::value_store::ValueStore;
use self::waits::{Waits, until};
use super::graph::Plan;
use super::nodes::Fields;
use super::request::StoredRequest;

pub(super) use compensation::TIME_LIMIT as COMPENSATION_LIMIT;

/// Executes one epoch of one run.
pub(super) struct Engine {
    request: StoredRequest,
    recorder: Recorder,
    values: RunValues,
    scheduler: Scheduler,
    attempts: Attempts,
    waits: Waits,
    /// The outcome of the run, once it is decided.
    outcome: Option<RunOutcome>,
    unloading: Unloading,
}

impl Engine {
    /// Creates the engine of an epoch. `inputs` are the complete inputs of the run.
    pub fn new(
        work: Work,
        run_context: Arc<RunContext>,
        request: StoredRequest,
        plan: Arc<Plan>,
        inputs: Fields,
    ) -> Self {
        let store = ValueStore::new(work.store.clone(), work.tenant, work.run.id);
        Self {
            values: RunValues::new(store, &work.run, inputs),
            scheduler: Scheduler::new(&plan),
            attempts: Attempts::new(run_context, &request, &plan),
            waits: Waits::new(&work, &request),
            recorder: Recorder::new(work, State::new(plan)),
            request,
            outcome: None,
            unloading: Unloading::default(),
        }
    }

    /// Executes the run until it ends, or until it waits long enough to be unloaded.
    pub async fn run(mut self: Box<Self>) -> Result<WorkEnd, WriteError> {
        // The steps are boxed separately. A run spends most of its time waiting and must not reserve memory for its next step.
        Box::pin(self.start()).await?;
        loop {
            if self.recorder.work.cancel.is_cancelled() && self.outcome.is_none() {
                self.outcome = Some(RunOutcome::Cancelled);
            }
            if let Some(outcome) = self.outcome.take() {
                return Box::pin(self.finish(outcome)).await.map(WorkEnd::Ended);
            }
            let more = Box::pin(self.step()).await?;
            if self.outcome.is_some() {
                continue;
            }
            if !more {
                let state = &self.recorder.state;
                if state.is_over() && state.ready.is_empty() && !self.waits.halts.has_uncertain() {
                    self.outcome = Some(success(state));
                    continue;
                }
                Box::pin(self.waits.settle(&mut self.recorder, self.attempts.working())).await?;
            }
            self.wait_for_input(more).await?;
            if self.unloading.is_done() {
                return Ok(WorkEnd::Unloaded);
            }
        }
    }

    /// Does everything that can be done without waiting. Returns whether more can be done immediately.
    async fn step(&mut self) -> Result<bool, WriteError> {
        self.recorder.record_skipped();
        Containers { end: self.ends() }.advance().await;
        match self.outcome {
            Some(_) => Ok(false),
            None => self.begin_ready().await,
        }
    }

    /// Handles the next attempt, command or timer. Waits for it unless there is `more` to do.
    async fn wait_for_input(&mut self, more: bool) -> Result<(), WriteError> {
        self.recorder.push()?;
        if more {
            self.recorder.work.writer.room().await;
            tokio::task::yield_now().await;
        }
        let due = self.waits.timers.next();
        let cancel = self.recorder.work.cancel.clone();
        let readers_gone = self.waits.readers_gone(&mut self.recorder);
        let long_wait = self.long_wait(more);
        tokio::select! {
            biased;
            () = cancel.cancelled() => Ok(()),
            Some(ended) = self.attempts.next() => Box::pin(self.on_attempt(ended)).await,
            Some(command) = self.recorder.work.commands.recv() => Box::pin(self.on_command(command)).await,
            () = until(due) => Box::pin(self.on_timer()).await,
            () = std::future::ready(()), if more => Ok(()),
            // The next turn notifies users.
            () = readers_gone => Ok(()),
            () = long_wait => Box::pin(self.unload()).await,
        }
    }

    /// Borrows the components that the end of a node changes.
    fn ends(&mut self) -> NodeEnd<'_> {
        NodeEnd {
            recorder: &mut self.recorder,
            values: &mut self.values,
            scheduler: &mut self.scheduler,
            attempts: &mut self.attempts,
            halts: &mut self.waits.halts,
            debugger: &self.waits.debugger,
            outcome: &mut self.outcome,
        }
    }
}
