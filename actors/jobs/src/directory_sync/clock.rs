//! Scheduled synchronisations. The due time follows from the directory's row and the history, so that a restart starts nothing
//! twice.

use std::time::Duration;

use storage::records::{DirectorySource, GroupSync};
use storage::{Reader, Row, TenantId, Timestamp, isolated};

use super::directories::Directories;
use super::start::{self, By, SyncAsk, SyncStartError};

/// Minimum interval between two scheduled synchronisations, in minutes.
pub const MIN_MINUTES: u32 = 15;
/// Maximum interval between two scheduled synchronisations, in minutes.
pub const MAX_MINUTES: u32 = 7 * 24 * 60;

/// Returns when the next synchronisation is due: one interval after the start of the previous one, however that was started, or
/// after the directory was configured.
pub(super) fn due(
    reader: &Reader,
    tenant: TenantId,
    source: &Row<DirectorySource>,
) -> storage::Result<Option<Timestamp>> {
    let Some(minutes) = source.every_minutes else { return Ok(None) };
    let last = source.sync.map(|id| reader.get::<GroupSync>(tenant, &id)).transpose()?.flatten();
    let since = last.map_or(source.set_at, |last| last.created_at.max(source.set_at));
    Ok(Some(since + Duration::from_secs(u64::from(minutes) * 60)))
}

impl Directories {
    /// Starts synchronisations that are due, until it is stopped.
    pub(super) async fn run(self) {
        loop {
            let looked = tasks::spawn(self.clone().look_for_due()).await;
            if let Err(why) = looked {
                telemetry::metrics::table::SWEEP_FAILURES.add(["directories_due"], 1);
                tracing::error!(%why, "the search for due synchronisations failed");
            }
            let rest = tokio::time::timeout(self.config().sweep_every, self.stopped());
            if rest.await.is_ok() {
                return;
            }
        }
    }

    async fn look_for_due(self) {
        let now = self.now();
        let tenants = self.store().read(move |reader| due_tenants(reader, now)).await;
        let tenants = tenants.unwrap_or_else(|why: storage::Error| {
            telemetry::metrics::table::SWEEP_FAILURES.add(["directories_due"], 1);
            tracing::warn!(%why, "due synchronisations could not be read");
            Vec::new()
        });
        for tenant in tenants {
            match start::start(self.runs(), tenant, By::Clock(now), SyncAsk::default()).await {
                Ok(_) | Err(SyncStartError::Running(_) | SyncStartError::NoDirectory) => {}
                Err(why) => {
                    tracing::warn!(%tenant, %why, "a due synchronisation could not be started")
                }
            }
        }
    }
}

fn due_tenants(reader: &Reader, now: Timestamp) -> storage::Result<Vec<TenantId>> {
    let due_of = |tenant: TenantId| {
        let source = reader.get::<DirectorySource>(tenant, &tenant.0)?;
        Ok::<_, storage::Error>(source.map(|source| due(reader, tenant, &source)).transpose()?.flatten())
    };
    let is_due = |tenant: &TenantId| {
        let due = isolated("directory_sync", format_args!("tenant {}", tenant.0), due_of(*tenant));
        due.flatten().is_some_and(|due| due <= now)
    };
    Ok(reader.tenants()?.into_iter().filter(is_due).collect())
}
