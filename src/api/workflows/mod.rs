//! Workflows: running them, and debugging them. A run lives in a conversation, is read there like
//! any other stream, and belongs to whoever started it.

mod code_box;
mod debug;
mod declared;
mod routes;
mod schema;
mod start;
mod steer;
mod wait;
mod waits;

pub(crate) use wait::end;

use crate::http::operations;

operations!(mod routes, debug, code_box);
