//! Answers that stand in no conversation: our own interface, OpenAI's, and what both share.

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

/// Where the OpenAI interface is.
pub const V1: &str = "/api/chat/partner_compatible/v1";

/// A server with a provider that speaks the OpenAI interface.
pub async fn with_provider() -> (TestServer, FakeProvider) {
    let provider = FakeProvider::start().await;
    (of_provider(provider.config()).await, provider)
}

/// The same, for models that do not answer.
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

/// A question in the OpenAI interface.
pub fn asking(model: &str, text: &str) -> Value {
    json!({"model": model, "messages": [{"role": "user", "content": text}]})
}

/// The same with more fields, of which `null` takes one away.
pub fn with(mut body: Value, more: Value) -> Value {
    for (name, value) in more.as_object().expect("an object") {
        body[name] = value.clone();
    }
    body
}

/// The `data:` objects of a stream, and whether `[DONE]` ended it.
pub fn chunks(text: &str) -> (Vec<Value>, bool) {
    let lines: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
    let done = lines.last() == Some(&"[DONE]");
    let read = |line: &&str| serde_json::from_str(line).unwrap_or_else(|why| panic!("{why}: {line}"));
    (lines.iter().filter(|line| **line != "[DONE]").map(read).collect(), done)
}

/// The text of one choice of a stream.
pub fn said(chunks: &[Value], choice: u64) -> String {
    let choices = chunks.iter().flat_map(|chunk| chunk["choices"].as_array().cloned().unwrap_or_default());
    let of = choices.filter(|given| given["index"] == choice);
    of.filter_map(|given| given["delta"]["content"].as_str().map(str::to_owned)).collect()
}
