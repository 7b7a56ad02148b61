//! The OpenAI Responses interface, over the same runs as all other answers.

mod create;
mod input;
mod items;
mod kept;
mod schema;

use crate::http::operations;

pub use kept::{load, stream};

operations!(mod create, kept, items);
