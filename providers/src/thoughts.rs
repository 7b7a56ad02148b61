//! Model reasoning that a provider requires to receive again.
//!
//! Some providers sign the reasoning of a model and require it back, including the signature, with its turn when tool
//! results are sent. It travels in `reasoning_details`, the field that gateways commonly use for it, so that clients
//! which know the field preserve it. Responses contain it in [`ChatDelta::Other`](crate::ChatDelta::Other), requests
//! in [`ChatMessage::extra`](crate::ChatMessage). It is a list of `{type: "reasoning.text", text, signature}` and
//! `{type: "reasoning.encrypted", data, id?}`, each with the `format` that names the provider that can read it, and
//! its `index`.

use serde_json::{Map, Value, json};

use crate::chat::{ChatDelta, ChatMessage};

/// The field of a delta and of a message that contains model reasoning to be sent back to its provider.
pub const KEY: &str = "reasoning_details";
/// The format of Anthropic's reasoning.
pub(crate) const ANTHROPIC: &str = "anthropic-claude-v1";
/// The format of Gemini's reasoning.
pub(crate) const GEMINI: &str = "google-gemini-v1";

/// Returns a delta with one reasoning entry. `thought` is the entry's object without its format.
pub(crate) fn delta(format: &str, mut thought: Value) -> ChatDelta {
    thought["format"] = Value::from(format);
    let delta = Map::from_iter([(KEY.to_owned(), json!([thought]))]);
    ChatDelta::Other { delta, chunk: Map::new() }
}

/// Returns the reasoning entries of a turn that have this format, in order.
pub(crate) fn in_format<'a>(message: &'a ChatMessage, format: &'a str) -> impl Iterator<Item = &'a Value> {
    let all = message.extra.get(KEY).and_then(Value::as_array).into_iter().flatten();
    all.filter(move |thought| thought["format"] == format)
}
