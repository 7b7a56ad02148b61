//! `builtin/scribe`: a model that needs no key and no network.
//!
//! It is not a language model, and says so. It searches the material of the conversation for the sentences that match
//! the question best, and quotes them: attached and retrieved files, earlier messages, tool results, and the context
//! in the question's own message. System messages are instructions and are never quoted, except for the user's
//! memories that they list. It calls a tool when the last user message asks for one by name (`use current_time`, ``
//! call `current_time` with {"timezone": "UTC"} ``) and then answers from the result. If there is a tool named
//! `remember`, a sentence that begins with `Remember that` or `Please remember` also calls it. The same request
//! always gives the same answer.
//!
//! Parameters:
//!
//! | name | meaning | range |
//! |---|---|---|
//! | `length` | exact number of words of the answer; a long answer repeats the material | 1 to 100,000 |
//! | `pace_ms` | pause between two words in milliseconds | 0 to 60,000; 0 by default |
//! | `max_tokens`, `max_completion_tokens` | maximum number of words, after which the answer ends with the finish reason `length` | from 1 |
//!
//! With a `response_format` of the type `json_schema`, the answer is JSON that matches the schema, extracted
//! literally from the last user message (the rules are in `shape.rs`). This is meant for experiments: it classifies
//! texts and extracts objects without a key, and always with the same result.
//!
//! If the last message of a request is the assistant's, it is treated as an incomplete answer: the scribe continues
//! after its last word (the capability `prefill`).
//!
//! All other parameters are ignored. Each word counts as one token, where words are separated by white space, in the
//! texts, files and tool calls of the request and in the answer; images count as zero. The count is exact, so the
//! usage is not marked as estimated. The model is free of charge.

mod compose;
mod extract;
mod material;
mod rank;
mod settings;
mod shape;
mod speak;
mod split;
mod tools;

use async_trait::async_trait;

use crate::chat::{ChatMessage, ChatModel, ChatRequest, ChatStream, Content, ProviderError, Role};
use settings::Settings;
use speak::{Speech, call_tools};
pub use split::terms;

/// The model's name among the built-in ones.
pub const NAME: &str = "scribe";

/// Minimum size in bytes of material that is searched on a separate thread, since the search then takes milliseconds.
const LARGE: usize = 128 << 10;

/// The model `builtin/scribe`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Scribe;

#[async_trait]
impl ChatModel for Scribe {
    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ProviderError> {
        let settings = Settings::read(&request.parameters)?;
        if request.messages.iter().map(bytes).sum::<usize>() < LARGE {
            return Ok(answer(&request, settings));
        }
        let search = tasks::blocking(move || answer(&request, settings));
        search.await.map_err(|_| ProviderError::protocol("the search of the scribe failed"))
    }
}

fn answer(request: &ChatRequest, settings: Settings) -> ChatStream {
    let input_tokens = request.messages.iter().map(tokens).sum();
    let note = match tools::tool_decision(request) {
        tools::ToolDecision::Calls(calls) => return call_tools(calls, input_tokens, settings),
        tools::ToolDecision::Nothing => None,
        tools::ToolDecision::Unclear(note) => Some(note),
    };
    let (question, said) = cut_off(&request.messages);
    if let Some(json) = shape::shaped(request) {
        let text = compose::Text { paragraphs: vec![json], more: Vec::new() };
        return Box::pin(Speech::new(text, said, input_tokens, settings));
    }
    let text = compose::compose(question, note.as_deref(), settings.length.is_some());
    Box::pin(Speech::new(text, said, input_tokens, settings))
}

/// Splits off an incomplete answer at the end of the conversation, and counts its words.
fn cut_off(messages: &[ChatMessage]) -> (&[ChatMessage], u64) {
    match messages.split_last() {
        Some((last, question)) if last.role == Role::Assistant && last.tool_calls.is_empty() => {
            (question, last.content.iter().map(|content| words(text(content))).sum())
        }
        _ => (messages, 0),
    }
}

fn bytes(message: &ChatMessage) -> usize {
    message.content.iter().map(|content| text(content).len()).sum()
}

/// Counts the tokens of a message as described in the documentation of the module.
fn tokens(message: &ChatMessage) -> u64 {
    let content = message.content.iter().map(|content| words(text(content)));
    let calls = message.tool_calls.iter().map(|call| words(&call.name) + words(&call.arguments));
    content.chain(calls).sum()
}

fn text(content: &Content) -> &str {
    match content {
        Content::Text(text) | Content::File { text, .. } => text,
        Content::Image { .. } | Content::ImageUrl { .. } | Content::Raw(_) => "",
    }
}

fn words(text: &str) -> u64 {
    text.split_whitespace().count() as u64
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
