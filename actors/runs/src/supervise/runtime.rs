//! State that the supervisor, the actors and the code that starts runs share.

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

/// State that all runs share.
pub(super) struct Runtime {
    pub store: Store,
    pub config: ActorsConfig,
    pub registry: Arc<Registry>,
    /// Runtime for the work of runs, separate from the actors' threads: work that blocks its thread does not delay a
    /// cancel.
    pub tasks: tokio::runtime::Handle,
    pub handlers: RunHandlers,
    /// State that all journals share.
    pub journals: Arc<Journals>,
    /// Counts of unloaded runs.
    pub unloaded: UnloadedRuns,
    /// When the next unloaded runs have to be loaded.
    pub wakes: Wakes,
    /// Runs that the last sweep found without an actor.
    pub missing: Mutex<MissingRuns>,
    /// Why runs are not supervised any more, if that is the case.
    pub failure: watch::Sender<Option<&'static str>>,
    pub draining: AtomicBool,
    /// Number of messages in the supervisor's mailbox.
    pub messages: AtomicUsize,
    /// Limits on running runs, and the queue of waiting ones.
    pub admission: Mutex<Admission>,
    /// The shared threads for actors that are not executed on the thread that started their run.
    pub arbiters: Vec<ArbiterHandle>,
    pub next_arbiter: AtomicUsize,
    pub supervisor_thread: ThreadId,
    /// When this process started, by the system clock.
    pub started_at: Timestamp,
}

impl Runtime {
    /// The handler of a run kind, if one is registered.
    pub fn handler(&self, kind: RunKind) -> Option<Arc<dyn AnyRunHandler>> {
        self.handlers.get(kind)
    }

    /// The journal limits that apply to runs of this kind.
    pub fn journal_limits(&self, kind: RunKind) -> JournalLimits {
        let unfollowed = self.handler(kind).and_then(|handler| handler.unfollowed_delay());
        JournalLimits { unfollowed, ..self.config.journal }
    }

    /// Whether the process rejects new work because it is shutting down.
    pub fn draining(&self) -> bool {
        self.draining.load(Ordering::Acquire)
    }

    /// Declares that this process cannot supervise its runs any more and has to be restarted.
    pub fn fail(&self, why: &'static str) {
        if !self.draining() {
            tracing::error!(why, "runs are not supervised any more; restart the server");
            self.failure.send_replace(Some(why));
        }
    }

    /// How long a tenant retains the journals of ended runs.
    pub fn stream_ttl(&self, tx: &mut Tx, tenant: TenantId, default: Duration) -> storage::Result<Duration> {
        let row = tx.get_shared::<Tenant>(TenantId::SYSTEM, &tenant.0)?;
        let own = row.and_then(|tenant| tenant.stream_ttl_s);
        Ok(own.map_or(default, Duration::from_secs))
    }
}
