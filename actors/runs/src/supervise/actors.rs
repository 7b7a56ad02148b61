//! Entry point to the runs of a process: start-up, shutdown, and the state of supervision.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use actix::{Actor, Addr, Arbiter};
use parking_lot::Mutex;
use storage::{Store, Timestamp};
use tokio::sync::watch;

use super::admission::Admission;
use super::config::ActorsConfig;
use super::handlers::RunHandlers;
use super::runs::Runs;
use super::runtime::Runtime;
use super::supervisor::{Stop, Supervisor};
use super::unloaded::UnloadedRuns;
use super::wakes::Wakes;
use crate::journal::Journals;

/// All runs of the process and their supervisor. Cheap to clone.
#[derive(Clone)]
pub struct Actors {
    pub(super) runs: Runs,
    pub(super) supervisor: Addr<Supervisor>,
    threads: Arc<WorkThreads>,
}

impl Deref for Actors {
    type Target = Runs;

    fn deref(&self) -> &Runs {
        &self.runs
    }
}

/// Owns the runtime of the runs' work. The runtime must not be dropped in an asynchronous context, so it is shut down in
/// the background.
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
    /// Starts the supervisor. In the background, it recovers every run that was in memory when the previous process ended;
    /// attaching to a run that is not registered yet waits for that. Must be called within an actix system.
    pub async fn start(config: ActorsConfig, handlers: RunHandlers, store: Store) -> storage::Result<Self> {
        let threads = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(config.work_threads.max(1))
            .thread_name("work")
            .enable_all()
            .build()?;
        let arbiters: Vec<_> = (0..config.arbiters.max(1)).map(|_| Arbiter::new()).collect();
        let runtime = Arc::new(Runtime {
            store,
            registry: Arc::default(),
            tasks: threads.handle().clone(),
            handlers,
            journals: Journals::new(config.journal_memory),
            unloaded: UnloadedRuns::default(),
            wakes: Wakes::default(),
            missing: Mutex::default(),
            failure: watch::Sender::new(None),
            admission: Mutex::new(Admission::new(config.limits, config.recovery)),
            config,
            draining: AtomicBool::new(false),
            messages: AtomicUsize::new(0),
            arbiters: arbiters.iter().map(Arbiter::handle).collect(),
            next_arbiter: AtomicUsize::new(0),
            supervisor_thread: std::thread::current().id(),
            started_at: Timestamp::now(),
        });
        let supervisor = Supervisor::new(runtime.clone(), arbiters).start();
        let threads = Arc::new(WorkThreads(Mutex::new(Some(threads))));
        let runs = Runs { runtime, supervisor: supervisor.clone().recipient() };
        Ok(Self { runs, supervisor, threads })
    }

    /// Why runs are not supervised any more, if the supervisor has stopped. Only a restart of the process fixes this: its
    /// recovery takes over all live runs.
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
            // Cannot fail: the sender lives as long as `self`.
            let _ = failure.changed().await;
        }
    }

    /// Rejects new work from now on.
    pub fn refuse(&self) {
        self.runtime.draining.store(true, Ordering::Release);
    }

    /// Rejects new work, waits up to `grace` for working runs to end, and leaves the rest to the recovery of the next
    /// start. Does not wait for runs that are waiting or paused, since they lose nothing. Returns the number of runs
    /// left.
    pub async fn drain(&self, grace: Duration) -> usize {
        self.refuse();
        let until = tokio::time::Instant::now() + grace;
        while self.runtime.registry.working() > 0 && tokio::time::Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        self.runtime.registry.len()
    }

    /// Stops all actors and their work immediately. To be called after [`drain`](Self::drain); the recovery of the next
    /// start takes over the runs that are still live.
    pub async fn stop(&self) {
        self.refuse();
        // Fails only if the supervisor has already stopped.
        let _ = self.supervisor.send(Stop).await;
        self.threads.stop();
    }
}
