//! The door to directories, for the application.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use domain::groups::with_run_state;
use parking_lot::Mutex;
use runs::{Runs, StartError};
use storage::records::GroupSync;
use storage::{Reader, Row, Store, TenantId, Timestamp};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::DirectoriesConfig;
use super::start::{self, By, SyncAsk, SyncStartError};
use crate::automation::Clock;

/// Directories, their lists of groups and the runs that synchronise with them. Cheap to clone.
#[derive(Clone)]
pub struct Directories(Arc<Inner>);

struct Inner {
    runs: Runs,
    clock: Arc<dyn Clock>,
    config: DirectoriesConfig,
    stopped: CancellationToken,
    /// Tenants whose list of groups is being fetched.
    refreshing: Mutex<HashSet<TenantId>>,
}

/// That a tenant's list of groups is being fetched, for as long as this is held.
pub(super) struct Fetching {
    of: Directories,
    tenant: TenantId,
}

impl Drop for Fetching {
    fn drop(&mut self) {
        self.of.0.refreshing.lock().remove(&self.tenant);
    }
}

impl Directories {
    /// Opens the door, and looks from then on for synchronisations that are due. Must be called within a runtime.
    pub fn start(runs: Runs, clock: Arc<dyn Clock>, config: DirectoriesConfig) -> Self {
        let (stopped, refreshing) = (CancellationToken::new(), Mutex::default());
        let directories = Self(Arc::new(Inner { runs, clock, config, stopped, refreshing }));
        tasks::spawn(directories.clone().run());
        directories
    }

    /// Starts nothing any more.
    pub fn stop(&self) {
        self.0.stopped.cancel();
    }

    pub(super) async fn stopped(&self) {
        self.0.stopped.cancelled().await;
    }

    pub(super) fn runs(&self) -> &Runs {
        &self.0.runs
    }

    pub(super) fn store(&self) -> &Store {
        self.0.runs.store()
    }

    pub(super) fn config(&self) -> DirectoriesConfig {
        self.0.config
    }

    pub(super) fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    /// Reserves fetching a tenant's list of groups; none where another task is fetching it.
    pub(super) fn fetching(&self, tenant: TenantId) -> Option<Fetching> {
        let free = self.0.refreshing.lock().insert(tenant);
        free.then(|| Fetching { of: self.clone(), tenant })
    }

    /// Starts a synchronisation. When this returns, it is durable.
    ///
    /// # Errors
    /// Why it is refused.
    pub async fn sync(
        &self,
        tenant: TenantId,
        user: Uuid,
        token_id: Option<Uuid>,
        ask: SyncAsk,
    ) -> Result<Row<GroupSync>, SyncStartError> {
        let by = By::User { user, token_id };
        let started = start::start(self.runs(), tenant, by, ask).await?;
        // Only the clock asks for what is not due.
        started.ok_or(SyncStartError::Start(StartError::Busy))
    }

    /// A synchronisation as it stands: after its end, or after this time, whatever comes first. None where there is
    /// no such one.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn wait(
        &self,
        tenant: TenantId,
        sync: Uuid,
        patience: Duration,
    ) -> storage::Result<Option<Row<GroupSync>>> {
        if let Ok(mut cursor) = self.0.runs.attach(tenant, sync, 0).await {
            let over = async { while let Ok(Some(_)) = cursor.next().await {} };
            // Not yet is an answer, too.
            let _ = tokio::time::timeout(patience, over).await;
        }
        let read = move |reader: &Reader| {
            let row = reader.get::<GroupSync>(tenant, &sync)?;
            row.map(|row| with_run_state(reader, tenant, row)).transpose()
        };
        self.store().read(read).await
    }
}
