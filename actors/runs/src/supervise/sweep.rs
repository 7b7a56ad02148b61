//! What is looked after now and then: runs without an actor, and what has had its time.

use std::sync::Arc;

use storage::records::{IdempotencyKey, Run, RunInput, RunKind, Upload, VideoJob};
use storage::{Record, Row, Scan, TenantId, Timestamp, Tx, isolated};

use super::live::LiveRun;
use super::recovery;
use super::runtime::Runtime;

/// Records that one transaction removes.
const TOGETHER: usize = 100;
/// What a failure here is counted under.
const TASK: &str = "expiry";

/// One sweep. Returns the runs that have to be launched again.
pub(super) async fn sweep(runtime: &Arc<Runtime>) -> Vec<(Arc<LiveRun>, Row<Run>)> {
    if let Err(why) = expire(runtime).await {
        telemetry::metrics::table::SWEEP_FAILURES.add(["expired_runs"], 1);
        tracing::warn!(%why, "what has expired could not be removed");
    }
    match recovery::recover(runtime, runtime.config.fresh).await {
        Ok(lost) => lost,
        Err(why) => {
            telemetry::metrics::table::SWEEP_FAILURES.add(["lost_runs"], 1);
            tracing::warn!(%why, "runs without an actor could not be looked for");
            Vec::new()
        }
    }
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

/// Removes some of what has expired; true when there may be more.
fn expire_some(tx: &mut Tx, tenant: TenantId, now: Timestamp) -> storage::Result<bool> {
    let runs = expired::<Run>(tx, tenant, now, |run| run.expires_at)?;
    let more = runs.len() == TOGETHER;
    for mut run in runs {
        if run.kind == RunKind::Completion && run.conversation_id.is_none() {
            // No user can reach it any more: it stood in no conversation.
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
    let more = more || keys.len() == TOGETHER;
    for key in keys {
        tx.delete::<IdempotencyKey>(tenant, &key.id)?;
    }
    let uploads = expired::<Upload>(tx, tenant, now, |upload| Some(upload.expires_at))?;
    let more = more || uploads.len() == TOGETHER;
    for upload in uploads {
        tx.delete::<Upload>(tenant, &upload.id)?;
    }
    let videos = expired::<VideoJob>(tx, tenant, now, |job| job.expires_at)?;
    let more = more || videos.len() == TOGETHER;
    for mut video in videos {
        // The job stays; nothing claims its file any more.
        video.result = None;
        tx.update(tenant, video)?;
    }
    Ok(more)
}

/// The first of a record that have expired, by its index `by_expiry`. Rows that cannot be read are passed over; what
/// expires while this is looked at is for the next sweep.
fn expired<T: Record>(
    tx: &mut Tx,
    tenant: TenantId,
    now: Timestamp,
    expires_at: impl Fn(&T) -> Option<Timestamp>,
) -> storage::Result<Vec<Row<T>>> {
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let scan = Scan::index("by_expiry").limit(TOGETHER).after(after.take()).allow_phantoms();
        let page = tx.scan_each::<T>(tenant, scan)?;
        for row in page.items {
            let Some(row) = isolated(TASK, format_args!("tenant {}", tenant.0), row) else { continue };
            if expires_at(&row.body).is_none_or(|at| at > now) || found.len() == TOGETHER {
                return Ok(found);
            }
            found.push(row);
        }
        after = page.next;
        if after.is_none() || found.len() == TOGETHER {
            return Ok(found);
        }
    }
}
