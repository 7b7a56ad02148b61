//! The OpenAI-compatible interface: stock clients are pointed at `/api/chat/partner_compatible/v1`.

mod chat_completions;
mod models;

use crate::http::operations;
pub use chat_completions::chosen;

operations!(mod chat_completions, models);
