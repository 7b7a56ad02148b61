//! What the work of an epoch writes is refused once a later epoch has its run.

use std::ops::Deref;

use storage::{Error, Store, TenantId, Tx};
use uuid::Uuid;

/// The epoch of a run, as a condition on what its work writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fence {
    /// Whose run it is.
    pub tenant: TenantId,
    pub run: Uuid,
    /// The epoch that writes.
    pub epoch: u32,
}

impl Fence {
    /// Makes the transaction depend on the epoch.
    ///
    /// # Errors
    /// [`Error::Superseded`] if another epoch has the run, and those of the store.
    pub fn check(&self, tx: &Tx) -> storage::Result<()> {
        match tx.journal_epoch(self.tenant, self.run)? == Some(self.epoch) {
            true => Ok(()),
            false => Err(Error::Superseded),
        }
    }
}

/// The store as the work of one epoch uses it: every transaction depends on that epoch. What work does goes on for a
/// moment when its actor is gone, and must not change what the next epoch works on.
#[derive(Clone)]
pub struct EpochStore {
    store: Store,
    fence: Option<Fence>,
}

impl EpochStore {
    /// For the work of an epoch.
    pub fn new(store: Store, fence: Fence) -> Self {
        Self { store, fence: Some(fence) }
    }

    /// [`Store::run`] in this epoch.
    ///
    /// # Errors
    /// [`Error::Superseded`] if another epoch has the run, and those of [`Store::run`].
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

/// For those that are not the work of a run.
impl From<Store> for EpochStore {
    fn from(store: Store) -> Self {
        Self { store, fence: None }
    }
}
