//! The word index of the passages of documents: one for each tenant.

mod read;
mod schema;
mod write;

use std::collections::HashMap;
use std::path::PathBuf;

use tokio::sync::broadcast;
use uuid::Uuid;

use crate::hit::{DocKey, Hit};
use crate::word_index::{IndexError, WordIndexes};
use schema::Passages;

/// The indexes of all tenants. Cheap to clone. An index is opened on first use, by one process at a time.
#[derive(Clone)]
pub struct Lexical(WordIndexes<Passages>);

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

impl Lexical {
    /// Creates the indexes in this folder, which need not exist yet.
    pub fn new(dir: PathBuf) -> Self {
        Self(WordIndexes::new(dir))
    }

    /// Returns a receiver of the tenants whose index was recreated because it was damaged or had another format, so
    /// that all documents of the tenant have to be indexed again. This happens when an index is first opened, or when a
    /// search fails.
    pub fn losses(&self) -> broadcast::Receiver<Uuid> {
        self.0.losses()
    }

    /// Applies changes atomically. When this method returns, searches see the changes, and they survive a crash.
    /// Concurrent changes share a commit, and fail together. A passage that is already indexed remains unchanged, so
    /// that changes can be repeated if it is unknown whether they were applied. Changes are applied even if the caller
    /// drops the future.
    ///
    /// # Errors
    /// The disk fails, or another process has the index open.
    pub async fn apply(&self, tenant: Uuid, changes: Vec<Change>) -> Result<(), IndexError> {
        self.0.apply(tenant, changes).await
    }

    /// Returns the passages that share the most and rarest words with the question, from best to worst (BM25 over all
    /// of the tenant's passages). Returns no passages if the question contains no words.
    ///
    /// # Errors
    /// The disk fails. A damaged index is checked and recreated by the next call.
    pub async fn search(&self, tenant: Uuid, query: LexicalQuery) -> Result<Vec<Hit>, IndexError> {
        self.0.read(tenant, move |open| read::search(open, &query)).await
    }

    /// Returns the indexed documents with the number of their passages.
    ///
    /// # Errors
    /// The same as for [`Lexical::search`].
    pub async fn documents(&self, tenant: Uuid) -> Result<HashMap<DocKey, u32>, IndexError> {
        self.0.read(tenant, read::documents).await
    }
}
