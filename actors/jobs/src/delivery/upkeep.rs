//! What has had its time goes.

use std::time::Duration;

use storage::{TenantId, Timestamp, Tx, isolated, notices};

use super::Deliveries;

/// How often it is looked for.
const EACH: Duration = Duration::from_secs(60 * 60);
/// Notices that go in one transaction.
const TOGETHER: usize = 200;

impl Deliveries {
    /// Deletes old notices from time to time, until it is stopped.
    pub(super) async fn keep_tidy(self) {
        loop {
            match self.tidy(Timestamp::now()).await {
                Ok(0) => {}
                Ok(gone) => tracing::info!(gone, "deleted notifications that had had their time"),
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

    /// Deletes notices that are too old at a time; returns how many.
    async fn tidy(&self, now: Timestamp) -> storage::Result<usize> {
        let mut gone = 0;
        let tenants: Vec<TenantId> = self.store().read(|reader| reader.tenants()).await?;
        for tenant in tenants {
            let tidied = self.tidy_in(tenant, now).await;
            gone +=
                isolated("notice_expiry", format_args!("tenant {}", tenant.0), tidied).unwrap_or_default();
        }
        Ok(gone)
    }

    async fn tidy_in(&self, tenant: TenantId, now: Timestamp) -> storage::Result<usize> {
        let mut gone = 0;
        loop {
            let some = move |tx: &mut Tx| {
                let old = notices::outdated(tx, tenant, now, TOGETHER)?;
                for (user, id) in &old {
                    notices::remove(tx, tenant, *user, *id)?;
                }
                Ok::<_, storage::Error>(old.len())
            };
            let some = self.store().run(some).await?;
            gone += some;
            if some < TOGETHER {
                return Ok(gone);
            }
        }
    }
}
