//! Supervision: who runs, who waits, who went down, and what becomes of it.

mod admission;
mod conclude;
mod config;
mod kind;
mod live;
mod recovery;
mod restarts;
mod run_actor;
mod supervisor;
mod sweep;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use actix::{Actor, Addr};
use parking_lot::Mutex;
use providers::Models;
use storage::records::{Run, RunKind, Tenant};
use storage::{Row, Store, TenantId, Timestamp, Tx};
use uuid::Uuid;

use crate::completion::{Completion, StartError};
use crate::event::Terminal;
use crate::journal::{Cursor, RunJournal};

pub use admission::RunLimits;
pub use config::ActorsConfig;
pub use kind::{Closing, Draft, Ending, Kind, Work};
pub(crate) use live::Registry;
pub use live::{LiveRun, RunInfo};

use run_actor::Attach;
use supervisor::{Launch, Promote, Stop, Supervisor};

/// How long a cancel waits for the run's end before it answers without it.
const CANCEL_PATIENCE: Duration = Duration::from_secs(5);

/// What all runs share.
pub(crate) struct Stage {
    pub store: Store,
    pub models: Arc<Models>,
    pub config: ActorsConfig,
    pub registry: Arc<Registry>,
    /// Runs the work of runs, apart from the actors' own threads: work that spins holds up no
    /// cancel.
    pub runtime: tokio::runtime::Handle,
    draining: AtomicBool,
    /// Launches that wait in the supervisor's mailbox.
    launches: AtomicUsize,
}

impl Stage {
    /// The one place that names every kind of run.
    fn kind(&self, kind: RunKind) -> Option<Arc<dyn Kind>> {
        match kind {
            RunKind::Completion => Some(Arc::new(Completion)),
            _ => None,
        }
    }

    pub fn draining(&self) -> bool {
        self.draining.load(Ordering::Acquire)
    }

    /// How long a tenant keeps the journals of ended runs.
    fn stream_ttl(&self, tx: &mut Tx, tenant: TenantId, default: Duration) -> storage::Result<Duration> {
        let row = tx.get::<Tenant>(TenantId::SYSTEM, &tenant.0)?;
        let own = row.and_then(|tenant| tenant.stream_ttl_s);
        Ok(own.map_or(default, Duration::from_secs))
    }
}

/// Why a run cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum AttachError {
    /// There is no such run in this tenant.
    #[error("no such stream")]
    NotFound,
    /// It has ended, and its journal had its time.
    #[error("the stream has expired")]
    Expired,
    /// Its actor does not answer.
    #[error("the run's mailbox is full")]
    Busy,
    /// Storage failed.
    #[error(transparent)]
    Storage(#[from] storage::Error),
}

/// Where a run is.
enum Place {
    /// In this process.
    Live(Arc<LiveRun>),
    /// On disk only.
    Ended(Box<Row<Run>>),
}

/// What became of a cancel.
#[derive(Clone, Debug)]
pub struct CancelOutcome {
    /// The run.
    pub run_id: Uuid,
    /// Its end, if it came in time; also one that came long before.
    pub terminal: Option<Terminal>,
    /// Child runs that were stopped with it.
    pub children_stopped: Vec<Uuid>,
    /// Estimated tokens that the model still gave after the cancel was noted.
    pub tokens_after_cancel: u64,
}

/// Everything that runs. Cheap to clone.
#[derive(Clone)]
pub struct Actors {
    stage: Arc<Stage>,
    supervisor: Addr<Supervisor>,
    runtime: Arc<WorkRuntime>,
}

/// Owns the runtime of the runs' work. It may not be dropped where blocking is forbidden, so it
/// is shut down in the background.
struct WorkRuntime(Mutex<Option<tokio::runtime::Runtime>>);

impl WorkRuntime {
    fn stop(&self) {
        if let Some(runtime) = self.0.lock().take() {
            runtime.shutdown_background();
        }
    }
}

impl Drop for WorkRuntime {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Actors {
    /// Starts the supervisor and takes up every run that was live when the process went down;
    /// when this returns, each of them can be attached to. Must be called within an actix system.
    pub async fn start(config: ActorsConfig, store: Store, models: Arc<Models>) -> storage::Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(config.work_threads.max(1))
            .thread_name("work")
            .enable_all()
            .build()?;
        let stage = Arc::new(Stage {
            store,
            models,
            config,
            registry: Arc::default(),
            runtime: runtime.handle().clone(),
            draining: AtomicBool::new(false),
            launches: AtomicUsize::new(0),
        });
        let lost = recovery::recover(&stage, Timestamp::now()).await?;
        if !lost.is_empty() {
            tracing::info!(runs = lost.len(), "taking up the runs that were live");
        }
        let supervisor = Supervisor::new(stage.clone()).start();
        for (live, row) in lost {
            // Before the mailbox has a limit that could refuse: the supervisor has not run yet.
            supervisor.do_send(Launch::posted(&stage, live, row));
        }
        Ok(Self { stage, supervisor, runtime: Arc::new(WorkRuntime(Mutex::new(Some(runtime)))) })
    }

    /// The store that the runs are kept in.
    pub fn store(&self) -> &Store {
        &self.stage.store
    }

    pub(crate) fn stage(&self) -> &Arc<Stage> {
        &self.stage
    }

    /// Whether another run of this user may be accepted. Refused where they have as many as they
    /// may, and where too many launches wait in the supervisor's mailbox.
    pub(crate) fn may_start(&self, tenant: TenantId, user: Uuid) -> Result<(), StartError> {
        let (config, limits) = (&self.stage.config, &self.stage.config.limits);
        if self.mailbox_depth() >= config.supervisor_mailbox {
            return Err(StartError::Busy);
        }
        let most = limits.per_user + limits.queued_per_user;
        match self.stage.registry.count_of(tenant, user) < most {
            true => Ok(()),
            false => Err(StartError::TooMany),
        }
    }

    /// Launches that wait in the supervisor's mailbox.
    pub fn mailbox_depth(&self) -> usize {
        self.stage.launches.load(Ordering::Acquire)
    }

    /// Takes up a run whose record has just been committed: a reader of it from its first event.
    pub(crate) fn launch(&self, tenant: TenantId, row: Row<Run>) -> Cursor {
        let (store, limits) = (self.stage.store.clone(), self.stage.config.journal);
        let journal = RunJournal::open(store, tenant, row.id, row.epoch, 0, limits);
        let live = self.stage.registry.enter(LiveRun::new(tenant, &row, journal));
        let cursor = live.journal.read(0);
        // Past the mailbox's limit on purpose: the run is accepted and durable. How many can come
        // this way at once is bounded by those whom `may_start` let in.
        self.supervisor.do_send(Launch::posted(&self.stage, live, row));
        cursor
    }

    /// A reader of everything after sequence number `after`; of a run that has ended as well as
    /// of a live one.
    pub async fn attach(&self, tenant: TenantId, run: Uuid, after: u64) -> Result<Cursor, AttachError> {
        match self.find(tenant, run).await? {
            Place::Live(live) => {
                let Some(mailbox) = live.mailbox() else { return Ok(live.journal.read(after)) };
                let answer = mailbox.send(Attach(after));
                match tokio::time::timeout(self.stage.config.mailbox_patience, answer).await {
                    Ok(Ok(cursor)) => Ok(cursor),
                    // The actor ended or went down in this instant; its journal is still the place.
                    Ok(Err(_)) => Ok(live.journal.read(after)),
                    Err(_) => Err(AttachError::Busy),
                }
            }
            Place::Ended(row) => {
                let over = row.expires_at.is_some_and(|at| at <= Timestamp::now());
                if row.journal_expired || over {
                    return Err(AttachError::Expired);
                }
                Ok(Cursor::ended(self.stage.store.clone(), tenant, run, after))
            }
        }
    }

    /// Where a run is. One that was accepted, or lost its actor, a moment ago is about to be
    /// entered; so that is waited for.
    async fn find(&self, tenant: TenantId, run: Uuid) -> Result<Place, AttachError> {
        let patience = tokio::time::Instant::now() + self.stage.config.mailbox_patience;
        while tokio::time::Instant::now() < patience {
            if let Some(live) = self.stage.registry.find(tenant, run) {
                return Ok(Place::Live(live));
            }
            let row = self.stage.store.read(move |reader| reader.get::<Run>(tenant, &run)).await?;
            let row = row.ok_or(AttachError::NotFound)?;
            if row.state.is_terminal() {
                return Ok(Place::Ended(Box::new(row)));
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        Err(AttachError::Busy)
    }

    /// Asks a run to stop, and waits a little until it has. Idempotent: a run that has ended answers
    /// with its end, unchanged.
    pub async fn cancel(&self, tenant: TenantId, run: Uuid, by: Uuid) -> Result<CancelOutcome, AttachError> {
        if let Place::Live(live) = self.find(tenant, run).await? {
            live.request_cancel(by);
            if live.mailbox().is_none() {
                // Queued: it need not wait for its turn to end.
                self.supervisor.do_send(Promote);
            }
            let _ = tokio::time::timeout(CANCEL_PATIENCE, live.journal.ended()).await;
        }
        let (id, store) = (run, self.stage.store.clone());
        let found = store.read(move |reader| {
            let terminal = reader.terminal(tenant, id)?;
            let after = tokens_after_cancel(&reader.journal_read(tenant, id, 0, usize::MAX)?);
            Ok::<_, storage::Error>((terminal, after))
        });
        let (terminal, tokens_after_cancel) = found.await?;
        let terminal = terminal.and_then(|json| serde_json::from_slice(&json).ok());
        Ok(CancelOutcome { run_id: run, terminal, children_stopped: Vec::new(), tokens_after_cancel })
    }

    /// The live run of a conversation: the one at work, else the first in the queue.
    pub fn active(&self, tenant: TenantId, conversation: Uuid) -> Option<RunInfo> {
        let there = self.stage.registry.in_conversation(tenant, conversation);
        let live = there.iter().filter(|live| !live.journal.mark().ended);
        live.min_by_key(|live| (live.mailbox().is_none(), live.run)).map(|live| live.info())
    }

    /// Every live run.
    pub fn live(&self) -> Vec<RunInfo> {
        let all = self.stage.registry.all();
        all.iter().filter(|live| !live.journal.mark().ended).map(|live| live.info()).collect()
    }

    /// Bytes of events that wait for the disk, of all runs together.
    pub fn journal_lag(&self) -> usize {
        self.stage.registry.all().iter().map(|live| live.journal.lag()).sum()
    }

    /// Whether new work is refused because the process is about to stop.
    pub fn draining(&self) -> bool {
        self.stage.draining()
    }

    /// Takes no new work, lets live runs end for `grace`, and leaves the rest to the recovery of
    /// the next start. Returns how many were left.
    pub async fn drain(&self, grace: Duration) -> usize {
        self.stage.draining.store(true, Ordering::Release);
        let until = tokio::time::Instant::now() + grace;
        while self.stage.registry.len() > 0 && tokio::time::Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        self.stage.registry.len()
    }

    /// Ends all actors and their work where they stand, after a [`drain`](Self::drain): what is
    /// still live is for the recovery of the next start.
    pub async fn stop(&self) {
        self.stage.draining.store(true, Ordering::Release);
        // Refused only when it has stopped already.
        let _ = self.supervisor.send(Stop).await;
        self.runtime.stop();
    }
}

/// Estimates the output tokens that came after the cancel was noted, at four characters each.
fn tokens_after_cancel(events: &[crate::journal::Event]) -> u64 {
    use crate::event::EventData;
    let after = events.iter().skip_while(|event| &*event.kind != "run.cancelling");
    let chars = after.map(|event| match serde_json::from_slice(&event.json) {
        Ok(EventData::TextDelta { text, .. } | EventData::ReasoningDelta { text, .. }) => {
            text.chars().count() as u64
        }
        _ => 0,
    });
    chars.sum::<u64>().div_ceil(4)
}
