//! The application's entry point to directories.

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

/// Handle to directories, their lists of groups, and synchronisation runs. Cheap to clone.
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

/// Marks a tenant's list of groups as being fetched, until this value is dropped.
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
    /// Creates the handle, and starts the scheduler of synchronisations. Must be called within a Tokio runtime.
    pub fn start(runs: Runs, clock: Arc<dyn Clock>, config: DirectoriesConfig) -> Self {
        let (stopped, refreshing) = (CancellationToken::new(), Mutex::default());
        let directories = Self(Arc::new(Inner { runs, clock, config, stopped, refreshing }));
        tasks::spawn(directories.clone().run());
        directories
    }

    /// Stops the scheduler. No further synchronisations are started.
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

    /// Reserves the fetch of a tenant's list of groups. Returns `None` if another task is fetching it.
    pub(super) fn fetching(&self, tenant: TenantId) -> Option<Fetching> {
        let free = self.0.refreshing.lock().insert(tenant);
        free.then(|| Fetching { of: self.clone(), tenant })
    }

    /// Starts a synchronisation. When this function returns, the synchronisation is durable.
    ///
    /// # Errors
    /// Returns the reason why the synchronisation was refused.
    pub async fn sync(
        &self,
        tenant: TenantId,
        user: Uuid,
        token_id: Option<Uuid>,
        ask: SyncAsk,
    ) -> Result<Row<GroupSync>, SyncStartError> {
        let by = By::User { user, token_id };
        let started = start::start(self.runs(), tenant, by, ask).await?;
        // Only a scheduled start returns `None`, if the synchronisation is not due.
        started.ok_or(SyncStartError::Start(StartError::Busy))
    }

    /// Returns the state of a synchronisation once it has ended or `patience` has elapsed, whichever comes first. Returns `None`
    /// if the synchronisation does not exist.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn wait(
        &self,
        tenant: TenantId,
        sync: Uuid,
        patience: Duration,
    ) -> storage::Result<Option<Row<GroupSync>>> {
        if let Ok(mut cursor) = self.0.runs.attach(tenant, sync, 0).await {
            let over = async { while let Ok(Some(_)) = cursor.next().await {} };
            // A timeout is not an error: the state is returned as it is.
            let _ = tokio::time::timeout(patience, over).await;
        }
        let read = move |reader: &Reader| {
            let row = reader.get::<GroupSync>(tenant, &sync)?;
            row.map(|row| with_run_state(reader, tenant, row)).transpose()
        };
        self.store().read(read).await
    }
}
