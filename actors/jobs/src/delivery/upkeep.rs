//! Deletes notices that have reached their retention age.

use std::time::Duration;

use storage::{TenantId, Timestamp, Tx, isolated, notices};

use super::Deliveries;

/// The pause between two passes.
const EACH: Duration = Duration::from_secs(60 * 60);
/// Maximum number of notices that one transaction deletes.
const BATCH: usize = 200;

impl Deliveries {
    /// Deletes old notices periodically until the deliverer is stopped.
    pub(super) async fn delete_expired_notices(self) {
        loop {
            match self.tidy(Timestamp::now()).await {
                Ok(0) => {}
                Ok(removed) => tracing::info!(removed, "deleted expired notifications"),
                Err(why) => {
                    telemetry::metrics::table::SWEEP_FAILURES.add(["notifications"], 1);
                    tracing::warn!(%why, "old notifications could not be deleted");
                }
            }
            if tokio::time::timeout(EACH, self.0.stopped.cancelled()).await.is_ok() {
                return;
            }
        }
    }

    /// Deletes the notices that have expired at a time. Returns their number.
    async fn tidy(&self, now: Timestamp) -> storage::Result<usize> {
        let mut removed = 0;
        let tenants: Vec<TenantId> = self.store().read(|reader| reader.tenants()).await?;
        for tenant in tenants {
            let tidied = self.tidy_in(tenant, now).await;
            removed +=
                isolated("notice_expiry", format_args!("tenant {}", tenant.0), tidied).unwrap_or_default();
        }
        Ok(removed)
    }

    async fn tidy_in(&self, tenant: TenantId, now: Timestamp) -> storage::Result<usize> {
        let mut removed = 0;
        loop {
            let some = move |tx: &mut Tx| {
                let old = notices::outdated(tx, tenant, now, BATCH)?;
                for (user, id) in &old {
                    notices::remove(tx, tenant, *user, *id)?;
                }
                Ok::<_, storage::Error>(old.len())
            };
            let some = self.store().run(some).await?;
            removed += some;
            if some < BATCH {
                return Ok(removed);
            }
        }
    }
}
