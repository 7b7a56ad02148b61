//! The supervisor: starts a new actor when one crashes, and looks for runs without an actor.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use actix::{
    Actor, ActorContext, ActorFutureExt, Arbiter, AsyncContext, Context, Handler, Message, ResponseActFuture,
    WrapFuture,
};
use telemetry::metrics::table;
use uuid::Uuid;

use super::conclude::give_up;
use super::live::LiveRun;
use super::load_due::load_when_due;
use super::recovery;
use super::restarts::Restarts;
use super::runs::Runs;
use super::runtime::Runtime;
use super::supervisor_command::{ActorStopped, SupervisorCommand};
use super::sweep;

/// Stops the supervisor and all actors.
#[derive(Message)]
#[rtype(result = "()")]
pub(super) struct Stop;

/// Looks for runs without an actor, and for expired records.
#[derive(Message)]
#[rtype(result = "()")]
pub(super) struct Sweep {
    /// Whether the process has just started.
    is_first: bool,
}

/// Reports when the supervisor is dropped, which also happens after a panic in it: its mailbox is then closed, and no
/// runs are started, restarted or ended.
struct SupervisorGuard(Arc<Runtime>);

impl Drop for SupervisorGuard {
    fn drop(&mut self) {
        self.0.fail("the supervisor of runs stopped unexpectedly");
    }
}

pub(crate) struct Supervisor {
    runtime: Arc<Runtime>,
    _guard: SupervisorGuard,
    arbiters: Vec<Arbiter>,
    restarts: HashMap<Uuid, Restarts>,
    is_sweeping: bool,
}

impl Supervisor {
    /// Creates a supervisor of actors on these threads, which stop together with it.
    pub fn new(runtime: Arc<Runtime>, arbiters: Vec<Arbiter>) -> Self {
        let _guard = SupervisorGuard(runtime.clone());
        Self { runtime, _guard, arbiters, restarts: HashMap::new(), is_sweeping: false }
    }

    fn runs(&self, ctx: &Context<Self>) -> Runs {
        Runs { runtime: self.runtime.clone(), supervisor: ctx.address().recipient() }
    }

    fn actor_stopped(&mut self, stopped: ActorStopped, ctx: &mut Context<Self>) {
        let ActorStopped { live, epoch, ended } = stopped;
        let there = self.runtime.registry.any(live.run);
        match there.is_some_and(|there| Arc::ptr_eq(&there, &live)) {
            // The run was unloaded. If it has been loaded again, the new instance has its own actor.
            false => self.ended(&live, ctx),
            // Its work was aborted just after it had been unloaded.
            true if live.is_unloaded() => self.runs(ctx).unloaded(&live, None),
            true if ended || live.journal.mark().ended => self.ended(&live, ctx),
            true if self.runtime.draining() => {}
            true => self.restart(live, epoch, ctx),
        }
    }

    /// Removes a run from memory that has ended or was unloaded.
    fn ended(&mut self, live: &Arc<LiveRun>, ctx: &mut Context<Self>) {
        self.restarts.remove(&live.run);
        self.runs(ctx).leave(live);
    }

    /// Restarts a run whose actor stopped before the run ended: in the next epoch, with a growing delay, until the run
    /// exceeds its restart limit.
    fn restart(&mut self, live: Arc<LiveRun>, epoch: u32, ctx: &mut Context<Self>) {
        live.set_mailbox(None);
        table::RUN_RESTARTS.add([], 1);
        match self.restarts.entry(live.run).or_default().next(Instant::now()) {
            Some(delay) => {
                tracing::warn!(run = %live.run, epoch, ?delay, "the actor of a run stopped unexpectedly; restarting it");
                ctx.run_later(delay, move |actor, ctx| actor.revive(live, ctx));
            }
            None => {
                self.give_up(live, epoch, ctx);
            }
        }
    }

    fn give_up(&mut self, live: Arc<LiveRun>, epoch: u32, ctx: &mut Context<Self>) {
        // The failure is logged together with the run's end.
        tracing::debug!(run = %live.run, epoch, "a run exceeded its restart limit; marked as failed");
        let (runtime, given_up) = (self.runtime.clone(), live.clone());
        let end = async move { give_up(&runtime, &given_up, epoch).await };
        ctx.spawn(end.into_actor(self).map(move |_, actor, ctx| actor.ended(&live, ctx)));
    }

    fn revive(&mut self, live: Arc<LiveRun>, ctx: &mut Context<Self>) {
        if live.is_unloaded() {
            return self.runs(ctx).unloaded(&live, None);
        }
        let (runtime, revived) = (self.runtime.clone(), live.clone());
        let next = async move { recovery::next_epoch(&runtime, &revived).await };
        ctx.spawn(next.into_actor(self).map(move |next, actor, ctx| match next {
            Ok(Some(row)) => actor.runs(ctx).start_actor(live, row, None),
            Ok(None) => actor.ended(&live, ctx),
            Err(why) => {
                tracing::error!(run = %live.run, %why, "a run could not be restarted");
                actor.restart(live, 0, ctx);
            }
        }));
    }
}

impl Actor for Supervisor {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        ctx.notify(Sweep { is_first: true });
        ctx.run_interval(self.runtime.config.sweep_every, |_, ctx| ctx.notify(Sweep { is_first: false }));
        ctx.spawn(load_when_due(self.runs(ctx)).into_actor(self));
    }
}

impl Handler<SupervisorCommand> for Supervisor {
    type Result = ();

    fn handle(&mut self, command: SupervisorCommand, ctx: &mut Self::Context) {
        self.runtime.messages.fetch_sub(1, Ordering::AcqRel);
        match command {
            SupervisorCommand::GiveUp { live, epoch } => self.give_up(live, epoch, ctx),
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
        panic!("a test makes the supervisor panic")
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

    fn handle(&mut self, sweep: Sweep, ctx: &mut Self::Context) -> Self::Result {
        if std::mem::replace(&mut self.is_sweeping, true) {
            return Box::pin(actix::fut::ready(()));
        }
        let (runs, fresh) = (self.runs(ctx), (!sweep.is_first).then_some(self.runtime.config.fresh));
        let swept = async move { sweep::sweep(&runs, fresh).await };
        Box::pin(swept.into_actor(self).map(|(), actor, ctx| {
            actor.is_sweeping = false;
            actor.runs(ctx).start_admitted(None);
        }))
    }
}
