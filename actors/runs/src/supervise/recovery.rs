//! Recovery of runs without an actor: after the start of the process, all runs that were in memory when the previous
//! process ended.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use storage::records::{Run, RunKind, RunState};
use storage::{Row, Scan, TenantId, Timestamp, isolated, journal};
use uuid::Uuid;

use super::live::LiveRun;
use super::runs::Runs;
use super::runtime::Runtime;
use super::wakes;
use crate::journal::RunJournal;

/// Number of runs that get their next epoch in one transaction.
const BATCH: usize = 128;
/// Number of live runs that are read together.
const PAGE: usize = 1_000;
/// Label under which failures of this task are counted.
const TASK: &str = "run_recovery";

/// Finds every run that should be in memory according to its record and is not registered, gives it its next epoch and
/// queues it. Runs that had no actor for less than `fresh` are skipped, because the code that accepted them may be about
/// to launch them. Right after the start of the process, this applies only to runs accepted since then, and `fresh` is
/// `None`. Returns the number of recovered runs.
///
/// A row or tenant that cannot be read is skipped and does not prevent the recovery of the others.
pub(super) async fn recover(runs: &Runs, fresh: Option<Duration>) -> storage::Result<usize> {
    let runtime = &runs.runtime;
    let tenants: Vec<TenantId> = runtime.store.read(|reader| reader.tenants()).await?;
    let (mut recovered, mut seen) = (0, HashSet::new());
    for tenant in tenants {
        let lost = lost_runs(runtime, tenant).await;
        let Some(lost) = isolated(TASK, format_args!("tenant {}", tenant.0), lost) else { continue };
        seen.extend(lost.iter().map(|row| row.id));
        let patience = |row: &Row<Run>| match fresh {
            Some(fresh) => fresh,
            None if is_new(row, runtime.started_at) => runtime.config.fresh,
            None => Duration::ZERO,
        };
        let lost = runtime.missing.lock().long_enough(lost, Instant::now(), patience);
        for group in lost.chunks(BATCH) {
            let advanced = advance(runtime, tenant, group).await;
            recovered += advanced.len();
            for (row, end) in advanced {
                let (store, limits) = (runtime.store.clone(), runtime.journal_limits(row.kind));
                let (journals, of) = (runtime.journals.clone(), (tenant, row.id));
                let journal = RunJournal::open_within(journals, store, of, row.epoch, end, limits);
                // Only a completion can start over.
                if (row.kind, row.state) == (RunKind::Completion, RunState::Running) {
                    journal.expect_restart();
                }
                let live = runtime.registry.enter(LiveRun::new(tenant, &row, journal, None));
                live.journal.announce();
                if row.state == RunState::Running {
                    // Until it is admitted.
                    live.set_state(RunState::Queued);
                }
                runs.enqueue_run(live, row);
            }
            runs.start_admitted(None);
        }
    }
    runtime.missing.lock().retain(&seen);
    Ok(recovered)
}

/// Whether a run may have been accepted by this process and not launched yet.
fn is_new(row: &Row<Run>, started_at: Timestamp) -> bool {
    row.epoch == 1 && row.state == RunState::Queued && row.created_at >= started_at
}

/// Counts the unloaded runs of all tenants, and records when the first run of each tenant has to be loaded.
pub(super) async fn count_unloaded(runtime: &Arc<Runtime>) -> storage::Result<()> {
    let tenants: Vec<TenantId> = runtime.store.read(|reader| reader.tenants()).await?;
    let mut total = 0;
    for tenant in tenants {
        let looked = runtime.store.read(move |reader| {
            let count = reader.count::<Run>(tenant, Scan::index("unloaded_by_user"))?;
            Ok::<_, storage::Error>((count, wakes::first(reader, tenant)?))
        });
        let looked = isolated(TASK, format_args!("tenant {}", tenant.0), looked.await);
        let Some((count, first)) = looked else { continue };
        total += count;
        if let Some(at) = first {
            runtime.wakes.note(tenant, at);
        }
    }
    runtime.unloaded.set_total(total);
    Ok(())
}

async fn lost_runs(runtime: &Arc<Runtime>, tenant: TenantId) -> storage::Result<Vec<Row<Run>>> {
    let registry = runtime.registry.clone();
    let all = runtime.store.read(move |reader| {
        let mut found: Vec<Row<Run>> = Vec::new();
        let mut scan = Scan::index("awake").limit(PAGE);
        loop {
            let page = reader.scan_each::<Run>(tenant, scan)?;
            let readable = |row| isolated(TASK, format_args!("tenant {}", tenant.0), row);
            found.extend(page.items.into_iter().filter_map(readable));
            match page.next {
                Some(next) => scan = Scan::index("awake").limit(PAGE).after(next),
                None => return Ok::<_, storage::Error>(found),
            }
        }
    });
    Ok(all.await?.into_iter().filter(|row| !registry.holds(row.id)).collect())
}

/// Gives runs their next epoch, which fences off all earlier ones. If the transaction fails for one of them, they are
/// advanced one by one.
async fn advance(runtime: &Arc<Runtime>, tenant: TenantId, runs: &[Row<Run>]) -> Vec<(Row<Run>, u64)> {
    let ids: Vec<Uuid> = runs.iter().map(|row| row.id).collect();
    match advance_all(runtime, tenant, ids.clone()).await {
        Ok(advanced) => return advanced,
        Err(why @ storage::Error::Full) => {
            // A later sweep recovers them once space has been freed.
            isolated::<(), _>(TASK, "runs that were live", Err(why));
            return Vec::new();
        }
        Err(_) => {}
    }
    let mut advanced = Vec::new();
    for id in ids {
        let one = advance_all(runtime, tenant, vec![id]).await;
        advanced
            .extend(isolated(TASK, format_args!("tenant {}, run {id}", tenant.0), one).into_iter().flatten());
    }
    advanced
}

async fn advance_all(
    runtime: &Arc<Runtime>,
    tenant: TenantId,
    runs: Vec<Uuid>,
) -> storage::Result<Vec<(Row<Run>, u64)>> {
    runtime
        .store
        .run(move |tx| {
            let mut advanced = Vec::with_capacity(runs.len());
            for id in &runs {
                if let Some(row) = advance_one(tx, tenant, *id)? {
                    let end = tx.journal_end(tenant, row.id)?;
                    advanced.push((row, end));
                }
            }
            Ok(advanced)
        })
        .await
}

/// Gives a run its next epoch and marks it as loaded. Returns `None` if the run has ended.
pub(super) fn advance_one(
    tx: &mut storage::Tx,
    tenant: TenantId,
    id: Uuid,
) -> storage::Result<Option<Row<Run>>> {
    let Some(mut row) = tx.get::<Run>(tenant, &id)? else { return Ok(None) };
    if row.state.is_terminal() {
        return Ok(None);
    }
    row.epoch += 1;
    (row.unloaded, row.wake_at) = (false, None);
    // A run that only waited cannot have crashed the process.
    if !matches!(row.state, RunState::Queued | RunState::Waiting | RunState::Paused) {
        row.crashes += 1;
    }
    journal::set_epoch(tx.batch(), tenant, id, row.epoch);
    tx.update(tenant, row).map(Some)
}

/// Gives a run of this process its next epoch, for a new actor on the same journal, so that its readers stay attached.
/// Returns `None` if the run has ended.
pub(super) async fn next_epoch(
    runtime: &Arc<Runtime>,
    live: &Arc<LiveRun>,
) -> storage::Result<Option<Row<Run>>> {
    let (tenant, id) = (live.tenant, live.run);
    let row = runtime.store.run(move |tx| advance_one(tx, tenant, id)).await?;
    if let Some(row) = &row {
        live.journal.begin_epoch(row.epoch).await;
    }
    Ok(row)
}
