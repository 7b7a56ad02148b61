//! The OpenAI Responses interface, over the same runs as all other answers.

mod create;
mod input;
mod items;
mod kept;
mod schema;

use crate::http::Area;

pub use kept::{load, stream};

/// The operations of this folder.
pub fn operations(area: &mut Area) {
    create::operations(area);
    kept::operations(area);
    items::operations(area);
}
