//! Converts the chunks of a response to deltas, regardless of how a server splits them.

use std::collections::VecDeque;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::delta::Delta;
use super::repeated::RepeatedChunk;
use super::wire::{CallPiece, Chunk, Text, WireUsage};
use crate::chat::{ChatDelta, FinishReason, Usage};

/// A tool call that is being received; its position in the list is its index.
struct Call {
    /// The index that the server assigned.
    upstream: Option<u32>,
    id: Option<String>,
    /// `None` until it is known; only then the start of the call is emitted.
    name: Option<String>,
    arguments: String,
}

/// The state of a response.
pub(super) struct Assembler {
    calls: Vec<Call>,
    finish: Option<FinishReason>,
    usage: Option<Usage>,
    input_chars: u64,
    output_chars: u64,
    reasoning_chars: u64,
    /// The last reported values of the fields for the whole response: fingerprint and service tier.
    reported: [String; 2],
    /// The last chunk that contained only text.
    repeated: RepeatedChunk,
}

impl Assembler {
    /// `input_chars` is the length of the request, for an estimate if the server does not report usage.
    pub(super) fn new(input_chars: u64) -> Self {
        Self {
            calls: Vec::new(),
            finish: None,
            usage: None,
            input_chars,
            output_chars: 0,
            reasoning_chars: 0,
            reported: Default::default(),
            repeated: RepeatedChunk::default(),
        }
    }

    /// Processes a chunk that differs from an earlier one only in its text, as most chunks do. Returns false if the
    /// chunk must be parsed.
    pub(super) fn repeated(&mut self, json: &[u8], out: &mut VecDeque<ChatDelta>) -> bool {
        let Some(text) = self.repeated.text_of(json) else { return false };
        self.output_chars += text.chars().count() as u64;
        out.push_back(ChatDelta::Text(text.to_owned()));
        true
    }

    /// Remembers a chunk, which [`chunk`](Self::chunk) converted to `deltas`.
    pub(super) fn remember<'a>(&mut self, json: &[u8], mut deltas: impl Iterator<Item = &'a ChatDelta>) {
        if let (Some(ChatDelta::Text(text)), None) = (deltas.next(), deltas.next())
            && self.finish.is_none()
        {
            self.repeated.remember(json, text);
        }
    }

    /// Whether the server has sent the finish reason.
    pub(super) fn has_finished(&self) -> bool {
        self.finish.is_some()
    }

    /// Processes one chunk of a stream, or a whole response.
    pub(super) fn chunk(&mut self, chunk: Chunk<'_>, out: &mut VecDeque<ChatDelta>) {
        if let Some(usage) = chunk.usage.and_then(WireUsage::read) {
            self.usage = Some(usage);
        }
        let (mut delta, whole) = (Map::new(), self.news([chunk.system_fingerprint, chunk.service_tier]));
        for choice in chunk.choices.into_iter().flatten() {
            if choice.index.unwrap_or(0) != 0 {
                continue;
            }
            if let Some(said) = choice.delta.or(choice.message) {
                self.delta(said, &mut delta, out);
            }
            if let Some(logprobs) = choice.logprobs.map(value).filter(|logprobs| !logprobs.is_null()) {
                out.push_back(ChatDelta::Logprobs(logprobs));
            }
            if let Some(reason) = choice.finish_reason.filter(|r| !r.is_empty()) {
                self.finish = Some(finish_reason(reason));
            }
        }
        if !delta.is_empty() || !whole.is_empty() {
            out.push_back(ChatDelta::Other { delta, chunk: whole });
        }
    }

    /// Returns the fields whose values have changed; servers repeat them in every chunk.
    fn news(&mut self, fields: [Option<&RawValue>; 2]) -> Map<String, Value> {
        let mut news = Map::new();
        for ((name, field), reported) in
            ["system_fingerprint", "service_tier"].into_iter().zip(fields).zip(&mut self.reported)
        {
            if let Some(field) = field.filter(|field| field.get() != "null" && field.get() != reported) {
                field.get().clone_into(reported);
                news.insert(name.to_owned(), value(field));
            }
        }
        news
    }

    /// Emits the final deltas: usage and finish reason.
    pub(super) fn conclude(&mut self, out: &mut VecDeque<ChatDelta>) {
        let estimate = || Usage::estimate(self.input_chars, self.output_chars, self.reasoning_chars);
        out.push_back(ChatDelta::Usage(self.usage.unwrap_or_else(estimate)));
        let reason = match self.finish.take().unwrap_or(FinishReason::Stop) {
            // Many servers report "stop" although they wait for tool results.
            FinishReason::Stop if self.calls.iter().any(|c| c.name.is_some()) => FinishReason::ToolCalls,
            reason => reason,
        };
        out.push_back(ChatDelta::Finish(reason));
    }

    fn delta(&mut self, delta: Delta<'_>, others: &mut Map<String, Value>, out: &mut VecDeque<ChatDelta>) {
        // If both fields are present, they contain the same text.
        let Text(reasoning) = match delta.reasoning_content {
            Text(text) if text.is_empty() => delta.reasoning,
            text => text,
        };
        if !reasoning.is_empty() {
            self.reasoning_chars += reasoning.chars().count() as u64;
            out.push_back(ChatDelta::Reasoning(reasoning));
        }
        let Text(text) = delta.content;
        if !text.is_empty() {
            self.output_chars += text.chars().count() as u64;
            out.push_back(ChatDelta::Text(text));
        }
        let Text(refusal) = delta.refusal;
        if !refusal.is_empty() {
            self.output_chars += refusal.chars().count() as u64;
            others.insert("refusal".to_owned(), Value::from(refusal));
        }
        others.extend(delta.others.into_iter().map(|(name, raw)| (name, value(raw))));
        for piece in delta.tool_calls {
            self.call(piece, out);
        }
        let citations = delta.annotations.into_iter().filter_map(|a| a.url_citation);
        out.extend(citations.map(|c| ChatDelta::Source { url: c.url, title: c.title, snippet: c.content }));
    }

    fn call(&mut self, piece: CallPiece<'_>, out: &mut VecDeque<ChatDelta>) {
        let function = piece.function.unwrap_or_default();
        let arguments = function.arguments();
        let id = piece.id.filter(|id| !id.is_empty());
        let name = function.name.filter(|name| !name.is_empty());
        let at = self.place(piece.index, id.as_deref(), name.as_deref());
        let index = at as u32;
        if at == self.calls.len() {
            let upstream = piece.index;
            self.calls.push(Call { upstream, id: None, name: None, arguments: String::new() });
        }
        let call = &mut self.calls[at];
        call.id = call.id.take().or(id);
        self.output_chars += arguments.chars().count() as u64;
        call.arguments.push_str(&arguments);
        let delta = if call.name.is_some() {
            arguments
        } else {
            let Some(name) = name else { return };
            call.name = Some(name.clone());
            let generated_id = || format!("call_{}", uuid::Uuid::new_v4().simple());
            let call_id = call.id.get_or_insert_with(generated_id).clone();
            out.push_back(ChatDelta::ToolCallStart { index, call_id, name });
            // Includes the arguments that arrived before the name.
            call.arguments.clone()
        };
        if !delta.is_empty() {
            out.push_back(ChatDelta::ToolCallArguments { index, delta });
        }
    }

    /// Returns the index of the call that a piece belongs to; one past the last if it begins a new call.
    fn place(&self, index: Option<u32>, id: Option<&str>, name: Option<&str>) -> usize {
        let new = self.calls.len();
        let same_id = |call: &Call| id.is_none() || call.id.is_none() || call.id.as_deref() == id;
        if index.is_some() {
            // Some servers give every call the index 0; a new id then distinguishes the calls.
            let of_index = self.calls.iter().rposition(|c| c.upstream == index);
            return of_index.filter(|at| same_id(&self.calls[*at])).unwrap_or(new);
        }
        let Some(last) = self.calls.last() else {
            return new;
        };
        match (id, name) {
            (Some(_), _) => self.calls.iter().rposition(|c| c.id.as_deref() == id).unwrap_or(new),
            // A name without an id begins a new call, unless the name is repeated in the middle of the arguments.
            (None, Some(_)) if last.name.is_some() && complete(&last.arguments) => new,
            (None, Some(_)) if last.name.as_deref().is_some_and(|n| Some(n) != name) => new,
            _ => new - 1,
        }
    }
}

/// Parses JSON that has already been validated.
fn value(raw: &RawValue) -> Value {
    serde_json::from_str(raw.get()).unwrap_or_default()
}

/// Whether the arguments of a call are complete.
fn complete(arguments: &str) -> bool {
    arguments.is_empty() || serde_json::from_str::<serde::de::IgnoredAny>(arguments).is_ok()
}

fn finish_reason(reason: String) -> FinishReason {
    match reason.as_str() {
        "stop" => FinishReason::Stop,
        "length" => FinishReason::Length,
        "tool_calls" | "function_call" => FinishReason::ToolCalls,
        "content_filter" => FinishReason::ContentFilter,
        _ => FinishReason::Other(reason),
    }
}

#[cfg(test)]
#[path = "assemble_tests.rs"]
mod tests;
