//! `/api/workflows`: routes and schemas for running and debugging workflows. A run takes place in a
//! conversation, is read there like any other stream, and belongs to the user who started it.

mod code_box;
mod debug;
mod declared;
mod routes;
mod schema;
mod start;
mod wait;

use crate::http::operations;

operations!(mod routes, debug, code_box);
