//! Logins at the tool servers of assistants.

mod callback;
mod routes;
mod schema;

use crate::http::operations;

operations!(mod routes, callback);
