//! Logins at external services.

mod callback;
mod routes;
mod schema;

use crate::http::operations;

operations!(mod routes, callback);
