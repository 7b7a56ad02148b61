//! What a provider wants to see again of the thoughts of its models.
//!
//! Some providers sign what a model thought, and want it back, signature and all, with the turn it belongs
//! to when the results of tools are sent. It travels in the field that gateways commonly use for it, so that
//! clients which know it keep it: `reasoning_details`, told in [`ChatDelta::Other`](crate::ChatDelta::Other)
//! and given back in [`ChatMessage::extra`](crate::ChatMessage). It is a list of
//! `{type: "reasoning.text", text, signature}`, `{type: "reasoning.encrypted", data, id?}`, each with the
//! `format` that names who can read it, and its `index`.

use serde_json::{Map, Value, json};

use crate::chat::{ChatDelta, ChatMessage};

/// The field of a delta, and of a message, with the thoughts of a model that its provider wants to receive again.
pub const KEY: &str = "reasoning_details";
/// What Anthropic reads.
pub(crate) const ANTHROPIC: &str = "anthropic-claude-v1";
/// What Gemini reads.
pub(crate) const GEMINI: &str = "google-gemini-v1";

/// The delta with one thought. `thought` is an object with all but its format.
pub(crate) fn delta(format: &str, mut thought: Value) -> ChatDelta {
    thought["format"] = Value::from(format);
    let delta = Map::from_iter([(KEY.to_owned(), json!([thought]))]);
    ChatDelta::Other { delta, chunk: Map::new() }
}

/// The thoughts of a turn that a provider with this format produced, in order.
pub(crate) fn in_format<'a>(message: &'a ChatMessage, format: &'a str) -> impl Iterator<Item = &'a Value> {
    let all = message.extra.get(KEY).and_then(Value::as_array).into_iter().flatten();
    all.filter(move |thought| thought["format"] == format)
}
