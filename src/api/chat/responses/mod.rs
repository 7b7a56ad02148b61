//! The OpenAI Responses interface, over the same runs as all other answers.

mod create;
mod input;
mod items;
mod kept;
mod schema;

use crate::http::operations;
pub use kept::stream as stream_again;

operations!(mod create, kept, items);
