//! Users about themselves.

mod routes;
mod schema;

pub(crate) use routes::operations;
