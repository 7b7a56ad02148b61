//! Knowledge bases: documents that assistants answer from.

pub mod access;
mod attach;
mod change;
mod remove;
mod unreadable;

pub use attach::{attach, detach, readable, require_attached};
pub use change::{EmbeddingModels, Indexing, KnowledgeBaseInput, change, create};
pub use remove::require_removable;
pub use unreadable::{Audience, UnreadableBase, unreadable_bases};
