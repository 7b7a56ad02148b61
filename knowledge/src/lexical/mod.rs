//! The index of words: one for each tenant, in a folder of its own. What it holds is written down
//! elsewhere; where it is lost or damaged it is recreated, and its owner puts everything in again.

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

/// Losses that are told to someone who is slow to hear of them.
const LOSSES: usize = 256;

/// The indexes of all tenants. Cheap to clone. An index is opened when it is first needed, by one
/// process at a time.
#[derive(Clone)]
pub struct Lexical {
    shared: Arc<Shared>,
}

struct Shared {
    dir: PathBuf,
    tenants: Mutex<HashMap<Uuid, Arc<Tenant>>>,
    losses: broadcast::Sender<Uuid>,
}

/// A passage to be put in.
#[derive(Clone, Debug)]
pub struct Passage {
    /// The passage's number in its document, from 0.
    pub number: u32,
    /// The title of its document and the headings above it.
    pub headings: String,
    /// The text to be indexed.
    pub text: String,
}

/// A change to an index.
#[derive(Clone, Debug)]
pub enum Change {
    /// Puts passages of a document in.
    Add {
        /// The knowledge base of the document.
        base: Uuid,
        /// The document to be added.
        document: DocKey,
        /// The passages to be added.
        passages: Vec<Passage>,
    },
    /// Takes all passages of one building of a document out.
    Remove(DocKey),
}

/// A search for words.
#[derive(Clone, Debug)]
pub struct LexicalQuery {
    /// In the words of the query; none of it is syntax.
    pub text: String,
    /// The knowledge bases to be searched.
    pub bases: Vec<Uuid>,
    /// The greatest number of hits.
    pub limit: usize,
}

/// Why an index cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
#[error("word index: {0}")]
pub struct IndexError(pub String);

/// An error of what lies below.
fn fault(error: impl std::fmt::Display) -> IndexError {
    IndexError(error.to_string())
}

impl Lexical {
    /// The indexes in this folder, which need not exist yet.
    pub fn new(dir: PathBuf) -> Self {
        let shared = Shared { dir, tenants: Mutex::default(), losses: broadcast::channel(LOSSES).0 };
        Self { shared: Arc::new(shared) }
    }

    /// Registers a callback that receives each tenant whose index was damaged, or has another format, and was
    /// recreated, so that all its documents have to be indexed again. It happens when an index is first opened, and
    /// when a search fails.
    pub fn losses(&self) -> broadcast::Receiver<Uuid> {
        self.shared.losses.subscribe()
    }

    /// Makes changes, all or nothing. When this returns, searches see them and a crash does not
    /// undo them. Changes that come at once share a commit, and fail together. A passage that is in
    /// already stays as it is, so that changes can be made again by one who does not know whether
    /// they were made. They are made even if the caller goes away.
    ///
    /// # Errors
    /// The disk's, and that another process has the index open.
    pub async fn apply(&self, tenant: Uuid, changes: Vec<Change>) -> Result<(), IndexError> {
        if changes.is_empty() {
            return Ok(());
        }
        let (slot, open) = self.open(tenant).await?;
        Arc::clone(&slot).apply(open, changes).await.inspect_err(|_| self.put_away(tenant, &slot))
    }

    /// The best passages, the best first: those that share most and rarest words with the question
    /// (BM25, of all of the tenant's passages). None if the question has no words.
    ///
    /// # Errors
    /// The disk's. An index that is damaged is looked at again, and recreated, by the next call.
    pub async fn search(&self, tenant: Uuid, query: LexicalQuery) -> Result<Vec<Hit>, IndexError> {
        self.read(tenant, move |open| read::search(open, &query)).await
    }

    /// What the index holds: documents with the number of their passages.
    ///
    /// # Errors
    /// As of [`Lexical::search`].
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
            // An error means that the receiver is gone.
            let _ = self.shared.losses.send(tenant);
        };
        let open = slot.open(lost).await?;
        Ok((slot, open))
    }

    /// Lets the next call open the index again, if this one was given up.
    fn put_away(&self, tenant: Uuid, slot: &Arc<Tenant>) {
        let mut tenants = self.shared.tenants.lock();
        if slot.is_given_up() && tenants.get(&tenant).is_some_and(|current| Arc::ptr_eq(current, slot)) {
            tenants.remove(&tenant);
        }
    }
}
