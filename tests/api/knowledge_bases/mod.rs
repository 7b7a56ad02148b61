//! `/api/knowledge-bases`.

mod bases;
mod documents;
mod formats;
mod found;
mod links;
mod refetch;
mod reindex;
mod rights;
pub mod scene;
mod states;
