//! The OpenAI-compatible API. OpenAI clients use it with the base URL `/api/chat/partner_compatible/v1`.

mod chat_completions;
mod models;

use crate::http::operations;
pub use chat_completions::chosen;

operations!(mod chat_completions, models);
