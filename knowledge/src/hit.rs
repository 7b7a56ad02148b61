//! What is found.

use uuid::Uuid;

/// A document as it was built once. A later building of it is another one to the indexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DocKey {
    /// The id of the document.
    pub document: Uuid,
    /// The generation of its index; each reindexing begins a new one.
    pub generation: u32,
}

/// A passage that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The document that was found.
    pub document: DocKey,
    /// The passage, counted from 0.
    pub number: u32,
    /// How well it fits; more is better, and only within one list.
    pub score: f32,
}
