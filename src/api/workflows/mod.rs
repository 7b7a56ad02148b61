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

use crate::http::Area;

pub(crate) use wait::end;

/// The operations of this area.
pub fn operations(area: &mut Area) {
    routes::operations(area);
    debug::operations(area);
    code_box::operations(area);
}
