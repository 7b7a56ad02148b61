//! The supervisor: admits runs, gives each an actor, and starts a fresh one when it goes down.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use actix::{
    Actor, ActorContext, ActorFutureExt, Arbiter, AsyncContext, Context, Handler, Message, ResponseActFuture,
    WrapFuture,
};
use storage::Row;
use storage::records::Run;
use telemetry::metrics::table;
use uuid::Uuid;

use super::admission::Admission;
use super::conclude::give_up;
use super::live::LiveRun;
use super::recovery;
use super::restarts::Restarts;
use super::run_actor::RunActor;
use super::run_mailbox::RunMailbox;
use super::runtime::Runtime;
use super::supervisor_command::{ActorStopped, SupervisorCommand};
use super::sweep;

/// Ends the supervisor and all actors with it.
#[derive(Message)]
#[rtype(result = "()")]
pub(super) struct Stop;

/// Looks for runs without an actor, and for what has expired.
#[derive(Message)]
#[rtype(result = "()")]
pub(super) struct Sweep;

/// Restarts, of the actor or the process, after which a run is not tried again: it may be what
/// takes the process down.
const GIVE_UP_AFTER: u32 = 8;

/// Tells when the supervisor is dropped, as it is after a panic in it: its mailbox is closed then, and no runs are
/// started, restarted or ended.
struct SupervisorGuard(Arc<Runtime>);

impl Drop for SupervisorGuard {
    fn drop(&mut self) {
        self.0.fail("the supervisor of runs went down");
    }
}

pub(crate) struct Supervisor {
    runtime: Arc<Runtime>,
    _guard: SupervisorGuard,
    arbiters: Vec<Arbiter>,
    next_arbiter: usize,
    admission: Admission,
    rows: HashMap<Uuid, Row<Run>>,
    restarts: HashMap<Uuid, Restarts>,
}

impl Supervisor {
    pub fn new(runtime: Arc<Runtime>) -> Self {
        let arbiters = (0..runtime.config.arbiters.max(1)).map(|_| Arbiter::new()).collect();
        let admission = Admission::new(runtime.config.limits);
        let _guard = SupervisorGuard(runtime.clone());
        let (rows, restarts) = (HashMap::new(), HashMap::new());
        Self { runtime, _guard, arbiters, next_arbiter: 0, admission, rows, restarts }
    }

    fn launch(&mut self, live: Arc<LiveRun>, row: Row<Run>, ctx: &mut Context<Self>) {
        self.runtime.launches.fetch_sub(1, Ordering::AcqRel);
        let run = live.run;
        if row.crashes > GIVE_UP_AFTER {
            return self.give_up(live, row.epoch, ctx);
        }
        // The same run may be reported twice, by its starter and by the sweep.
        if self.admission.is_running(run) || self.admission.is_waiting(&live) {
            return;
        }
        self.rows.insert(run, row);
        self.admission.queue(live);
        self.admit(ctx);
    }

    fn actor_stopped(&mut self, stopped: ActorStopped, ctx: &mut Context<Self>) {
        match self.runtime.registry.any(stopped.run) {
            Some(live) if !stopped.ended && !live.journal.mark().ended => {
                if !self.runtime.draining() {
                    self.restart(live, stopped.epoch, ctx);
                }
            }
            _ => self.ended(stopped.run, ctx),
        }
    }

    /// Starts as many of those that wait as may run.
    fn admit(&mut self, ctx: &mut Context<Self>) {
        while let Some(live) = self.admission.admit() {
            match self.rows.remove(&live.run) {
                Some(row) => self.spawn(live, row, ctx),
                None => drop(self.admission.release(live.run)),
            }
        }
    }

    fn spawn(&mut self, live: Arc<LiveRun>, row: Row<Run>, ctx: &mut Context<Self>) {
        self.next_arbiter = (self.next_arbiter + 1) % self.arbiters.len();
        let arbiter = self.arbiters[self.next_arbiter].handle();
        if row.epoch == 1 {
            table::RUNS_STARTED.add([row.kind.as_str()], 1);
        }
        let (runtime, supervisor) = (self.runtime.clone(), ctx.address().recipient());
        let held = live.clone();
        let addr =
            RunActor::start_in_arbiter(&arbiter, move |_| RunActor::new(runtime, held, row, supervisor));
        live.set_mailbox(Some(RunMailbox::new(addr)));
    }

    /// The run is over: nothing of it stays in memory.
    fn ended(&mut self, run: Uuid, ctx: &mut Context<Self>) {
        self.restarts.remove(&run);
        self.admission.release(run);
        self.runtime.registry.leave(run);
        self.admit(ctx);
    }

    /// The actor is gone and the run is not over: a fresh actor in the next epoch, later and
    /// later, until it was once too often.
    fn restart(&mut self, live: Arc<LiveRun>, epoch: u32, ctx: &mut Context<Self>) {
        live.set_mailbox(None);
        table::RUN_RESTARTS.add([], 1);
        match self.restarts.entry(live.run).or_default().next(Instant::now()) {
            Some(delay) => {
                tracing::warn!(run = %live.run, epoch, ?delay, "the actor of a run went down; starting afresh");
                ctx.run_later(delay, move |actor, ctx| actor.revive(live, ctx));
            }
            None => {
                self.give_up(live, epoch, ctx);
            }
        }
    }

    fn give_up(&mut self, live: Arc<LiveRun>, epoch: u32, ctx: &mut Context<Self>) {
        // Its failure is logged with its end.
        tracing::debug!(run = %live.run, epoch, "a run exceeded its restart limit; marked as failed");
        let (runtime, run) = (self.runtime.clone(), live.run);
        let end = async move { give_up(&runtime, &live, epoch).await };
        ctx.spawn(end.into_actor(self).map(move |_, actor, ctx| actor.ended(run, ctx)));
    }

    fn revive(&mut self, live: Arc<LiveRun>, ctx: &mut Context<Self>) {
        let (runtime, revived) = (self.runtime.clone(), live.clone());
        let next = async move { recovery::next_epoch(&runtime, &revived).await };
        ctx.spawn(next.into_actor(self).map(move |next, actor, ctx| match next {
            Ok(Some(row)) => actor.spawn(live, row, ctx),
            Ok(None) => actor.ended(live.run, ctx),
            Err(why) => {
                tracing::error!(run = %live.run, %why, "a run could not be started afresh");
                actor.restart(live, 0, ctx);
            }
        }));
    }
}

impl Actor for Supervisor {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        ctx.set_mailbox_capacity(self.runtime.config.supervisor_mailbox);
        ctx.run_interval(self.runtime.config.sweep_every, |_, ctx| ctx.notify(Sweep));
    }
}

impl Handler<SupervisorCommand> for Supervisor {
    type Result = ();

    fn handle(&mut self, command: SupervisorCommand, ctx: &mut Self::Context) {
        match command {
            SupervisorCommand::Launch { live, row } => self.launch(live, *row, ctx),
            SupervisorCommand::Promote => self.admit(ctx),
            SupervisorCommand::Park { run, parked } => {
                self.admission.set_parked(run, parked);
                self.admit(ctx);
            }
            SupervisorCommand::ActorStopped(stopped) => self.actor_stopped(stopped, ctx),
        }
    }
}

#[cfg(test)]
#[derive(Message)]
#[rtype(result = "()")]
pub(super) struct Panic;

#[cfg(test)]
impl Handler<Panic> for Supervisor {
    type Result = ();

    fn handle(&mut self, _: Panic, _: &mut Self::Context) -> Self::Result {
        panic!("a test has the supervisor go down")
    }
}

impl Handler<Stop> for Supervisor {
    type Result = ();

    fn handle(&mut self, _: Stop, ctx: &mut Self::Context) {
        for arbiter in &self.arbiters {
            arbiter.stop();
        }
        self.runtime.registry.clear();
        ctx.stop();
    }
}

impl Handler<Sweep> for Supervisor {
    type Result = ResponseActFuture<Self, ()>;

    fn handle(&mut self, _: Sweep, _: &mut Self::Context) -> Self::Result {
        let runtime = self.runtime.clone();
        let swept = async move { sweep::sweep(&runtime).await };
        Box::pin(swept.into_actor(self).map(|lost, actor, ctx| {
            for (live, row) in lost {
                ctx.notify(actor.runtime.launch(live, row));
            }
            actor.admit(ctx);
        }))
    }
}
