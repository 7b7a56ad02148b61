//! What the supervisor, the actors and those who start runs share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::ThreadId;
use std::time::Duration;

use actix::ArbiterHandle;
use parking_lot::Mutex;
use storage::records::{RunKind, Tenant};
use storage::{Store, TenantId, Timestamp, Tx};
use tokio::sync::watch;

use super::admission::Admission;
use super::config::ActorsConfig;
use super::handlers::{AnyRunHandler, RunHandlers};
use super::live::Registry;
use super::missing_runs::MissingRuns;
use super::unloaded::UnloadedRuns;
use super::wakes::Wakes;
use crate::journal::{JournalLimits, Journals};

/// What all runs share.
pub(super) struct Runtime {
    pub store: Store,
    pub config: ActorsConfig,
    pub registry: Arc<Registry>,
    /// Runs the work of runs, apart from the actors' own threads: work that spins holds up no
    /// cancel.
    pub tasks: tokio::runtime::Handle,
    pub handlers: RunHandlers,
    /// What all journals share.
    pub journals: Arc<Journals>,
    /// How many runs are unloaded,
    pub unloaded: UnloadedRuns,
    /// and when the next of them are to be loaded.
    pub wakes: Wakes,
    /// Runs that the last sweep found without an actor.
    pub missing: Mutex<MissingRuns>,
    /// Why nothing that runs is looked after any more, once that is so.
    pub failure: watch::Sender<Option<&'static str>>,
    pub draining: AtomicBool,
    /// Messages that wait in the supervisor's mailbox.
    pub messages: AtomicUsize,
    /// Who may run, and who waits.
    pub admission: Mutex<Admission>,
    /// The threads that actors live on unless they live where their run was started.
    pub arbiters: Vec<ArbiterHandle>,
    pub next_arbiter: AtomicUsize,
    pub supervisor_thread: ThreadId,
    /// When this process began, by the system's clock.
    pub started_at: Timestamp,
}

impl Runtime {
    /// The handler of a kind of runs.
    pub fn handler(&self, kind: RunKind) -> Option<Arc<dyn AnyRunHandler>> {
        self.handlers.get(kind)
    }

    /// The limits of the journal of a run.
    pub fn journal_limits(&self, kind: RunKind) -> JournalLimits {
        let unfollowed = self.handler(kind).and_then(|handler| handler.unfollowed_delay());
        JournalLimits { unfollowed, ..self.config.journal }
    }

    /// Whether the process takes no new work, because it is about to end.
    pub fn draining(&self) -> bool {
        self.draining.load(Ordering::Acquire)
    }

    /// Says that this process cannot look after its runs any more, and has to be started again.
    pub fn fail(&self, why: &'static str) {
        if !self.draining() {
            tracing::error!(why, "runs are not supervised any more; the server has to be started again");
            self.failure.send_replace(Some(why));
        }
    }

    /// How long a tenant keeps the journals of ended runs.
    pub fn stream_ttl(&self, tx: &mut Tx, tenant: TenantId, default: Duration) -> storage::Result<Duration> {
        let row = tx.get_shared::<Tenant>(TenantId::SYSTEM, &tenant.0)?;
        let own = row.and_then(|tenant| tenant.stream_ttl_s);
        Ok(own.map_or(default, Duration::from_secs))
    }
}
