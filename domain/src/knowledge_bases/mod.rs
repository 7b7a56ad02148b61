//! Knowledge bases: documents that assistants answer from.

pub mod access;
mod attach;
mod change;
mod documents;
mod list;
mod remove;
mod unreadable;

pub use attach::{attach, detach, readable, require_attached};
pub use change::{EmbeddingModels, Indexing, KnowledgeBaseInput, change, create};
pub use documents::{DocumentName, document, rename_document};
pub use list::list;
pub use remove::require_removable;
pub use unreadable::{Audience, UnreadableBase, unreadable_bases};
