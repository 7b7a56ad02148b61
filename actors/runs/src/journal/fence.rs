//! Rejects writes of an epoch's work once a later epoch owns the run.

use std::ops::Deref;

use storage::{Error, Store, TenantId, Tx};
use uuid::Uuid;

/// The epoch of a run, as a precondition of everything that its work writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fence {
    /// The tenant that owns the run.
    pub tenant: TenantId,
    pub run: Uuid,
    /// The epoch whose work writes.
    pub epoch: u32,
}

impl Fence {
    /// Makes the transaction depend on the epoch.
    ///
    /// # Errors
    /// [`Error::Superseded`] if another epoch owns the run, or the error of the store if the read fails.
    pub fn check(&self, tx: &Tx) -> storage::Result<()> {
        match tx.journal_epoch(self.tenant, self.run)? == Some(self.epoch) {
            true => Ok(()),
            false => Err(Error::Superseded),
        }
    }
}

/// The store as used by the work of one epoch: every transaction depends on that epoch. Work continues for a moment
/// after its actor has stopped, and must not change the data of the next epoch.
#[derive(Clone)]
pub struct EpochStore {
    store: Store,
    fence: Option<Fence>,
}

impl EpochStore {
    /// Creates the store for the work of one epoch.
    pub fn new(store: Store, fence: Fence) -> Self {
        Self { store, fence: Some(fence) }
    }

    /// Runs [`Store::run`] with the epoch as a precondition.
    ///
    /// # Errors
    /// [`Error::Superseded`] if another epoch owns the run, and the errors of [`Store::run`].
    pub async fn run<T, E>(&self, mut f: impl FnMut(&mut Tx) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let fence = self.fence;
        let fenced = move |tx: &mut Tx| {
            fence.map_or(Ok(()), |fence| fence.check(tx))?;
            f(tx)
        };
        self.store.run(fenced).await
    }
}

impl Deref for EpochStore {
    type Target = Store;

    fn deref(&self) -> &Store {
        &self.store
    }
}

/// A store without a fence, for callers that are not the work of a run.
impl From<Store> for EpochStore {
    fn from(store: Store) -> Self {
        Self { store, fence: None }
    }
}
