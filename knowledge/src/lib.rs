//! What documents say: the text of files, passages of it, and finding them.
//!
//! - [`extract`]: files of many formats become pages of text, in a child process that can be killed.
//! - [`chunk`]: pages become passages of so many tokens, which keep their headings and pages.
//! - [`lexical`]: the index of words, one for each tenant, on disk; it can always be rebuilt.
//! - [`vectors`]: the index of vectors, in memory, searched exactly.
//! - [`fuse`]: one list out of several.
//!
//! This crate knows nothing of storage, runs or HTTP: what is stored where is said by its callers.

#![forbid(unsafe_code)]

pub mod chunk;
pub mod extract;
mod fuse;
mod hit;
pub mod lexical;
pub mod vectors;

pub use chunk::{ChunkSettings, Piece, chunk, count_tokens, text_of_tokens};
pub use extract::{ExtractError, ExtractErrorKind, Extracted, Extractor, ExtractorConfig, Hint, Page};
pub use fuse::{Fused, fuse};
pub use hit::{DocKey, Hit};
pub use lexical::{Change, IndexError, Lexical, LexicalQuery, Passage};
pub use vectors::{Matrix, Quantized, VectorCache, Vectors};
