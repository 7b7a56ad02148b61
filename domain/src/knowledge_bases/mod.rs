//! Knowledge bases: documents that assistants answer from.

pub mod access;
mod attach;
mod change;
mod documents;
mod list;
mod remove;
mod unreadable;

pub use attach::{MAX_ATTACHED, attach, detach, readable, require_attached};
pub use change::{EmbeddingModels, Indexing, KnowledgeBaseInput, change, create};
pub use documents::{DocumentName, document, rename_document};
pub use list::list;
pub use remove::require_removable;
pub use unreadable::{Audience, UnreadableBase, unreadable_bases};

/// The longest title of a document, in characters.
pub const MAX_TITLE_CHARS: usize = 255;
/// The longest address of a web page, in bytes.
pub const MAX_URL_BYTES: usize = 2_000;
/// The most web pages of an assistant's own.
pub const MAX_WEB_LINKS: usize = 100;
