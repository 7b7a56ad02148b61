//! What documents say: reading files, embedding texts, and finding passages.
//!
//! Storage is the truth: documents, passages and vectors are records. The index of words and the
//! vectors in memory are made from them, and whatever is found is held against the records before it is
//! told, so that what was deleted is gone at once.

mod bases;
mod cached_vectors;
mod check;
mod embed;
mod read;
mod recent_files;
mod search;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use knowledge::{Change, DocKey, Extractor, ExtractorConfig, Lexical};
use parking_lot::Mutex;
use providers::Models;
use storage::records::Document;
use storage::{Row, Store, TenantId};
use tokio::sync::{OnceCell, broadcast};
use uuid::Uuid;

pub use bases::{bases_of, closed_to};
pub use embed::{EmbedError, Vectors};
pub use read::ReadError;
pub use search::{ScoredSource, Search, SearchError, SearchMode, SearchResult};

use cached_vectors::CachedVectors;
pub use cached_vectors::pack;
use recent_files::RecentFiles;

/// What a library is made of.
pub struct LibraryConfig {
    /// How files are read.
    pub extractor: ExtractorConfig,
    /// The folder of the full-text indexes; they can be rebuilt.
    pub index_dir: PathBuf,
    /// Memory for vectors, in bytes.
    pub vector_bytes: usize,
    /// The largest page of the web, in bytes.
    pub link_bytes: u64,
}

/// Documents, and what can be done with what they say. Cheap to clone.
#[derive(Clone)]
pub struct Library(Arc<Inner>);

struct Inner {
    store: Store,
    models: Arc<Models>,
    extractor: Extractor,
    lexical: Lexical,
    vectors: CachedVectors,
    link_bytes: u64,
    /// Files that were read lately.
    lately: RecentFiles,
    /// Reports full-text indexes that were damaged and replaced by empty ones.
    losses: Mutex<broadcast::Receiver<Uuid>>,
    /// Tenants whose index of words has been held against storage since the start.
    checked: Mutex<HashMap<TenantId, Arc<OnceCell<()>>>>,
}

impl Library {
    /// A library over what is stored. Nothing is read before it is needed.
    pub fn new(store: Store, models: Arc<Models>, config: LibraryConfig) -> Self {
        let lexical = Lexical::new(config.index_dir);
        Self(Arc::new(Inner {
            store,
            models,
            extractor: Extractor::new(config.extractor),
            losses: Mutex::new(lexical.losses()),
            lexical,
            vectors: CachedVectors::new(config.vector_bytes),
            link_bytes: config.link_bytes,
            lately: RecentFiles::default(),
            checked: Mutex::default(),
        }))
    }

    /// The largest page of the web that is taken, in bytes.
    pub fn link_bytes(&self) -> u64 {
        self.0.link_bytes
    }

    /// Takes documents out of the indexes, after their rows are gone. Nothing is lost where that
    /// fails: what has no row is not found, and the next start takes it out.
    pub async fn forget(&self, tenant: TenantId, base: Uuid, gone: Vec<DocKey>) {
        if gone.is_empty() {
            return;
        }
        self.0.vectors.remove(base, &gone);
        let changes = gone.into_iter().map(Change::Remove).collect();
        if let Err(why) = self.0.lexical.apply(tenant.0, changes).await {
            tracing::warn!(%why, "documents that are gone could not be taken out of the index of words");
        }
    }

    /// [`forget`](Self::forget) of a whole base.
    pub async fn forget_base(&self, tenant: TenantId, base: Uuid, gone: Vec<DocKey>) {
        self.0.vectors.forget(base);
        self.forget(tenant, base, gone).await;
    }

    /// Lets the vectors in memory know what is found of a document now.
    pub async fn refresh_vectors(&self, tenant: TenantId, document: &Row<Document>) {
        if let Err(why) = self.0.vectors.add(&self.0.store, tenant, document).await {
            // What is in memory lacks the document; it is read from storage the next time.
            tracing::warn!(%why, "vectors could not be read");
            self.0.vectors.forget(document.id.0);
        }
    }
}

/// Documents as indexes know them.
pub fn doc_keys(pairs: impl IntoIterator<Item = (Uuid, u32)>) -> Vec<DocKey> {
    pairs.into_iter().map(|(document, generation)| DocKey { document, generation }).collect()
}
