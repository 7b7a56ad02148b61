//! What is looked after now and then: runs without an actor, and what has had its time.

use std::sync::Arc;

use storage::records::{IdempotencyKey, Run, RunInput, RunKind, Tenant, Upload, VideoJob};
use storage::{Record, Row, Scan, TenantId, Timestamp, Tx};

use super::Stage;
use super::live::LiveRun;
use super::recovery;

/// Records that one transaction removes.
const TOGETHER: usize = 100;

/// One sweep. Returns the runs that have to be launched again.
pub(super) async fn sweep(stage: &Arc<Stage>) -> Vec<(Arc<LiveRun>, Row<Run>)> {
    if let Err(why) = expire(stage).await {
        telemetry::metrics::table::SWEEP_FAILURES.add(["expired_runs"], 1);
        tracing::warn!(%why, "what has expired could not be removed");
    }
    let fresh = i64::try_from(stage.config.fresh.as_millis()).unwrap_or(i64::MAX);
    let before = Timestamp::from_millis(Timestamp::now().as_millis() - fresh);
    match recovery::recover(stage, before).await {
        Ok(lost) => lost,
        Err(why) => {
            telemetry::metrics::table::SWEEP_FAILURES.add(["lost_runs"], 1);
            tracing::warn!(%why, "runs without an actor could not be looked for");
            Vec::new()
        }
    }
}

async fn expire(stage: &Arc<Stage>) -> storage::Result<()> {
    let tenants = stage.store.read(|reader| {
        let page = reader.scan::<Tenant>(TenantId::SYSTEM, Scan::table().limit(10_000))?;
        Ok::<_, storage::Error>(page.items.iter().map(|row| TenantId(row.id)).collect::<Vec<_>>())
    });
    for tenant in tenants.await? {
        while stage.store.run(move |tx| expire_some(tx, tenant, Timestamp::now())).await? {}
    }
    Ok(())
}

/// Removes some of what has expired; true when there may be more.
fn expire_some(tx: &mut Tx, tenant: TenantId, now: Timestamp) -> storage::Result<bool> {
    let runs = expired::<Run>(tx, tenant, now, |run| run.expires_at)?;
    let more = runs.len() == TOGETHER;
    for mut run in runs {
        if run.kind == RunKind::Completion && run.conversation_id.is_none() {
            // Nobody can come upon it any more: it stood in no conversation.
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

/// The first of a record that have expired, by its index `by_expiry`.
fn expired<T: Record>(
    tx: &mut Tx,
    tenant: TenantId,
    now: Timestamp,
    expires_at: impl Fn(&T) -> Option<Timestamp>,
) -> storage::Result<Vec<Row<T>>> {
    let page = tx.scan::<T>(tenant, Scan::index("by_expiry").limit(TOGETHER))?;
    let due = |row: &Row<T>| expires_at(&row.body).is_some_and(|at| at <= now);
    Ok(page.items.into_iter().take_while(due).collect())
}
