//! The scheduler: looks for due ticks and starts their runs.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use runs::{Cursor, Runs, StartError};
use storage::records::{AutomationRun, Run};
use storage::{Row, Store, TenantId, Timestamp};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::by_hand::{self, RunNowError};
use super::clock::Clock;
use super::start::{Ask, Opening};
use crate::restarts::run_with_restarts;
use telemetry::metrics::table;

#[derive(Clone, Copy, Debug)]
pub struct AutomationSettings {
    /// How often the scheduler looks for due ticks without a change notification.
    pub sweep_every: Duration,
    /// How long a run may work. Time spent waiting for people and timers does not count.
    pub run_timeout: Duration,
    /// Number of ledger entries that are retained per automation.
    pub keep_runs: usize,
    /// How long ledger entries are retained.
    pub keep_for: Duration,
    /// How often older entries are removed.
    pub upkeep_every: Duration,
}

impl Default for AutomationSettings {
    fn default() -> Self {
        Self {
            sweep_every: Duration::from_secs(5),
            run_timeout: Duration::from_secs(60 * 60),
            keep_runs: 200,
            keep_for: Duration::from_secs(90 * 24 * 60 * 60),
            upkeep_every: Duration::from_secs(60 * 60),
        }
    }
}

/// Handle to the scheduler of automations. Cheap to clone.
#[derive(Clone)]
pub struct Automations(Arc<Inner>);

struct Inner {
    runs: Runs,
    clock: Arc<dyn Clock>,
    settings: AutomationSettings,
    bell: Notify,
    stopped: CancellationToken,
    /// Runs whose end the scheduler waits for.
    watched: Mutex<HashSet<Uuid>>,
}

impl Automations {
    /// Starts the scheduler. Must be called within a Tokio runtime.
    pub fn start(runs: Runs, clock: Arc<dyn Clock>, settings: AutomationSettings) -> Self {
        let (bell, stopped, watched) = (Notify::new(), CancellationToken::new(), Mutex::default());
        let automations = Self(Arc::new(Inner { runs, clock, settings, bell, stopped, watched }));
        let (pause, stopped) = (automations.0.settings.sweep_every, automations.0.stopped.clone());
        let looping = automations.clone();
        tasks::spawn(run_with_restarts("automation scheduler", pause, stopped, move || {
            looping.clone().run()
        }));
        automations
    }

    /// Stops the scheduler. No further runs are started.
    pub fn stop(&self) {
        self.0.stopped.cancel();
    }

    /// Wakes the scheduler because a definition has changed or a run has ended.
    pub fn ring(&self) {
        self.0.bell.notify_one();
    }

    /// Returns the current time of the scheduler's clock.
    pub fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    pub(super) fn runs(&self) -> &Runs {
        &self.0.runs
    }

    pub(super) fn settings(&self) -> AutomationSettings {
        self.0.settings
    }

    pub(super) fn store(&self) -> &Store {
        self.0.runs.store()
    }

    pub(super) fn opening(&self) -> Opening {
        Opening { now: self.now(), timeout: self.0.settings.run_timeout }
    }

    /// Starts a run manually, in addition to other runs. Values that `ask` omits are taken from the automation.
    pub async fn run_now(
        &self,
        tenant: TenantId,
        id: Uuid,
        owner: Uuid,
        ask: Ask,
    ) -> Result<Row<AutomationRun>, RunNowError> {
        if self.0.runs.draining() {
            return Err(StartError::ShuttingDown.into());
        }
        self.0.runs.may_start(tenant, owner)?;
        let (ask, opening) = (Arc::new(ask), self.opening());
        let starter = self.clone();
        let started = async move {
            let by_hand = starter.store().run(move |tx| by_hand::start(tx, tenant, id, &ask, &opening));
            let (line, run) = by_hand.await?;
            starter.launch(tenant, run);
            Ok(line)
        };
        self.0.runs.run_uninterrupted(started).await
    }

    async fn run(self) {
        let mut upkeep: Option<tokio::time::Instant> = None;
        if let Err(why) = self.arm_all().await {
            tracing::error!(%why, "the schedules of automations could not be computed");
        }
        loop {
            let rest = match self.pass().await {
                Ok(next) => next.map_or(self.0.settings.sweep_every, |at| at.since(self.now())),
                Err(why) => {
                    table::SWEEP_FAILURES.add(["automations_due"], 1);
                    tracing::warn!(%why, "due automations could not be read");
                    self.0.settings.sweep_every
                }
            };
            if upkeep.is_none_or(|last| last.elapsed() >= self.0.settings.upkeep_every) {
                upkeep = Some(tokio::time::Instant::now());
                self.upkeep_all().await;
            }
            // The minimum pause prevents a busy loop over a tick that cannot be processed now.
            let rest = rest.clamp(Duration::from_millis(20), self.0.settings.sweep_every);
            let _ = tokio::time::timeout(rest, self.0.bell.notified()).await;
        }
    }

    async fn upkeep_all(&self) {
        let tidied = async {
            for (tenant, ()) in self.in_each_tenant(|_, _| Ok(())).await? {
                let tidied = self.upkeep(tenant).await;
                storage::isolated("automation_upkeep", format_args!("tenant {}", tenant.0), tidied);
            }
            Ok::<_, storage::Error>(())
        };
        if let Err(why) = tidied.await {
            table::SWEEP_FAILURES.add(["automation_runs"], 1);
            tracing::warn!(%why, "old runs of automations could not be removed");
        }
    }

    /// Launches a run that was just accepted, and watches it.
    pub(super) fn launch(&self, tenant: TenantId, run: Row<Run>) {
        table::AUTOMATION_RUNS.add([], 1);
        let id = run.id;
        let cursor = self.0.runs.launch(tenant, run);
        self.watch(id, cursor);
    }

    /// Watches a run that this process does not watch yet, for example after a restart.
    pub(super) async fn watch_again(&self, tenant: TenantId, run: Uuid) {
        if self.0.watched.lock().contains(&run) {
            return;
        }
        // A refusal is temporary. The next pass tries again.
        if let Ok(cursor) = self.0.runs.attach(tenant, run, 0).await {
            self.watch(run, cursor);
        }
    }

    /// Wakes the scheduler when a run has ended, because other entries may wait for it.
    fn watch(&self, run: Uuid, mut cursor: Cursor) {
        if !self.0.watched.lock().insert(run) {
            return;
        }
        let watcher = self.clone();
        tasks::spawn(async move {
            let stopped = watcher.0.stopped.clone();
            let over = async { while let Ok(Some(_)) = cursor.next().await {} };
            stopped.run_until_cancelled(over).await;
            watcher.0.watched.lock().remove(&run);
            watcher.ring();
        });
    }
}
