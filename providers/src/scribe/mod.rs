//! `builtin/scribe`: a model that needs no key and no network.
//!
//! It is no language model, and says so. It looks up the sentences that fit the question best in
//! what came with it — attached and retrieved files, earlier messages, results of tools, and what
//! the question's own message holds beside the question — and quotes them. System texts are
//! instructions and are never quoted, but for what they say is remembered of the user. It calls a tool when the last user message asks for one by
//! name (`use current_time`, `` call `current_time` with {"timezone": "UTC"} ``) and then answers
//! from the result. Where there is a tool `remember`, a sentence that begins with `Remember that` or
//! `Please remember` asks for it, too. The same request always gives the same answer.
//!
//! Parameters:
//!
//! | name | meaning | range |
//! |---|---|---|
//! | `length` | words of the answer, exactly; a long answer goes through the material again and again | 1 to 100,000 |
//! | `pace_ms` | milliseconds between two words, for a slow answer | 0 to 60,000; 0 by default |
//! | `max_tokens`, `max_completion_tokens` | words at most, after which it stops with the reason `length` | from 1 |
//!
//! With a `response_format` of the type `json_schema` the answer is JSON in that shape, made of what the last user
//! message says in so many words (the rules are in `shape.rs`). It is meant for trying things out: a class is chosen
//! and an object is read without a key, always the same way.
//!
//! A request whose last message is the assistant's is an answer that was cut off: the scribe goes
//! on after its last word (the capability `prefill`).
//!
//! Everything else is ignored. It counts a token for every word, a word being what stands between
//! white space, in the texts, files and tool calls of the request and in its own answer; pictures
//! count nothing. That count is exact, so its usage is not marked as estimated. It costs nothing.

mod compose;
mod glean;
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

/// Material of this many bytes and more is searched on a thread of its own, since the search
/// takes milliseconds then.
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
        search.await.map_err(|_| ProviderError::protocol("the scribe lost its thread"))
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

/// The conversation without an answer that was cut off, and the words which that has.
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

/// What the scribe counts as tokens: see the documentation of the module.
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
