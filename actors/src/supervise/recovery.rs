//! Runs that lost their actor: at boot, all that were live when the process went down.

use std::sync::Arc;

use storage::records::{Run, RunState, Tenant};
use storage::{Row, Scan, TenantId, journal};

use super::Stage;
use super::live::LiveRun;
use crate::journal::RunJournal;

/// Runs that get their next epoch in one transaction.
const TOGETHER: usize = 128;

/// Finds every run that is live by its record and in no registry, and gives each its next epoch.
/// `older_than` leaves out runs that were accepted after it: their starter is about to launch
/// them.
pub(super) async fn recover(
    stage: &Arc<Stage>,
    older_than: storage::Timestamp,
) -> storage::Result<Vec<(Arc<LiveRun>, Row<Run>)>> {
    let tenants: Vec<TenantId> = stage.store.read(tenants).await?;
    let mut recovered = Vec::new();
    for tenant in tenants {
        let lost = lost_runs(stage, tenant, older_than).await?;
        for group in lost.chunks(TOGETHER) {
            for (row, end) in advance(stage, tenant, group.to_vec()).await? {
                let (store, limits) = (stage.store.clone(), stage.config.journal);
                let journal = RunJournal::open(store, tenant, row.id, row.epoch, end, limits);
                let live = stage.registry.enter(LiveRun::new(tenant, &row, journal));
                recovered.push((live, row));
            }
        }
    }
    Ok(recovered)
}

fn tenants(reader: &storage::Reader) -> storage::Result<Vec<TenantId>> {
    let mut found = Vec::new();
    let mut scan = Scan::table().limit(200);
    loop {
        let page = reader.scan::<Tenant>(TenantId::SYSTEM, scan)?;
        found.extend(page.items.iter().map(|row| TenantId(row.id)));
        match page.next {
            Some(next) => scan = Scan::table().limit(200).after(next),
            None => return Ok(found),
        }
    }
}

async fn lost_runs(
    stage: &Arc<Stage>,
    tenant: TenantId,
    older_than: storage::Timestamp,
) -> storage::Result<Vec<Row<Run>>> {
    let registry = stage.registry.clone();
    let all = stage.store.read(move |reader| {
        let mut found: Vec<Row<Run>> = Vec::new();
        let mut scan = Scan::index("live").limit(1000);
        loop {
            let page = reader.scan::<Run>(tenant, scan)?;
            found.extend(page.items);
            match page.next {
                Some(next) => scan = Scan::index("live").limit(1000).after(next),
                None => return Ok::<_, storage::Error>(found),
            }
        }
    });
    let lost = |row: &Row<Run>| !registry.holds(row.id) && row.created_at <= older_than;
    Ok(all.await?.into_iter().filter(lost).collect())
}

/// Gives runs their next epoch, which locks all earlier ones out.
async fn advance(
    stage: &Arc<Stage>,
    tenant: TenantId,
    runs: Vec<Row<Run>>,
) -> storage::Result<Vec<(Row<Run>, u64)>> {
    stage
        .store
        .run(move |tx| {
            let mut advanced = Vec::with_capacity(runs.len());
            for row in &runs {
                if let Some(row) = advance_one(tx, tenant, row.id)? {
                    let end = tx.journal_end(tenant, row.id)?;
                    advanced.push((row, end));
                }
            }
            Ok(advanced)
        })
        .await
}

fn advance_one(tx: &mut storage::Tx, tenant: TenantId, id: uuid::Uuid) -> storage::Result<Option<Row<Run>>> {
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
pub(super) async fn next_epoch(stage: &Arc<Stage>, live: &Arc<LiveRun>) -> storage::Result<Option<Row<Run>>> {
    let (tenant, id) = (live.tenant, live.run);
    let row = stage.store.run(move |tx| advance_one(tx, tenant, id)).await?;
    if let Some(row) = &row {
        live.journal.begin_epoch(row.epoch).await;
    }
    Ok(row)
}
