//! Tests of what only code inside the crate can cause: panics of the supervisor and of actors, and work that outlives
//! its epoch.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::ThreadId;
use std::time::Duration;

use actix::Arbiter;
use async_trait::async_trait;
use parking_lot::Mutex;
use storage::records::{Memory, Run, RunKind, RunState, Tenant};
use storage::{Row, Scan, Store, StoreOptions, TenantId, Tx, journal};
use tempfile::TempDir;
use uuid::Uuid;

use super::supervisor::Panic as SupervisorPanic;
use crate::journal::{EpochStore, Fence};
use crate::{
    Actors, ActorsConfig, EventData, Placement, RunHandler, RunHandlers, RunOutcome, RunSummary, Terminal,
    Work, WorkEnd, WriteError,
};

const TIMEOUT: Duration = Duration::from_secs(60);

/// A handler whose work continues until it is cancelled.
struct Endless {
    /// Number of works in progress.
    open: Arc<AtomicUsize>,
    /// The thread on which the most recent work began.
    thread: Arc<Mutex<Option<ThreadId>>>,
}

struct Open(Arc<AtomicUsize>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[async_trait]
impl RunHandler for Endless {
    type Details = ();

    fn placement(&self) -> Placement {
        Placement::Starter
    }

    async fn work(&self, work: Work) -> Result<WorkEnd, WriteError> {
        *self.thread.lock() = Some(std::thread::current().id());
        self.open.fetch_add(1, Ordering::SeqCst);
        let _open = Open(self.open.clone());
        work.cancel.cancelled().await;
        Ok(RunOutcome::Cancelled.into())
    }

    fn close(&self, _: &Row<Run>, _: &[crate::Event], _: &RunOutcome) -> RunSummary<()> {
        RunSummary::default()
    }

    fn conclude(&self, _: &mut Tx, _: TenantId, _: &Row<Run>, _: &(), _: &Terminal) -> storage::Result<()> {
        Ok(())
    }
}

/// A handler that succeeds immediately, and whose run is cancelled just before its end is written.
struct CancelledLate {
    undone: Arc<AtomicUsize>,
}

#[async_trait]
impl RunHandler for CancelledLate {
    type Details = ();

    fn undoes(&self) -> bool {
        true
    }

    async fn work(&self, work: Work) -> Result<WorkEnd, WriteError> {
        if work.cancel.is_cancelled() {
            self.undone.fetch_add(1, Ordering::SeqCst);
            return Ok(RunOutcome::Cancelled.into());
        }
        work.writer.push(EventData::TextStart { part: "1".into() })?;
        work.live.request_cancel(Uuid::nil());
        Ok(RunOutcome::Succeeded { reason: None }.into())
    }

    fn close(&self, _: &Row<Run>, _: &[crate::Event], _: &RunOutcome) -> RunSummary<()> {
        RunSummary::default()
    }

    fn conclude(&self, _: &mut Tx, _: TenantId, _: &Row<Run>, _: &(), _: &Terminal) -> storage::Result<()> {
        Ok(())
    }
}

/// A store in a temporary folder, and runs that work until they are cancelled.
struct Stage {
    _dir: TempDir,
    actors: Actors,
    tenant: TenantId,
    open: Arc<AtomicUsize>,
    thread: Arc<Mutex<Option<ThreadId>>>,
    undone: Arc<AtomicUsize>,
}

impl Stage {
    async fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(StoreOptions::new(dir.path())).unwrap();
        let (tenant, open, thread) = (TenantId(Uuid::now_v7()), Arc::default(), Arc::default());
        let row = Tenant { name: "t".into(), ..Tenant::default() };
        let insert = store.run(move |tx| tx.insert(TenantId::SYSTEM, tenant.0, row.clone()).map(drop));
        insert.await.map_err(|why: storage::Error| why).unwrap();
        let undone = Arc::<AtomicUsize>::default();
        let handlers = RunHandlers::default()
            .with(RunKind::Workflow, CancelledLate { undone: Arc::clone(&undone) })
            .with(RunKind::Completion, Endless { open: Arc::clone(&open), thread: Arc::clone(&thread) });
        let config = ActorsConfig { sweep_every: Duration::from_millis(500), ..ActorsConfig::default() };
        let actors = Actors::start(config, handlers, store).await.unwrap();
        Self { _dir: dir, actors, tenant, open, thread, undone }
    }

    async fn start(&self) -> Uuid {
        start(&self.actors, self.tenant, RunKind::Completion).await
    }
}

async fn start(actors: &Actors, tenant: TenantId, kind: RunKind) -> Uuid {
    let id = Uuid::now_v7();
    let accepted = actors.store().run(move |tx| {
        let run = Run { kind, state: RunState::Queued, epoch: 1, ..Run::default() };
        let row = tx.insert(tenant, id, run)?;
        journal::set_epoch(tx.batch(), tenant, id, 1);
        Ok::<_, storage::Error>(row)
    });
    drop(actors.launch(tenant, accepted.await.unwrap()));
    id
}

async fn until(mut is_so: impl FnMut() -> bool) {
    let waiting = async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(TIMEOUT, waiting).await.expect("the condition becomes true");
}

#[actix::test]
async fn supervisor_panic_is_a_failure_of_the_process() {
    let stage = Stage::new().await;
    assert_eq!(stage.actors.failure(), None);
    stage.actors.supervisor.do_send(SupervisorPanic);
    let why = tokio::time::timeout(TIMEOUT, stage.actors.failed()).await.expect("the failure is reported");
    assert_eq!(stage.actors.failure(), Some(why));
}

#[actix::test]
async fn stop_is_not_a_failure_of_the_supervisor() {
    let stage = Stage::new().await;
    stage.actors.stop().await;
    let actors = stage.actors.clone();
    until(|| !actors.supervisor.connected()).await;
    assert_eq!(actors.failure(), None);
}

#[actix::test]
async fn cancel_noted_after_success_has_the_work_undone() {
    let stage = Stage::new().await;
    let run = start(&stage.actors, stage.tenant, RunKind::Workflow).await;
    let store = stage.actors.store().clone();
    until(|| store.terminal(stage.tenant, run).unwrap().is_some()).await;
    let terminal: Terminal =
        serde_json::from_slice(&store.terminal(stage.tenant, run).unwrap().unwrap()).unwrap();
    assert_eq!(terminal.status, RunState::Cancelled);
    assert_eq!(stage.undone.load(Ordering::SeqCst), 1);
}

#[actix::test]
async fn actor_panic_ends_its_work_before_the_next_epoch() {
    let stage = Stage::new().await;
    let (run, open) = (stage.start().await, stage.open.clone());
    until(|| open.load(Ordering::SeqCst) == 1).await;
    let live = stage.actors.runtime.registry.find(stage.tenant, run).expect("it is live");
    live.mailbox().expect("it has an actor").panic();
    let store = stage.actors.store().clone();
    let tenant = stage.tenant;
    let epoch = || store.journal_epoch(tenant, run).unwrap();
    // The work ends together with its actor, not only when the next epoch fences it off.
    until(|| open.load(Ordering::SeqCst) == 0 || epoch() == Some(2)).await;
    assert_eq!(epoch(), Some(1));
    until(|| epoch() == Some(2) && open.load(Ordering::SeqCst) == 1).await;
    stage.actors.cancel(tenant, run, Uuid::nil()).await.unwrap();
}

#[actix::test]
async fn epoch_store_rejects_writes_of_an_earlier_epoch() {
    let stage = Stage::new().await;
    let (store, run) = (stage.actors.store().clone(), Uuid::now_v7());
    let set_epoch = async |epoch: u32| {
        let tenant = stage.tenant;
        let set = store.run(move |tx| {
            journal::set_epoch(tx.batch(), tenant, run, epoch);
            Ok::<_, storage::Error>(())
        });
        set.await.unwrap();
    };
    set_epoch(1).await;
    let fenced = EpochStore::new(store.clone(), Fence { tenant: stage.tenant, run, epoch: 1 });
    let tenant = stage.tenant;
    let write = async || {
        fenced
            .run(move |tx| tx.insert(tenant, (Uuid::nil(), Uuid::now_v7()), Memory::default()).map(drop))
            .await
    };
    write().await.unwrap();
    set_epoch(2).await;
    assert!(matches!(write().await, Err(storage::Error::Superseded)));
    let count = store.read(move |reader| reader.count::<Memory>(tenant, Scan::table())).await.unwrap();
    assert_eq!(count, 1);
}

#[actix::test]
async fn launch_runs_the_work_on_the_starting_thread() {
    let stage = Stage::new().await;
    let (tenant, open) = (stage.tenant, stage.open.clone());
    let arbiter = Arbiter::new();
    let (actors, (sender, receiver)) = (stage.actors.clone(), tokio::sync::oneshot::channel());
    arbiter.spawn(async move {
        let run = start(&actors, tenant, RunKind::Completion).await;
        let _ = sender.send((std::thread::current().id(), run));
    });
    let (starter, run) = receiver.await.unwrap();
    until(|| open.load(Ordering::SeqCst) == 1).await;
    assert_eq!(*stage.thread.lock(), Some(starter));
    // When that thread ends, the run continues on another one.
    arbiter.stop();
    arbiter.join().unwrap();
    until(|| stage.thread.lock().is_some_and(|thread| thread != starter)).await;
    until(|| open.load(Ordering::SeqCst) == 1).await;
    stage.actors.cancel(tenant, run, Uuid::nil()).await.unwrap();
    // The supervisor's thread executes no work.
    let run = stage.start().await;
    until(|| open.load(Ordering::SeqCst) == 1).await;
    assert_ne!(*stage.thread.lock(), Some(std::thread::current().id()));
    stage.actors.cancel(tenant, run, Uuid::nil()).await.unwrap();
}
