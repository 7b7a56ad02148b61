//! Takes an accepted run from the queue to its actor, and removes it at its end.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use actix::{Actor, Arbiter, ArbiterHandle};
use storage::Row;
use storage::records::{Run, RunKind, RunState};
use telemetry::metrics::table;
use uuid::Uuid;

use super::handler::Placement;
use super::live::LiveRun;
use super::load_reason::LoadReason;
use super::run_actor::RunActor;
use super::run_mailbox::RunMailbox;
use super::runs::Runs;
use super::runtime::Runtime;
use super::supervisor_command::SupervisorCommand;

/// Number of restarts of the run or of the process after which a run is not tried again: it may be what crashes the
/// process.
const MAX_FAILURES: u32 = 8;

/// Maximum time for which a recovered run keeps others from calling its provider.
const MAX_TURN: Duration = Duration::from_secs(30);

impl Runs {
    /// Queues a run, and starts all runs that may run now, on the calling thread.
    pub(super) fn enqueue(&self, live: Arc<LiveRun>, row: Row<Run>) {
        let run = live.run;
        self.enqueue_run(live, row);
        self.start_admitted(Some(run));
    }

    /// Queues a run. If an unloaded run occupies its conversation, that run is loaded first and precedes it.
    pub(super) fn enqueue_run(&self, live: Arc<LiveRun>, row: Row<Run>) {
        if row.crashes > MAX_FAILURES {
            return self.send(SupervisorCommand::GiveUp { live, epoch: row.epoch });
        }
        // A run that has begun already occupies its conversation.
        let is_new = row.state == RunState::Queued;
        let before = || self.unloaded_in(live.tenant, row.conversation_id, Some(row.id));
        match is_new.then(before).flatten() {
            // An unloaded run occupies its conversation only once it is loaded.
            Some(before) => self.enqueue_run_behind(before, live, row),
            None => self.runtime.admission.lock().queue(live, Box::new(row)),
        }
    }

    /// Loads the run that occupies a conversation, and then queues another run of that conversation behind it.
    fn enqueue_run_behind(&self, before: Uuid, live: Arc<LiveRun>, row: Row<Run>) {
        let (runs, tenant) = (self.clone(), live.tenant);
        self.runtime.tasks.spawn(async move {
            // If this fails, the process is shutting down, and the next start recovers both runs.
            if runs.load_with_retries(tenant, before, LoadReason::Command).await {
                runs.runtime.admission.lock().queue(live, Box::new(row));
                runs.start_admitted(None);
            }
        });
    }

    /// Starts a queued run regardless of its position: a user waits for it, or it only has to end.
    pub(super) fn start_at_once(&self, live: &Arc<LiveRun>) {
        if self.runtime.failure.borrow().is_some() {
            return;
        }
        let admitted = self.runtime.admission.lock().admit_immediately(live);
        if let Some((live, row)) = admitted {
            self.start_actor(live, *row, None);
        }
    }

    /// Starts all queued runs that may run now. `launched` is the run that the calling thread has just launched.
    pub(super) fn start_admitted(&self, launched: Option<Uuid>) {
        // Without a supervisor, a started run would not be supervised.
        if self.runtime.failure.borrow().is_some() {
            return;
        }
        loop {
            let admitted = self.runtime.admission.lock().admit();
            let Some((live, row)) = admitted else { return };
            let arbiter = match launched == Some(live.run) {
                true => self.runtime.starter_arbiter(row.kind),
                false => None,
            };
            self.start_actor(live, *row, arbiter);
        }
    }

    /// Starts the actor of a run, on the given thread together with its work, or on the shared threads.
    pub(super) fn start_actor(&self, live: Arc<LiveRun>, row: Row<Run>, arbiter: Option<ArbiterHandle>) {
        if row.epoch == 1 {
            table::RUNS_STARTED.add([row.kind.as_str()], 1);
        }
        let is_local = arbiter.is_some();
        let arbiter = arbiter.unwrap_or_else(|| self.runtime.next_arbiter());
        let is_recovering = row.epoch > 1 && self.runtime.admission.lock().is_recovering(live.run);
        let (runs, held) = (self.clone(), live.clone());
        let addr = RunActor::start_in_arbiter(&arbiter, move |_| RunActor::new(runs, held, row, is_local));
        live.set_mailbox(Some(RunMailbox::new(addr)));
        if is_recovering {
            self.watch_recovery(live);
        }
    }

    /// Ends the recovery turn of a run at its first event that shows a response of the provider or progress without one, or
    /// after [`MAX_TURN`].
    fn watch_recovery(&self, live: Arc<LiveRun>) {
        let (runs, run, journal) = (self.clone(), live.run, live.journal.clone());
        let mut cursor = journal.read(journal.mark().seq).whole().uncounted();
        drop(live);
        self.runtime.tasks.spawn(async move {
            let answered = async {
                while let Ok(Some(chunk)) = cursor.next().await
                    && !chunk.events.iter().any(|event| ends_turn(&event.kind))
                {}
            };
            tokio::select! {
                () = answered => {}
                _ = journal.over() => {}
                () = tokio::time::sleep(MAX_TURN) => {}
            }
            runs.end_recovery(run);
        });
    }

    /// A recovered run has a response from its provider, or does not call it: another run may take the turn.
    pub(super) fn end_recovery(&self, run: Uuid) {
        let is_free = self.runtime.admission.lock().end_recovery(run);
        if is_free {
            self.start_admitted(None);
        }
    }

    /// A recovered run has read its journal: another run may take the turn.
    pub(super) fn end_reading(&self, run: Uuid) {
        let is_free = self.runtime.admission.lock().end_reading(run);
        if is_free {
            self.start_admitted(None);
        }
    }

    /// Removes a run that has ended from memory, and gives its slot to the next run.
    pub(super) fn leave(&self, live: &Arc<LiveRun>) {
        self.runtime.admission.lock().release(live);
        self.runtime.registry.leave(live);
        self.start_admitted(None);
    }

    /// Releases the slot of a run that waits for something external, or takes one when the run continues.
    pub(super) fn set_parked(&self, live: &LiveRun, parked: bool) {
        self.runtime.registry.set_parked(live, parked);
        self.runtime.admission.lock().set_parked(live.run, parked);
        self.start_admitted(None);
    }

    /// Sends the supervisor a message regardless of the limit of its mailbox: a lost message would leave a run without an
    /// actor.
    pub(super) fn send(&self, command: SupervisorCommand) {
        self.runtime.messages.fetch_add(1, Ordering::AcqRel);
        self.supervisor.do_send(command);
    }
}

/// Whether an event shows that a model has responded, or that the run makes progress without one.
fn ends_turn(kind: &str) -> bool {
    matches!(kind, "text.delta" | "reasoning.delta" | "node.delta" | "usage" | "model.answering" | "provider")
        || matches!(kind, "node.finished" | "node.waiting")
        || kind.starts_with("tool.")
        || kind.starts_with("video.")
}

impl Runtime {
    /// The calling thread, if runs of this kind are executed where they are started. Never the supervisor's thread: a
    /// run that keeps that thread busy would delay all runs.
    fn starter_arbiter(&self, kind: RunKind) -> Option<ArbiterHandle> {
        let is_local = self.handler(kind)?.placement() == Placement::Starter;
        let is_supervisor = std::thread::current().id() == self.supervisor_thread;
        (is_local && !is_supervisor).then(Arbiter::try_current).flatten()
    }

    /// The next of the threads that all runs share.
    fn next_arbiter(&self) -> ArbiterHandle {
        let next = self.next_arbiter.fetch_add(1, Ordering::Relaxed);
        self.arbiters[next % self.arbiters.len()].clone()
    }
}
