//! Runs that lost their actor: at boot, all that were live when the process went down.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use storage::records::{Run, RunState};
use storage::{Row, Scan, TenantId, isolated, journal};
use uuid::Uuid;

use super::live::LiveRun;
use super::runtime::Runtime;
use crate::journal::RunJournal;

/// Runs that get their next epoch in one transaction.
const TOGETHER: usize = 128;
/// Live runs that are read together.
const PAGE: usize = 1_000;
/// What a failure here is counted under.
const TASK: &str = "run_recovery";

/// Finds every run that is live by its record and in no registry, and gives each its next epoch. Runs that had no actor
/// for less than `fresh` are left out: their starter may be about to launch them. At boot there are no starters, so it is zero.
///
/// A row or a tenant that cannot be read is passed over and does not keep the others from going on.
pub(super) async fn recover(
    runtime: &Arc<Runtime>,
    fresh: Duration,
) -> storage::Result<Vec<(Arc<LiveRun>, Row<Run>)>> {
    let tenants: Vec<TenantId> = runtime.store.read(|reader| reader.tenants()).await?;
    let mut recovered = Vec::new();
    let mut seen = HashSet::new();
    for tenant in tenants {
        let lost = lost_runs(runtime, tenant).await;
        let Some(lost) = isolated(TASK, format_args!("tenant {}", tenant.0), lost) else { continue };
        seen.extend(lost.iter().map(|row| row.id));
        let lost = runtime.missing.lock().long_enough(lost, Instant::now(), fresh);
        for group in lost.chunks(TOGETHER) {
            for (row, end) in advance(runtime, tenant, group).await {
                let (store, limits) = (runtime.store.clone(), runtime.journal_limits(row.kind));
                let (tails, of) = (runtime.tails.clone(), (tenant, row.id));
                let journal = RunJournal::open_within(tails, store, of, row.epoch, end, limits);
                let live = runtime.registry.enter(LiveRun::new(tenant, &row, journal, None));
                recovered.push((live, row));
            }
        }
    }
    runtime.missing.lock().retain(&seen);
    Ok(recovered)
}

async fn lost_runs(runtime: &Arc<Runtime>, tenant: TenantId) -> storage::Result<Vec<Row<Run>>> {
    let registry = runtime.registry.clone();
    let all = runtime.store.read(move |reader| {
        let mut found: Vec<Row<Run>> = Vec::new();
        let mut scan = Scan::index("live").limit(PAGE);
        loop {
            let page = reader.scan_each::<Run>(tenant, scan)?;
            let readable = |row| isolated(TASK, format_args!("tenant {}", tenant.0), row);
            found.extend(page.items.into_iter().filter_map(readable));
            match page.next {
                Some(next) => scan = Scan::index("live").limit(PAGE).after(next),
                None => return Ok::<_, storage::Error>(found),
            }
        }
    });
    Ok(all.await?.into_iter().filter(|row| !registry.holds(row.id)).collect())
}

/// Gives runs their next epoch, which locks all earlier ones out. Where one of them cannot have it, the others get
/// theirs one by one.
async fn advance(runtime: &Arc<Runtime>, tenant: TenantId, runs: &[Row<Run>]) -> Vec<(Row<Run>, u64)> {
    let ids: Vec<Uuid> = runs.iter().map(|row| row.id).collect();
    match advance_all(runtime, tenant, ids.clone()).await {
        Ok(advanced) => return advanced,
        Err(why @ storage::Error::Full) => {
            // A later sweep takes them up, once space is freed.
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

fn advance_one(tx: &mut storage::Tx, tenant: TenantId, id: Uuid) -> storage::Result<Option<Row<Run>>> {
    let Some(mut row) = tx.get::<Run>(tenant, &id)? else { return Ok(None) };
    if row.state.is_terminal() {
        return Ok(None);
    }
    row.epoch += 1;
    // What only waited cannot have been what took the process down.
    if !matches!(row.state, RunState::Queued | RunState::Waiting | RunState::Paused) {
        row.crashes += 1;
    }
    journal::set_epoch(tx.batch(), tenant, id, row.epoch);
    tx.update(tenant, row).map(Some)
}

/// Gives one run of this process its next epoch, for a fresh actor on the same journal, so that
/// its readers stay. None when it has ended.
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
