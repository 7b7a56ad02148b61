//! Reads members of a canonical event without parsing all of it: strings that an encoding only passes on remain raw
//! JSON.

use runs::{Event, RawDelta};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// Parses the `data` of an event; `None` if it does not have the expected shape.
pub fn data<'a, T: Deserialize<'a>>(event: &'a Event) -> Option<T> {
    #[derive(Deserialize)]
    #[serde(bound(deserialize = "T: Deserialize<'de>"))]
    struct Envelope<T> {
        data: T,
    }
    serde_json::from_slice::<Envelope<T>>(&event.json).ok().map(|envelope| envelope.data)
}

/// The name of the part and the text of a `text.delta` or `reasoning.delta`, both as JSON.
pub fn delta(event: &Event) -> Option<(&str, &str)> {
    if let Some(RawDelta { part, text }) = RawDelta::read(event) {
        return Some((part, text));
    }
    let part: Part = data(event)?;
    Some((part.part.get(), part.text?.get()))
}

/// The data of `text.*` and `reasoning.*` events.
#[derive(Deserialize)]
pub struct Part<'a> {
    /// The name of the part, as JSON.
    #[serde(borrow)]
    pub part: &'a RawValue,
    /// The text to be appended, as JSON; present only in deltas.
    #[serde(borrow, default)]
    pub text: Option<&'a RawValue>,
}

/// The data of `tool.call.*` and `tool.result` events.
#[derive(Deserialize)]
pub struct Call<'a> {
    /// The name of the call, as JSON.
    #[serde(borrow)]
    pub call_id: &'a RawValue,
    /// The name of the tool, as JSON.
    #[serde(borrow, default)]
    pub name: Option<&'a RawValue>,
    /// In a delta, a part of the arguments as a JSON string; in `ready`, the arguments themselves.
    #[serde(borrow, default)]
    pub arguments: Option<&'a RawValue>,
    /// The output of the tool.
    #[serde(borrow, default)]
    pub output: Option<&'a RawValue>,
    /// The reason why the tool failed, as JSON.
    #[serde(borrow, default)]
    pub error: Option<&'a RawValue>,
    /// Whether the client executes the tool.
    #[serde(default)]
    pub client: bool,
}

/// The data of `choice` events.
#[derive(Deserialize)]
pub struct Choice<'a> {
    /// The index of the answer, if several were requested.
    pub choice: u32,
    /// The name of the part that belongs to this answer, as JSON; alternatively, `call_id` is present.
    #[serde(borrow, default)]
    pub part: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub call_id: Option<&'a RawValue>,
}

/// The data of `model.answering` events.
#[derive(Deserialize)]
pub struct Answering {
    /// The full id of the answering model.
    pub model: String,
}

/// The data of `choice.ended` events.
#[derive(Deserialize)]
pub struct ChoiceEnded {
    /// The index of the answer, if several were requested.
    pub choice: u32,
    /// The finish reason of the answer.
    pub reason: String,
}

/// The data of `logprobs` events.
#[derive(Deserialize)]
pub struct Logprobs<'a> {
    /// The index of the answer, if several were requested.
    #[serde(default)]
    pub choice: u32,
    /// The log probabilities in the form returned by the provider.
    #[serde(borrow)]
    pub logprobs: &'a RawValue,
}

/// The data of `provider` events.
#[derive(Deserialize)]
pub struct Provider {
    /// The index of the answer, if several were requested.
    #[serde(default)]
    pub choice: u32,
    /// Additional fields of the delta.
    #[serde(default)]
    pub delta: Map<String, Value>,
    /// Additional fields of the chunk.
    #[serde(default)]
    pub chunk: Map<String, Value>,
}

/// Appends pieces one after another.
pub fn put(out: &mut Vec<u8>, pieces: &[&str]) {
    out.reserve(pieces.iter().map(|piece| piece.len()).sum());
    for piece in pieces {
        out.extend_from_slice(piece.as_bytes());
    }
}

/// A string as JSON.
pub fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
