//! The contents of documents: reading files, embedding texts, and finding passages.
//!
//! Storage is authoritative: documents, passages and vectors are records. The full-text index and the vectors in memory
//! are derived from them, and every search result is checked against the records before it is returned, so that deleted
//! documents disappear immediately.

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

/// Settings of a library.
pub struct LibraryConfig {
    /// How files are read.
    pub extractor: ExtractorConfig,
    /// Folder of the full-text indexes, which can be rebuilt.
    pub index_dir: PathBuf,
    /// Memory for vectors in bytes.
    pub vector_bytes: usize,
    /// Maximum size of a web page in bytes.
    pub link_bytes: u64,
}

/// Access to documents and their contents. Cheap to clone.
#[derive(Clone)]
pub struct Library(Arc<Inner>);

struct Inner {
    store: Store,
    models: Arc<Models>,
    extractor: Extractor,
    lexical: Lexical,
    vectors: CachedVectors,
    link_bytes: u64,
    /// Cache of recently read files.
    lately: RecentFiles,
    /// Reports full-text indexes that were damaged and replaced by empty ones.
    losses: Mutex<broadcast::Receiver<Uuid>>,
    /// Tenants whose full-text index has been reconciled with storage since the start.
    checked: Mutex<HashMap<TenantId, Arc<OnceCell<()>>>>,
}

impl Library {
    /// Creates a library on top of a store. Nothing is read before it is needed.
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

    /// Maximum size of a web page that is accepted, in bytes.
    pub fn link_bytes(&self) -> u64 {
        self.0.link_bytes
    }

    /// Removes documents from the indexes after their rows were deleted. A failure is harmless: documents without a row
    /// are not returned, and the next start removes them from the indexes.
    pub async fn forget(&self, tenant: TenantId, base: Uuid, removed: Vec<DocKey>) {
        if removed.is_empty() {
            return;
        }
        self.0.vectors.remove(base, &removed);
        let changes = removed.into_iter().map(Change::Remove).collect();
        if let Err(why) = self.0.lexical.apply(tenant.0, changes).await {
            tracing::warn!(%why, "deleted documents could not be removed from the full-text index");
        }
    }

    /// Performs [`forget`](Self::forget) for a whole base.
    pub async fn forget_base(&self, tenant: TenantId, base: Uuid, removed: Vec<DocKey>) {
        self.0.vectors.forget(base);
        self.forget(tenant, base, removed).await;
    }

    /// Updates the vectors in memory with the current ones of a document.
    pub async fn refresh_vectors(&self, tenant: TenantId, document: &Row<Document>) {
        if let Err(why) = self.0.vectors.add(&self.0.store, tenant, document).await {
            // The vectors in memory lack the document, so they are dropped and read from storage the next time.
            tracing::warn!(%why, "vectors could not be read");
            self.0.vectors.forget(document.id.0);
        }
    }
}

/// Converts pairs of document ID and generation to index keys.
pub fn doc_keys(pairs: impl IntoIterator<Item = (Uuid, u32)>) -> Vec<DocKey> {
    pairs.into_iter().map(|(document, generation)| DocKey { document, generation }).collect()
}
