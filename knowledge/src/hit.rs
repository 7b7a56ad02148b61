//! Search results.

use uuid::Uuid;

/// A document in one generation of its index. To the indexes, a later generation is a different document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DocKey {
    /// The id of the document.
    pub document: Uuid,
    /// The generation of its index; each reindexing begins a new one.
    pub generation: u32,
}

/// A passage that was found by a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The document that contains the passage.
    pub document: DocKey,
    /// The index of the passage in the document, from 0.
    pub number: u32,
    /// The relevance; higher is better. Scores are comparable only within one list.
    pub score: f32,
}
