//! Word indexes on disk: one for each tenant, in a folder of its own. The indexed data is also stored elsewhere. If an
//! index is lost or damaged, it is recreated, and its owner indexes everything again.

mod folder;
mod tenant;
pub(crate) mod words;
mod write;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use tantivy::IndexWriter;
use tantivy::schema::Schema;
use tokio::sync::broadcast;
use uuid::Uuid;

pub(crate) use folder::Open;
use tenant::Tenant;

/// The number of losses that are buffered for a slow receiver.
const LOSSES: usize = 256;

/// Why an index cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
#[error("word index: {0}")]
pub struct IndexError(pub String);

/// Converts an error of an underlying layer.
fn fault(error: impl std::fmt::Display) -> IndexError {
    IndexError(error.to_string())
}

/// What an index contains, and how changes are written to it.
pub(crate) trait Layout: Sized + Send + Sync + 'static {
    /// The version of the index format. Increment it with every change of the fields or of the tokenization; an index
    /// with another version is recreated.
    const FORM: u32;
    type Fields: Copy + Send + Sync;
    type Change: Send + Sync + 'static;

    fn schema() -> (Schema, Self::Fields);

    /// Passes changes to the writer, without a commit. Returns whether anything has to be committed.
    fn write(open: &Open<Self>, writer: &IndexWriter, changes: &[Self::Change]) -> tantivy::Result<bool>;
}

/// The indexes of all tenants. Cheap to clone. An index is opened on first use, by one process at a time.
pub(crate) struct WordIndexes<L: Layout> {
    shared: Arc<Shared<L>>,
}

impl<L: Layout> Clone for WordIndexes<L> {
    fn clone(&self) -> Self {
        Self { shared: self.shared.clone() }
    }
}

struct Shared<L: Layout> {
    dir: PathBuf,
    tenants: Mutex<HashMap<Uuid, Arc<Tenant<L>>>>,
    losses: broadcast::Sender<Uuid>,
}

impl<L: Layout> WordIndexes<L> {
    /// Creates the indexes in this folder, which need not exist yet.
    pub fn new(dir: PathBuf) -> Self {
        let shared = Shared { dir, tenants: Mutex::default(), losses: broadcast::channel(LOSSES).0 };
        Self { shared: Arc::new(shared) }
    }

    /// Returns a receiver of the tenants whose index was recreated because it was damaged or had another format.
    pub fn losses(&self) -> broadcast::Receiver<Uuid> {
        self.shared.losses.subscribe()
    }

    /// The folder of a tenant's index.
    pub fn folder(&self, tenant: Uuid) -> PathBuf {
        self.shared.dir.join(tenant.to_string())
    }

    /// Applies changes atomically. When this method returns, searches see the changes, and they survive a crash.
    /// Concurrent changes share a commit, and fail together. Changes are applied even if the caller drops the future.
    pub async fn apply(&self, tenant: Uuid, changes: Vec<L::Change>) -> Result<(), IndexError> {
        if changes.is_empty() {
            return Ok(());
        }
        let (slot, open) = self.open(tenant).await?;
        Arc::clone(&slot).apply(open, changes).await.inspect_err(|_| self.put_away(tenant, &slot))
    }

    /// Reads an index on a thread that may block. A damaged index is checked and recreated by the next call.
    pub async fn read<T: Send + 'static>(
        &self,
        tenant: Uuid,
        work: impl FnOnce(&Open<L>) -> tantivy::Result<T> + Send + 'static,
    ) -> Result<T, IndexError> {
        let (slot, open) = self.open(tenant).await?;
        let read = tasks::blocking(move || work(&open)).await;
        let result = read.map_err(fault).and_then(|read| read.map_err(fault));
        if result.is_err() {
            slot.give_up().await;
            self.put_away(tenant, &slot);
        }
        result
    }

    async fn open(&self, tenant: Uuid) -> Result<(Arc<Tenant<L>>, Arc<Open<L>>), IndexError> {
        let slot = {
            let mut tenants = self.shared.tenants.lock();
            Arc::clone(tenants.entry(tenant).or_insert_with(|| Arc::new(Tenant::new(self.folder(tenant)))))
        };
        let lost = || {
            // An error means that there is no receiver.
            let _ = self.shared.losses.send(tenant);
        };
        let open = slot.open(lost).await?;
        Ok((slot, open))
    }

    /// If this index was given up, the next call opens it again.
    fn put_away(&self, tenant: Uuid, slot: &Arc<Tenant<L>>) {
        let mut tenants = self.shared.tenants.lock();
        if slot.is_given_up() && tenants.get(&tenant).is_some_and(|current| Arc::ptr_eq(current, slot)) {
            tenants.remove(&tenant);
        }
    }
}
