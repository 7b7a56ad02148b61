//! Data items: the JSON objects that assistants keep. What they may be, how they are found, and how they are
//! written, for the HTTP interface and the functions of skills alike.

mod cost;
mod error;
mod fields;
mod filter;
mod query;
mod schema;
mod write;

pub use error::{DataError, Fault, located, refusal};
pub use fields::{field, merge};
pub use filter::{Filter, Op};
pub use query::{DataPage, PAGE_BYTES, Query, each, get, query, written_bytes};
pub use schema::Schema;
pub use write::{Change, Embedding, NewItem, breaking, create, delete, delete_all, update, update_all};

/// Bytes of an item, its metadata among them, as JSON.
pub const MOST_BYTES: usize = 64 << 10;
/// Items that one change may concern.
pub const MOST_CHANGES: usize = 1_000;
/// Items of a page.
pub const MOST_LISTED: usize = 1_000;
