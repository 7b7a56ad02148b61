//! The task that loads unloaded runs when they are due.

use std::time::Duration;

use storage::records::Run;
use storage::{Row, Scan, TenantId, Timestamp, isolated};

use super::load_reason::LoadReason;
use super::runs::Runs;
use super::runtime::Runtime;

/// Label under which failures of this task are counted.
const TASK: &str = "run_wakes";
/// Number of rows that are read together.
const PAGE: usize = 64;
/// Pause after a failure, and while many loaded runs are queued.
const PAUSE: Duration = Duration::from_secs(1);
/// Number of queued runs from which on no more runs are loaded because they are due.
const MAX_QUEUED: usize = 1_000;

/// Loads runs when they are due. Never returns.
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
    while runs.runtime.admission.lock().queued() > MAX_QUEUED {
        tokio::time::sleep(PAUSE).await;
    }
    if let Err(why) = runs.load(tenant, row.id, LoadReason::Due).await
        && !runs.draining()
    {
        tracing::warn!(run = %row.id, %why, "a run that is due could not be loaded; trying again");
        runs.runtime.wakes.note(tenant, Timestamp::now() + PAUSE);
    }
}
