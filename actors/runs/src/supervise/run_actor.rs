//! The actor of one run in one epoch: starts the work, listens for a cancel, responds to readers, and writes the end.

use std::sync::Arc;

use actix::{Actor, ActorContext, ActorFutureExt, AsyncContext, Context, Handler, MessageResult, WrapFuture};
use storage::Row;
use storage::records::{Run, RunState};
use telemetry::metrics::table;
use telemetry::trace::{self, Span};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinHandle};

use super::command::RunCommand;
use super::conclude::{Concluded, conclude, owns_run};
use super::handler::{RunOutcome, WorkEnd};
use super::live::LiveRun;
#[cfg(test)]
use super::run_mailbox::Panic;
use super::run_mailbox::{Attach, Deliver};
use super::runs::Runs;
use super::runtime::Runtime;
use super::stop;
use super::supervisor_command::{ActorStopped, SupervisorCommand};
use super::traced;
use super::work::Work;
use crate::event::EventData;
use crate::journal::EpochStore;
use crate::journal::{Event, WriteError, Writer};

/// Reports the end of the actor when it is dropped, which happens even after a panic.
struct StopReporter {
    stopped: ActorStopped,
    runs: Runs,
}

impl Drop for StopReporter {
    fn drop(&mut self) {
        match &self.stopped {
            // The actor was never restarted, so the supervisor holds no state about the run.
            ActorStopped { ended: true, epoch: 1, live } => self.runs.leave(live),
            stopped => self.runs.send(SupervisorCommand::ActorStopped(stopped.clone())),
        }
    }
}

/// The actor of one run in one epoch.
pub struct RunActor {
    runs: Runs,
    /// Whether the work is executed on this actor's thread.
    is_local: bool,
    live: Arc<LiveRun>,
    row: Arc<Row<Run>>,
    writer: Writer,
    /// Waits for the work and writes the end. Declared before the work, so that it is aborted first.
    end: Option<Task>,
    work: Option<Task>,
    commands: mpsc::Sender<RunCommand>,
    /// The receiving end of the commands, until the work takes it.
    unread: Option<mpsc::Receiver<RunCommand>>,
    watch: StopReporter,
}

/// A task that is aborted when its actor is dropped. A panic in the actor drops it without calling `stopped`.
struct Task(AbortHandle);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// How the work of an epoch ended, and what remains to be done.
enum EpochEnd {
    /// The end was written, by this epoch or another, or the run was unloaded.
    Ended,
    /// The work could not append to the journal.
    Refused,
    /// The work panicked, or storage failed while the end was written: the supervisor starts the next epoch.
    Unfinished,
}

impl RunActor {
    pub(super) fn new(runs: Runs, live: Arc<LiveRun>, row: Row<Run>, is_local: bool) -> Self {
        let writer = live.journal.writer(row.epoch);
        let stopped = ActorStopped { live: live.clone(), epoch: row.epoch, ended: false };
        let watch = StopReporter { stopped, runs: runs.clone() };
        let (commands, unread) = mpsc::channel(runs.runtime.config.mailbox);
        let (row, unread) = (Arc::new(row), Some(unread));
        Self { runs, is_local, live, row, writer, work: None, end: None, commands, unread, watch }
    }

    fn spawn<F>(&self, task: F) -> JoinHandle<F::Output>
    where
        F: Future<Output: Send> + Send + 'static,
    {
        match self.is_local {
            true => tasks::spawn(task),
            false => self.runs.runtime.tasks.spawn(task),
        }
    }

    fn work(&mut self, ctx: &mut Context<Self>) {
        let Some(commands) = self.unread.take() else { return };
        let (live, runs) = (self.live.clone(), self.runs.clone());
        let (row, writer) = (Row::clone(&self.row), self.writer.clone());
        let span = traced::run(&row);
        let work = async move {
            let history = match row.epoch {
                1 => Vec::new(),
                _ => live.history(live.journal.mark().seq, |_| true).await.map_err(|_| WriteError)?,
            };
            if let Some(by) = cancelled_before(&history) {
                live.keep_cancel(by);
            }
            if row.epoch > 1 && stop::is_disabled(&runs.runtime, live.tenant, &row).await.unwrap_or(false) {
                live.cancel.cancel();
            }
            // A run that has begun may have something to undo.
            if live.cancel.is_cancelled() && history.is_empty() {
                return Ok(RunOutcome::Cancelled.into());
            }
            if !matches!(row.state, RunState::Waiting | RunState::Paused) {
                live.set_state(RunState::Running);
            }
            if row.epoch > 1 {
                runs.end_reading(row.id);
            }
            let runtime = &runs.runtime;
            let kind = runtime.handler(row.kind).ok_or(WriteError)?;
            let work = Work {
                tenant: live.tenant,
                run: row,
                history,
                store: EpochStore::new(runtime.store.clone(), writer.fence()),
                writer,
                cancel: live.cancel.clone(),
                max_turns: runtime.config.max_turns,
                max_recoveries: runtime.config.max_recoveries,
                commands,
                live,
                runs: runs.clone(),
            };
            kind.work(work).await
        };
        let task = match span.context() {
            Some(context) => self.spawn(trace::within(context, work)),
            None => self.spawn(work),
        };
        self.work = Some(Task(task.abort_handle()));
        let (runtime, live) = (self.runs.runtime.clone(), self.live.clone());
        // Runs beside the work, so that its last events need not pass through this thread before they are written.
        let end = self.spawn(end(runtime, live, self.row.clone(), self.writer.clone(), (task, span)));
        self.end = Some(Task(end.abort_handle()));
        ctx.spawn(end.into_actor(self).map(|over, actor, ctx| match over {
            Ok(EpochEnd::Ended) => actor.stop_ended(ctx),
            Ok(EpochEnd::Refused) => actor.refused(ctx),
            Ok(EpochEnd::Unfinished) => ctx.stop(),
            Err(why) => {
                tracing::error!(run = %actor.row.id, %why, "the end of a run panicked");
                ctx.stop();
            }
        }));
    }

    /// The work could not append to the journal. If the run still belongs to this epoch, storage failed, and the next
    /// epoch continues in the same journal so that its readers stay attached.
    fn refused(&mut self, ctx: &mut Context<Self>) {
        let (runtime, live, writer) = (self.runs.runtime.clone(), self.live.clone(), self.writer.clone());
        let ours = async move { owns_run(&runtime, &live, &writer).await };
        ctx.spawn(ours.into_actor(self).map(|ours, actor, ctx| match ours {
            true => ctx.stop(),
            false => actor.stop_ended(ctx),
        }));
    }

    fn stop_ended(&mut self, ctx: &mut Context<Self>) {
        self.watch.stopped.ended = true;
        ctx.stop();
    }

    fn cancelling(&mut self, ctx: &mut Context<Self>) {
        self.live.set_state(RunState::Cancelling);
        // Cooperative cancellation first, then the task is aborted.
        let own = self.runs.runtime.handler(self.row.kind).and_then(|kind| kind.grace());
        ctx.run_later(own.unwrap_or(self.runs.runtime.config.cancel_grace), |actor, _| {
            drop(actor.work.take());
        });
    }
}

impl Actor for RunActor {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        ctx.set_mailbox_capacity(self.runs.runtime.config.mailbox);
        self.work(ctx);
        let cancelled = self.live.cancel.clone();
        let cancelled = async move { cancelled.cancelled().await };
        ctx.spawn(cancelled.into_actor(self).map(|(), actor, ctx| actor.cancelling(ctx)));
    }

    fn stopped(&mut self, _: &mut Self::Context) {
        drop(self.end.take());
        drop(self.work.take());
    }
}

impl Handler<Attach> for RunActor {
    type Result = MessageResult<Attach>;

    fn handle(&mut self, Attach(after): Attach, _: &mut Self::Context) -> Self::Result {
        MessageResult(self.live.journal.read(after))
    }
}

#[cfg(test)]
impl Handler<Panic> for RunActor {
    type Result = ();

    fn handle(&mut self, _: Panic, _: &mut Self::Context) -> Self::Result {
        panic!("a test has an actor go down")
    }
}

impl Handler<Deliver> for RunActor {
    type Result = ();

    fn handle(&mut self, Deliver(command): Deliver, _: &mut Self::Context) -> Self::Result {
        // A full queue drops the command, which notifies its sender that it was not read.
        let _ = self.commands.try_send(command);
    }
}

/// Waits until the work ends, whether by itself, by an abort or by a panic, and writes the end of the run.
async fn end(
    runtime: Arc<Runtime>,
    live: Arc<LiveRun>,
    row: Arc<Row<Run>>,
    writer: Writer,
    (work, mut span): (JoinHandle<Result<WorkEnd, WriteError>>, Span),
) -> EpochEnd {
    let outcome = work.await;
    traced::ended(&mut span, &outcome);
    let outcome = match outcome {
        Ok(Ok(WorkEnd::Ended(outcome))) => outcome,
        Ok(Ok(WorkEnd::Unloaded)) => return EpochEnd::Ended,
        Ok(Err(WriteError)) => return EpochEnd::Refused,
        Err(why) if why.is_cancelled() && live.cancel.is_cancelled() => RunOutcome::Cancelled,
        // No cancel was requested: the process is shutting down, and the next start recovers the run.
        Err(why) if why.is_cancelled() => return EpochEnd::Unfinished,
        Err(why) => {
            tracing::error!(run = %row.id, epoch = row.epoch, %why, "the work of a run panicked");
            table::RUN_PANICS.add([], 1);
            return EpochEnd::Unfinished;
        }
    };
    // Boxed, so that its memory is not reserved for the lifetime of the run.
    match Box::pin(conclude(&runtime, &live, &row, &writer, &outcome)).await {
        Concluded::Written | Concluded::BySomeoneElse => EpochEnd::Ended,
        Concluded::NotYet => EpochEnd::Unfinished,
    }
}

/// The user who requested a cancel in an earlier epoch.
fn cancelled_before(history: &[Event]) -> Option<uuid::Uuid> {
    let event = history.iter().find(|event| &*event.kind == "run.cancelling")?;
    match EventData::read(event) {
        Some(EventData::RunCancelling { by }) => Some(by),
        _ => None,
    }
}
