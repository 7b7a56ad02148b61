//! The OpenAI-compatible interface: stock clients are pointed at `/api/chat/partner_compatible/v1`.

mod chat_completions;
mod models;

use crate::http::Area;

pub use chat_completions::chosen;

/// The operations of this folder.
pub fn operations(area: &mut Area) {
    chat_completions::operations(area);
    models::operations(area);
}
