//! Memories: what is remembered of a user, for all assistants or for one.
//!
//! They are the user's alone: nobody else of the tenant reads them, administrators included, and an
//! impersonated session does not, either.

mod change;
mod list;
mod routes;
mod schema;

pub(crate) use routes::operations;
