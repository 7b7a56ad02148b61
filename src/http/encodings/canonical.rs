//! Looking into a canonical event without taking it apart: strings that a wire only passes on stay
//! the JSON that they are.

use runs::{Event, RawDelta};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// An event's `data`; none when it does not have the expected shape.
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

/// Data of `text.*` and `reasoning.*`.
#[derive(Deserialize)]
pub struct Part<'a> {
    /// Name of the part, as JSON.
    #[serde(borrow)]
    pub part: &'a RawValue,
    /// What is added, as JSON; only in deltas.
    #[serde(borrow, default)]
    pub text: Option<&'a RawValue>,
}

/// Data of `tool.call.*` and `tool.result`.
#[derive(Deserialize)]
pub struct Call<'a> {
    /// Name of the call, as JSON.
    #[serde(borrow)]
    pub call_id: &'a RawValue,
    /// The tool, as JSON.
    #[serde(borrow, default)]
    pub name: Option<&'a RawValue>,
    /// A delta's piece as a JSON string; in `ready` the arguments themselves.
    #[serde(borrow, default)]
    pub arguments: Option<&'a RawValue>,
    /// What the tool gave.
    #[serde(borrow, default)]
    pub output: Option<&'a RawValue>,
    /// Why it gave nothing, as JSON.
    #[serde(borrow, default)]
    pub error: Option<&'a RawValue>,
    /// Whether the client calls the tool.
    #[serde(default)]
    pub client: bool,
}

/// Data of `choice`.
#[derive(Deserialize)]
pub struct Choice<'a> {
    /// Index of the answer, where several were asked for.
    pub choice: u32,
    /// Name of the part that follows, as JSON, or
    #[serde(borrow, default)]
    pub part: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub call_id: Option<&'a RawValue>,
}

/// Data of `model.answering`.
#[derive(Deserialize)]
pub struct Answering {
    /// Full id of the model that answers.
    pub model: String,
}

/// Data of `choice.ended`.
#[derive(Deserialize)]
pub struct ChoiceEnded {
    /// Index of the answer, where several were asked for.
    pub choice: u32,
    /// The finish reason.
    pub reason: String,
}

/// Data of `logprobs`.
#[derive(Deserialize)]
pub struct Logprobs<'a> {
    /// Index of the answer, where several were asked for.
    #[serde(default)]
    pub choice: u32,
    /// As the provider gave them.
    #[serde(borrow)]
    pub logprobs: &'a RawValue,
}

/// Data of `provider`.
#[derive(Deserialize)]
pub struct Provider {
    /// Index of the answer, where several were asked for.
    #[serde(default)]
    pub choice: u32,
    /// Fields of a delta.
    #[serde(default)]
    pub delta: Map<String, Value>,
    /// Fields of a chunk.
    #[serde(default)]
    pub chunk: Map<String, Value>,
}

/// Writes pieces one after another.
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
