//! The OpenAI Responses API, on top of the same runs as all other answers.

mod create;
mod input;
mod items;
mod schema;
mod stored;

use crate::http::operations;

pub use stored::{load, stream};

operations!(mod create, stored, items);
