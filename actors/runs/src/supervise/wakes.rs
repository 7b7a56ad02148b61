//! When the next unloaded run of each tenant has to be loaded, and the task that loads those that are due.

use std::collections::HashMap;
use std::time::Duration;

use parking_lot::Mutex;
use storage::records::Run;
use storage::{Reader, Row, Scan, TenantId, Timestamp, isolated};
use tokio::sync::Notify;

use super::load::LoadReason;
use super::runs::Runs;
use super::runtime::Runtime;

/// What a failure here is counted under.
const TASK: &str = "run_wakes";
/// Rows that are read together.
const PAGE: usize = 64;
/// The longest sleep: the system's clock may be set in between.
const LONGEST_SLEEP: Duration = Duration::from_secs(60);
/// The pause after a failure, and while many of those that were loaded wait for their turn.
const PAUSE: Duration = Duration::from_secs(1);
/// Runs in the queue from which on no more are loaded for their time.
const MOST_QUEUED: usize = 1_000;

/// The earliest time of each tenant that has unloaded runs with a time. A hint: the store's index decides.
#[derive(Default)]
pub(super) struct Wakes {
    next: Mutex<HashMap<TenantId, Timestamp>>,
    changed: Notify,
}

impl Wakes {
    /// An unloaded run of this tenant is to be loaded then.
    pub fn note(&self, tenant: TenantId, at: Timestamp) {
        let mut next = self.next.lock();
        let known = next.entry(tenant).or_insert(at);
        *known = at.min(*known);
        drop(next);
        self.changed.notify_one();
    }

    /// Takes the tenants with runs that are due.
    fn take_due(&self, now: Timestamp) -> Vec<TenantId> {
        let mut next = self.next.lock();
        let due: Vec<_> = next.iter().filter(|(_, at)| **at <= now).map(|(tenant, _)| *tenant).collect();
        for tenant in &due {
            next.remove(tenant);
        }
        due
    }

    async fn changed_or_due(&self) {
        let next = self.next.lock().values().min().copied();
        let sleep = next.map_or(LONGEST_SLEEP, |at| at.since(Timestamp::now()).min(LONGEST_SLEEP));
        let _ = tokio::time::timeout(sleep, self.changed.notified()).await;
    }
}

/// When the first unloaded run of a tenant is to be loaded.
pub(super) fn first(reader: &Reader, tenant: TenantId) -> storage::Result<Option<Timestamp>> {
    let mut found = None;
    reader.visit::<Run>(tenant, Scan::index("by_wake"), |row| {
        found = row.wake_at;
        found.is_none()
    })?;
    Ok(found)
}

/// Loads runs when they are due, for ever.
pub(super) async fn load_when_due(runs: Runs) {
    loop {
        for tenant in runs.runtime.wakes.take_due(Timestamp::now()) {
            let loaded = load_due(&runs, tenant).await;
            if isolated(TASK, format_args!("tenant {}", tenant.0), loaded).is_none() {
                runs.runtime.wakes.note(tenant, Timestamp::now() + PAUSE);
            }
        }
        runs.runtime.wakes.changed_or_due().await;
    }
}

async fn load_due(runs: &Runs, tenant: TenantId) -> storage::Result<()> {
    let runtime: &Runtime = &runs.runtime;
    let mut after = None;
    loop {
        let scan = Scan::index("by_wake").limit(PAGE).after(after.take());
        let page = runtime.store.read(move |reader| reader.scan_each::<Run>(tenant, scan)).await?;
        for row in page.items {
            let Some(row) = isolated(TASK, format_args!("tenant {}", tenant.0), row) else { continue };
            let Some(at) = row.wake_at else { continue };
            if at > Timestamp::now() {
                runtime.wakes.note(tenant, at);
                return Ok(());
            }
            load_one(runs, tenant, &row).await;
        }
        after = page.next;
        if after.is_none() {
            return Ok(());
        }
    }
}

async fn load_one(runs: &Runs, tenant: TenantId, row: &Row<Run>) {
    while runs.runtime.admission.lock().queued() > MOST_QUEUED {
        tokio::time::sleep(PAUSE).await;
    }
    if let Err(why) = runs.load(tenant, row.id, LoadReason::Due).await
        && !runs.draining()
    {
        tracing::warn!(run = %row.id, %why, "a run that is due could not be loaded; trying again");
        runs.runtime.wakes.note(tenant, Timestamp::now() + PAUSE);
    }
}
