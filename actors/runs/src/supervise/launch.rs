//! From an accepted run to its actor, and out again.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use actix::{Actor, Arbiter, ArbiterHandle};
use storage::Row;
use storage::records::{Run, RunKind};
use telemetry::metrics::table;
use uuid::Uuid;

use super::handler::Placement;
use super::live::LiveRun;
use super::run_actor::RunActor;
use super::run_mailbox::RunMailbox;
use super::runs::Runs;
use super::runtime::Runtime;
use super::supervisor_command::SupervisorCommand;

/// Restarts, of the actor or the process, after which a run is not tried again: it may be what
/// takes the process down.
const GIVE_UP_AFTER: u32 = 8;

impl Runs {
    /// Puts a run in line, and starts all that may run now, on the calling thread.
    pub(super) fn enqueue(&self, live: Arc<LiveRun>, row: Row<Run>) {
        if row.crashes > GIVE_UP_AFTER {
            return self.tell(SupervisorCommand::GiveUp { live, epoch: row.epoch });
        }
        let run = live.run;
        self.runtime.admission.lock().queue(live, Box::new(row));
        self.start_admitted(Some(run));
    }

    /// Starts as many of those that wait as may run. `launched` is the one that the calling thread has just launched.
    pub(super) fn start_admitted(&self, launched: Option<Uuid>) {
        // Nothing would look after them.
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

    /// Gives a run its actor: on the given thread, with its work, or on the threads that all runs share.
    pub(super) fn start_actor(&self, live: Arc<LiveRun>, row: Row<Run>, arbiter: Option<ArbiterHandle>) {
        if row.epoch == 1 {
            table::RUNS_STARTED.add([row.kind.as_str()], 1);
        }
        let is_local = arbiter.is_some();
        let arbiter = arbiter.unwrap_or_else(|| self.runtime.next_arbiter());
        let (runs, held) = (self.clone(), live.clone());
        let addr = RunActor::start_in_arbiter(&arbiter, move |_| RunActor::new(runs, held, row, is_local));
        live.set_mailbox(Some(RunMailbox::new(addr)));
    }

    /// The run is over: nothing of it stays in memory, and its place goes to the next.
    pub(super) fn leave(&self, run: Uuid) {
        self.runtime.admission.lock().release(run);
        self.runtime.registry.leave(run);
        self.start_admitted(None);
    }

    /// Takes away or gives back the place of a run that waits for something outside, or continues.
    pub(super) fn set_parked(&self, live: &LiveRun, parked: bool) {
        self.runtime.registry.set_parked(live, parked);
        self.runtime.admission.lock().set_parked(live.run, parked);
        self.start_admitted(None);
    }

    /// Sends the supervisor a message, past the limit of its mailbox: one that is lost would leave a run without an actor.
    pub(super) fn tell(&self, command: SupervisorCommand) {
        self.runtime.messages.fetch_add(1, Ordering::AcqRel);
        self.supervisor.do_send(command);
    }
}

impl Runtime {
    /// The calling thread, if runs of this kind run where they were started. The thread of the supervisor is not one to run
    /// them: what keeps it busy keeps all runs waiting.
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
