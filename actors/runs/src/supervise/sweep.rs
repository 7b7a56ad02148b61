//! Periodic maintenance: recovers runs without an actor, and removes expired records.

use std::sync::Arc;
use std::time::Duration;

use storage::records::{IdempotencyKey, Run, RunInput, RunKind, Upload, VideoJob};
use storage::{Record, Row, Scan, TenantId, Timestamp, Tx, isolated};

use super::recovery;
use super::runs::Runs;
use super::runtime::Runtime;

/// Number of records that one transaction removes.
const BATCH: usize = 100;
/// Label under which failures of this task are counted.
const TASK: &str = "expiry";

/// Performs one sweep. `fresh` has the meaning given at [`recovery::recover`].
pub(super) async fn sweep(runs: &Runs, fresh: Option<Duration>) {
    let recovered = recovery::recover(runs, fresh).await;
    if let Some(count @ 1..) = noted("lost_runs", "runs without an actor could not be looked for", recovered)
    {
        tracing::info!(runs = count, "taking up runs that were live");
    }
    let looked = recovery::count_unloaded(&runs.runtime).await;
    noted("unloaded_runs", "unloaded runs could not be looked at", looked);
    let expired = expire(&runs.runtime).await;
    noted("expired_runs", "expired records could not be removed", expired);
}

/// Returns the result of one part of a sweep. A failure is logged and counted.
fn noted<T>(sweep: &'static str, what: &str, result: storage::Result<T>) -> Option<T> {
    result
        .inspect_err(|why| {
            telemetry::metrics::table::SWEEP_FAILURES.add([sweep], 1);
            tracing::warn!(%why, "{what}");
        })
        .ok()
}

async fn expire(runtime: &Arc<Runtime>) -> storage::Result<()> {
    let tenants: Vec<TenantId> = runtime.store.read(|reader| reader.tenants()).await?;
    for tenant in tenants {
        let expired = expire_in(runtime, tenant).await;
        isolated(TASK, format_args!("tenant {}", tenant.0), expired);
    }
    Ok(())
}

async fn expire_in(runtime: &Arc<Runtime>, tenant: TenantId) -> storage::Result<()> {
    while runtime.store.run(move |tx| expire_some(tx, tenant, Timestamp::now())).await? {}
    Ok(())
}

/// Removes some expired records. Returns true if there may be more.
fn expire_some(tx: &mut Tx, tenant: TenantId, now: Timestamp) -> storage::Result<bool> {
    let runs = expired::<Run>(tx, tenant, now, |run| run.expires_at)?;
    let more = runs.len() == BATCH;
    for mut run in runs {
        if run.kind == RunKind::Completion && run.conversation_id.is_none() {
            // No user can reach the run any more: it belongs to no conversation.
            tx.drop_run(tenant, run.id)?;
            tx.delete::<RunInput>(tenant, &run.id)?;
            tx.delete::<Run>(tenant, &run.id)?;
            continue;
        }
        tx.drop_journal(tenant, run.id)?;
        run.journal_expired = true;
        tx.update(tenant, run)?;
    }
    let keys = expired::<IdempotencyKey>(tx, tenant, now, |key| Some(key.expires_at))?;
    let more = more || keys.len() == BATCH;
    for key in keys {
        tx.delete::<IdempotencyKey>(tenant, &key.id)?;
    }
    let uploads = expired::<Upload>(tx, tenant, now, |upload| Some(upload.expires_at))?;
    let more = more || uploads.len() == BATCH;
    for upload in uploads {
        tx.delete::<Upload>(tenant, &upload.id)?;
    }
    let videos = expired::<VideoJob>(tx, tenant, now, |job| job.expires_at)?;
    let more = more || videos.len() == BATCH;
    for mut video in videos {
        // The job remains; its file is no longer referenced.
        video.result = None;
        tx.update(tenant, video)?;
    }
    Ok(more)
}

/// Returns the first expired rows of a record type, by its index `by_expiry`. Rows that cannot be read are skipped.
/// Rows that expire during the scan are left to the next sweep.
fn expired<T: Record>(
    tx: &mut Tx,
    tenant: TenantId,
    now: Timestamp,
    expires_at: impl Fn(&T) -> Option<Timestamp>,
) -> storage::Result<Vec<Row<T>>> {
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let scan = Scan::index("by_expiry").limit(BATCH).after(after.take()).allow_phantoms();
        let page = tx.scan_each::<T>(tenant, scan)?;
        for row in page.items {
            let Some(row) = isolated(TASK, format_args!("tenant {}", tenant.0), row) else { continue };
            if expires_at(&row.body).is_none_or(|at| at > now) || found.len() == BATCH {
                return Ok(found);
            }
            found.push(row);
        }
        after = page.next;
        if after.is_none() || found.len() == BATCH {
            return Ok(found);
        }
    }
}
