//! Knowledge bases: documents that assistants search for their answers.

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

/// Maximum length of a document's title, in characters.
pub const MAX_TITLE_CHARS: usize = 255;
/// Maximum length of a web page's URL, in bytes.
pub const MAX_URL_BYTES: usize = 2_000;
/// Maximum number of web pages in an assistant's own knowledge.
pub const MAX_WEB_LINKS: usize = 100;
