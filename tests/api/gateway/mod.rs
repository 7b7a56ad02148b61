//! Answers outside of conversations: our own interface, the OpenAI interfaces, and what they share.

mod attach;
mod bills;
mod commits;
mod completion;
mod embeddings;
mod items;
mod messages;
mod odd_answers;
mod partner;
mod provider_codes;
mod provider_down;
mod responses;

use serde_json::{Value, json};

use crate::harness::TestServer;
use crate::harness::fake_provider::FakeProvider;

/// Base path of the OpenAI interface.
pub const V1: &str = "/api/chat/partner_compatible/v1";

/// Starts a server with a provider that speaks the OpenAI interface.
pub async fn with_provider() -> (TestServer, FakeProvider) {
    let provider = FakeProvider::start().await;
    (of_provider(provider.config()).await, provider)
}

/// Like `with_provider`, with short timeouts, for models that never answer.
async fn with_impatience() -> (TestServer, FakeProvider) {
    let provider = FakeProvider::start().await;
    (of_provider(provider.impatient()).await, provider)
}

async fn of_provider(config: providers::ProviderConfig) -> TestServer {
    let server = TestServer::start_with(move |settings| {
        super::streams::reading::unlimited(settings);
        settings.providers.push(config);
    });
    server.await
}

/// A question in the format of the OpenAI interface.
pub fn asking(model: &str, text: &str) -> Value {
    json!({"model": model, "messages": [{"role": "user", "content": text}]})
}

/// Adds fields to a body; a `null` value removes the field.
pub fn with(mut body: Value, more: Value) -> Value {
    for (name, value) in more.as_object().expect("an object") {
        body[name] = value.clone();
    }
    body
}

/// Returns the `data:` objects of a stream, and whether `[DONE]` ended it.
pub fn chunks(text: &str) -> (Vec<Value>, bool) {
    let lines: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
    let done = lines.last() == Some(&"[DONE]");
    let read = |line: &&str| serde_json::from_str(line).unwrap_or_else(|why| panic!("{why}: {line}"));
    (lines.iter().filter(|line| **line != "[DONE]").map(read).collect(), done)
}

/// Returns the text of one choice of a stream.
pub fn said(chunks: &[Value], choice: u64) -> String {
    let choices = chunks.iter().flat_map(|chunk| chunk["choices"].as_array().cloned().unwrap_or_default());
    let of = choices.filter(|given| given["index"] == choice);
    of.filter_map(|given| given["delta"]["content"].as_str().map(str::to_owned)).collect()
}
