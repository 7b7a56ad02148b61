//! Supervision: who runs, who waits, who went down, and what becomes of it.

mod admission;
mod any_handler;
mod attach_error;
mod caller;
mod command;
mod conclude;
mod config;
mod handler;
mod handlers;
mod live;
mod receipt;
mod recovery;
mod restarts;
mod run_actor;
mod run_mailbox;
mod runs;
mod stop;
mod supervisor;
mod supervisor_command;
mod sweep;
#[cfg(test)]
mod tests;
mod traced;
mod work;

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use actix::{Actor, Addr};
use parking_lot::Mutex;
use storage::records::{RunKind, Tenant};
use storage::{Store, TenantId, Tx};
use tokio::sync::watch;

use crate::journal::TailBudget;
use any_handler::AnyRunHandler;

pub use admission::RunLimits;
pub use attach_error::AttachError;
pub use caller::Caller;
pub use command::{AskError, Question, Reply, RunCommand};
pub use config::ActorsConfig;
pub use handler::{RunHandler, RunOutcome, RunSummary};
pub use handlers::RunHandlers;
pub(crate) use live::Registry;
pub use live::{LiveRun, RunInfo};
pub use receipt::CancelOutcome;
pub use runs::Runs;
pub use work::Work;

use supervisor::{Stop, Supervisor};
use supervisor_command::SupervisorCommand;

/// What all runs share.
pub(crate) struct Runtime {
    pub store: Store,
    pub config: ActorsConfig,
    pub registry: Arc<Registry>,
    /// Runs the work of runs, apart from the actors' own threads: work that spins holds up no
    /// cancel.
    pub tasks: tokio::runtime::Handle,
    handlers: RunHandlers,
    /// The memory of all journals' tails together.
    pub tails: Arc<TailBudget>,
    /// Runs that the last sweep found without an actor.
    missing: Mutex<recovery::Missing>,
    /// Why nothing that runs is looked after any more, once that is so.
    failure: watch::Sender<Option<&'static str>>,
    draining: AtomicBool,
    /// Launches that wait in the supervisor's mailbox.
    launches: AtomicUsize,
}

impl Runtime {
    /// The handler of a kind of runs.
    fn handler(&self, kind: RunKind) -> Option<Arc<dyn AnyRunHandler>> {
        self.handlers.of(kind)
    }

    pub fn draining(&self) -> bool {
        self.draining.load(Ordering::Acquire)
    }

    /// Says that this process cannot look after its runs any more, and has to be started again.
    fn fail(&self, why: &'static str) {
        if !self.draining() {
            tracing::error!(why, "runs are not supervised any more; the server has to be started again");
            self.failure.send_replace(Some(why));
        }
    }

    /// How long a tenant keeps the journals of ended runs.
    fn stream_ttl(&self, tx: &mut Tx, tenant: TenantId, default: Duration) -> storage::Result<Duration> {
        let row = tx.get::<Tenant>(TenantId::SYSTEM, &tenant.0)?;
        let own = row.and_then(|tenant| tenant.stream_ttl_s);
        Ok(own.map_or(default, Duration::from_secs))
    }
}

/// Everything that runs. Cheap to clone.
#[derive(Clone)]
pub struct Actors {
    runs: Runs,
    supervisor: Addr<Supervisor>,
    threads: Arc<WorkThreads>,
}

impl Deref for Actors {
    type Target = Runs;

    fn deref(&self) -> &Runs {
        &self.runs
    }
}

/// Owns the runtime of the runs' work. It may not be dropped where blocking is forbidden, so it
/// is shut down in the background.
struct WorkThreads(Mutex<Option<tokio::runtime::Runtime>>);

impl WorkThreads {
    fn stop(&self) {
        if let Some(runtime) = self.0.lock().take() {
            runtime.shutdown_background();
        }
    }
}

impl Drop for WorkThreads {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Actors {
    /// Starts the supervisor and takes up every run that was live when the process went down;
    /// when this returns, each of them can be attached to. Must be called within an actix system.
    pub async fn start(config: ActorsConfig, handlers: RunHandlers, store: Store) -> storage::Result<Self> {
        let threads = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(config.work_threads.max(1))
            .thread_name("work")
            .enable_all()
            .build()?;
        let runtime = Arc::new(Runtime {
            store,
            registry: Arc::default(),
            tasks: threads.handle().clone(),
            handlers,
            tails: Arc::new(TailBudget::new(config.journal_memory)),
            missing: Mutex::default(),
            failure: watch::Sender::new(None),
            config,
            draining: AtomicBool::new(false),
            launches: AtomicUsize::new(0),
        });
        // Without a delay: at boot there are no starters that are about to launch a run.
        let lost = recovery::recover(&runtime, Duration::ZERO).await?;
        if !lost.is_empty() {
            tracing::info!(runs = lost.len(), "taking up the runs that were live");
        }
        let supervisor = Supervisor::new(runtime.clone()).start();
        for (live, row) in lost {
            // Before the mailbox has a limit that could refuse: the supervisor has not run yet.
            supervisor.do_send(SupervisorCommand::launch(&runtime, live, row));
        }
        let threads = Arc::new(WorkThreads(Mutex::new(Some(threads))));
        let runs = Runs { runtime, supervisor: supervisor.clone().recipient() };
        Ok(Self { runs, supervisor, threads })
    }

    /// Why runs are not supervised any more, once the supervisor has gone down. Only a new start of the process, whose
    /// recovery takes up all that is live, sets that right.
    pub fn failure(&self) -> Option<&'static str> {
        *self.runtime.failure.borrow()
    }

    /// Waits until there is a [`failure`](Self::failure).
    pub async fn failed(&self) -> &'static str {
        let mut failure = self.runtime.failure.subscribe();
        loop {
            if let Some(why) = *failure.borrow_and_update() {
                return why;
            }
            // The sender lives as long as `self`, so waiting cannot fail.
            let _ = failure.changed().await;
        }
    }

    /// Takes no new work from now on.
    pub fn refuse(&self) {
        self.runtime.draining.store(true, Ordering::Release);
    }

    /// Takes no new work, lets live runs end for `grace`, and leaves the rest to the recovery of
    /// the next start; those that wait or are paused at once, since nothing of theirs is lost. Returns how many were left.
    pub async fn drain(&self, grace: Duration) -> usize {
        self.refuse();
        let until = tokio::time::Instant::now() + grace;
        while self.runtime.registry.working() > 0 && tokio::time::Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        self.runtime.registry.len()
    }

    /// Ends all actors and their work where they stand, after a [`drain`](Self::drain): what is
    /// still live is for the recovery of the next start.
    pub async fn stop(&self) {
        self.refuse();
        // Refused only when it has stopped already.
        let _ = self.supervisor.send(Stop).await;
        self.threads.stop();
    }
}
