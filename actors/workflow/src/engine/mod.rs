//! The engine: takes a run from where its journal left it to its end.
//!
//! ```text
//! events of earlier epochs ──> State ──> what is ready ──> attempts (tasks)
//!                                ^                             │
//!                                └──── record(event) <─────────┘   commands, timers, a cancel
//! ```
//!
//! Whatever changes the [`State`] is an event that goes to the journal in the same breath
//! ([`Engine::record`]), so a fresh actor that reads the journal stands where this one stood.

mod attempt;
mod begin;
mod children;
mod commands;
mod containers;
mod end;
mod exec;
mod launch;
mod pause;
mod place;
mod questions;
mod record;
mod replay;
mod state;
mod timers;
mod traced;
mod undo;
mod values;
mod waits;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use assist::RunContext;
use runs::{EventBody, RunOutcome, TerminalError, Work, WriteError};
use storage::Timestamp;
use tokio::task::{Id, JoinSet};
use tokio_util::sync::CancellationToken;

use self::attempt::Attempted;
use self::place::Key;
use self::state::State;
use self::timers::Timers;
use self::values::{Surroundings, ValueStore};
use super::graph::NodeIx;
use super::nodes::Fields;
use super::request::{Order, StoredRequest};

pub(super) use undo::PATIENCE as UNDO_PATIENCE;

/// Inline steps that are taken before the engine looks up.
const STRETCH: usize = 64;

/// One epoch of one run.
pub(super) struct Engine {
    work: Work,
    run_context: Arc<RunContext>,
    asked: StoredRequest,
    state: State,
    /// What was recorded in this turn: it becomes durable together.
    outbox: Vec<EventBody>,
    vault: ValueStore,
    /// Joins that go on before all branches have come, and stop the others.
    early_joins: Vec<NodeIx>,
    /// Outputs of nodes whose failure is passed over, as the journal takes them.
    defaults: HashMap<NodeIx, Fields>,
    around: Surroundings,
    /// Attempts that work, and watches of child runs.
    tasks: JoinSet<Attempted>,
    working: HashMap<Id, Key>,
    handles: HashMap<Key, Handle>,
    timers: Timers,
    /// Containers in which something has changed.
    touched: HashSet<Key>,
    /// Nodes of which a crash left open whether they took effect.
    uncertain: HashMap<Key, String>,
    order: Option<Order>,
    /// Nodes that a step may still begin; none where that is not counted.
    budget: Option<u32>,
    /// Why nothing more may begin, until somebody says so.
    halt: Option<pause::Halt>,
    /// What people were told to see to and have not yet, as the run's record has it.
    told: Vec<String>,
    outcome: Option<RunOutcome>,
    /// When this epoch's working time is used up, and how much of it earlier ones had used.
    worked_ms: u64,
    /// Since when the run has been working, in this stretch.
    working_since: Option<Timestamp>,
    /// Whether this epoch has finished a node, which forgives the crash before it.
    forgiven: bool,
}

/// A task of an execution.
struct Handle {
    abort: tokio::task::AbortHandle,
    cancel: CancellationToken,
    /// Whether it only watches a child run, and is not counted among those that work.
    watches: bool,
}

impl Engine {
    /// Takes the run to its end.
    pub async fn run(mut self: Box<Self>) -> Result<RunOutcome, WriteError> {
        // Each in a box of its own: a run that waits, which most do most of the time, holds on to
        // nothing of what it takes to work.
        Box::pin(self.begin()).await?;
        loop {
            if self.work.cancel.is_cancelled() && self.outcome.is_none() {
                self.outcome = Some(RunOutcome::Cancelled);
            }
            if let Some(outcome) = self.outcome.take() {
                return Box::pin(self.end(outcome)).await;
            }
            let more = Box::pin(self.step()).await?;
            if self.outcome.is_some() {
                continue;
            }
            if !more {
                if self.state.is_over() && self.state.ready.is_empty() && self.uncertain.is_empty() {
                    self.outcome = Some(self.success());
                    continue;
                }
                Box::pin(self.settle_state()).await?;
            }
            self.await_something(more).await?;
        }
    }

    /// A stretch of what can be done without waiting for anything. True where there is more.
    async fn step(&mut self) -> Result<bool, WriteError> {
        self.tell_skipped()?;
        self.tend_containers().await?;
        match self.outcome {
            Some(_) => Ok(false),
            None => self.begin_ready().await,
        }
    }

    /// Sees to whatever has come; waits for it unless there is `more` to do.
    async fn await_something(&mut self, more: bool) -> Result<(), WriteError> {
        self.push_out()?;
        if more {
            self.work.writer.room().await;
            tokio::task::yield_now().await;
        }
        let due = self.timers.next();
        let cancel = self.work.cancel.clone();
        let alone = self.until_alone();
        tokio::select! {
            biased;
            () = cancel.cancelled() => Ok(()),
            Some(done) = self.tasks.join_next_with_id() => Box::pin(self.on_attempt_finished(done)).await,
            Some(command) = self.work.commands.recv() => Box::pin(self.on_command(command)).await,
            () = timers::until(due) => Box::pin(self.ring()).await,
            () = std::future::ready(()), if more => Ok(()),
            // Then it is looked again who is to be told.
            () = alone => Ok(()),
        }
    }

    /// The outcome of a run in which nothing is left to do.
    fn success(&self) -> RunOutcome {
        match self.state.items_failed {
            0 => RunOutcome::Succeeded { reason: None },
            1 => RunOutcome::Partial { reason: "1 item failed".to_owned() },
            failed => RunOutcome::Partial { reason: format!("{failed} items failed") },
        }
    }

    fn fail(&mut self, error: TerminalError) {
        self.outcome.get_or_insert(RunOutcome::Failed { error });
    }
}
