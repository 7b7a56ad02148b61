//! The content of documents: extracting the text of files, cutting it into passages, and searching them.
//!
//! - [`extract`]: converts files of many formats to pages of text, in a child process that can be killed.
//! - [`chunk`]: cuts pages into passages with a limited number of tokens, which retain their headings and pages.
//! - [`lexical`]: the word index, one for each tenant, on disk; it can always be rebuilt.
//! - [`messages`]: the word index of messages, built in the same way.
//! - [`vectors`]: the vector index, in memory, searched exactly.
//! - [`fuse`]: fuses several result lists into one.
//!
//! This crate does not depend on storage, runs or HTTP: callers decide what is stored where.

#![forbid(unsafe_code)]

pub mod chunk;
pub mod extract;
mod fuse;
mod hit;
pub mod lexical;
pub mod messages;
pub mod vectors;
mod word_index;

pub use chunk::{ChunkSettings, Piece, chunk, count_tokens, text_of_tokens};
pub use extract::{ExtractError, ExtractErrorKind, Extracted, Extractor, ExtractorConfig, Hint, Page};
pub use fuse::{Fused, fuse};
pub use hit::{DocKey, Hit};
pub use lexical::{Change, Lexical, LexicalQuery, Passage};
pub use messages::{MessageChange, MessageHit, MessageIndex, MessageKey, MessageQuery};
pub use vectors::{Matrix, Quantized, VectorCache, Vectors};
pub use word_index::IndexError;
