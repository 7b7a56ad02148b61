//! The word index: one for each tenant, in a folder of its own. The indexed data is also stored elsewhere. If an index
//! is lost or damaged, it is recreated, and its owner indexes everything again.

mod folder;
mod read;
mod schema;
mod tenant;
mod words;
mod write;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::broadcast;
use uuid::Uuid;

use crate::hit::{DocKey, Hit};
use folder::Open;
use tenant::Tenant;

/// The number of losses that are buffered for a slow receiver.
const LOSSES: usize = 256;

/// The indexes of all tenants. Cheap to clone. An index is opened on first use, by one process at a time.
#[derive(Clone)]
pub struct Lexical {
    shared: Arc<Shared>,
}

struct Shared {
    dir: PathBuf,
    tenants: Mutex<HashMap<Uuid, Arc<Tenant>>>,
    losses: broadcast::Sender<Uuid>,
}

/// A passage to be indexed.
#[derive(Clone, Debug)]
pub struct Passage {
    /// The passage's number in its document, from 0.
    pub number: u32,
    /// The title of the document and the headings above the passage.
    pub headings: String,
    /// The text to be indexed.
    pub text: String,
}

/// A change to an index.
#[derive(Clone, Debug)]
pub enum Change {
    /// Adds passages of a document.
    Add {
        /// The knowledge base of the document.
        base: Uuid,
        /// The document to be added.
        document: DocKey,
        /// The passages to be added.
        passages: Vec<Passage>,
    },
    /// Removes all passages of one generation of a document.
    Remove(DocKey),
}

/// A search for words.
#[derive(Clone, Debug)]
pub struct LexicalQuery {
    /// The words to search for; the text has no query syntax.
    pub text: String,
    /// The knowledge bases to be searched.
    pub bases: Vec<Uuid>,
    /// The maximum number of hits.
    pub limit: usize,
}

/// Why an index cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
#[error("word index: {0}")]
pub struct IndexError(pub String);

/// Converts an error of an underlying layer.
fn fault(error: impl std::fmt::Display) -> IndexError {
    IndexError(error.to_string())
}

impl Lexical {
    /// Creates the indexes in this folder, which need not exist yet.
    pub fn new(dir: PathBuf) -> Self {
        let shared = Shared { dir, tenants: Mutex::default(), losses: broadcast::channel(LOSSES).0 };
        Self { shared: Arc::new(shared) }
    }

    /// Returns a receiver of the tenants whose index was recreated because it was damaged or had another format, so
    /// that all documents of the tenant have to be indexed again. This happens when an index is first opened, or when a
    /// search fails.
    pub fn losses(&self) -> broadcast::Receiver<Uuid> {
        self.shared.losses.subscribe()
    }

    /// Applies changes atomically. When this method returns, searches see the changes, and they survive a crash.
    /// Concurrent changes share a commit, and fail together. A passage that is already indexed remains unchanged, so
    /// that changes can be repeated if it is unknown whether they were applied. Changes are applied even if the caller
    /// drops the future.
    ///
    /// # Errors
    /// The disk fails, or another process has the index open.
    pub async fn apply(&self, tenant: Uuid, changes: Vec<Change>) -> Result<(), IndexError> {
        if changes.is_empty() {
            return Ok(());
        }
        let (slot, open) = self.open(tenant).await?;
        Arc::clone(&slot).apply(open, changes).await.inspect_err(|_| self.put_away(tenant, &slot))
    }

    /// Returns the passages that share the most and rarest words with the question, from best to worst (BM25 over all
    /// of the tenant's passages). Returns no passages if the question contains no words.
    ///
    /// # Errors
    /// The disk fails. A damaged index is checked and recreated by the next call.
    pub async fn search(&self, tenant: Uuid, query: LexicalQuery) -> Result<Vec<Hit>, IndexError> {
        self.read(tenant, move |open| read::search(open, &query)).await
    }

    /// Returns the indexed documents with the number of their passages.
    ///
    /// # Errors
    /// The same as for [`Lexical::search`].
    pub async fn documents(&self, tenant: Uuid) -> Result<HashMap<DocKey, u32>, IndexError> {
        self.read(tenant, read::documents).await
    }

    async fn read<T: Send + 'static>(
        &self,
        tenant: Uuid,
        work: impl FnOnce(&Open) -> tantivy::Result<T> + Send + 'static,
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

    async fn open(&self, tenant: Uuid) -> Result<(Arc<Tenant>, Arc<Open>), IndexError> {
        let slot = {
            let folder = || self.shared.dir.join(tenant.to_string());
            let mut tenants = self.shared.tenants.lock();
            Arc::clone(tenants.entry(tenant).or_insert_with(|| Arc::new(Tenant::new(folder()))))
        };
        let lost = || {
            // An error means that there is no receiver.
            let _ = self.shared.losses.send(tenant);
        };
        let open = slot.open(lost).await?;
        Ok((slot, open))
    }

    /// If this index was given up, the next call opens it again.
    fn put_away(&self, tenant: Uuid, slot: &Arc<Tenant>) {
        let mut tenants = self.shared.tenants.lock();
        if slot.is_given_up() && tenants.get(&tenant).is_some_and(|current| Arc::ptr_eq(current, slot)) {
            tenants.remove(&tenant);
        }
    }
}
