//! Data items: the JSON objects that assistants store. Validation, queries and changes, shared by the HTTP interface
//! and the functions of skills.

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

/// Maximum size of an item as JSON in bytes, including its metadata.
pub const MAX_BYTES: usize = 64 << 10;
/// Maximum number of items in one change.
pub const MAX_CHANGES: usize = 1_000;
/// Maximum number of items on a page.
pub const MAX_LISTED: usize = 1_000;
