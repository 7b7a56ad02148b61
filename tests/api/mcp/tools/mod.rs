//! Tools of tool servers: those an assistant has, the right to call them, and the outcome of calls.

mod amounts;
mod answers;
mod calls;
mod connected;
mod keys;
mod recovery;
mod trouble;
mod workflows;

use reqwest::Method;
use serde_json::{Value, json};

use crate::api::streams::reading::{Stream, ask, conversation, unlimited};
use crate::harness::fake_mcp::FakeMcp;
use crate::harness::{Client, TestServer, text};

/// Starts a server without a cache of tool lists, so that a test sees each request.
pub async fn server() -> TestServer {
    TestServer::start_with(|config| {
        unlimited(config);
        config.tool_servers.failure_kept_s = 0.0;
    })
    .await
}

/// The tool server in the definition of an assistant.
pub fn tracker(fake: &FakeMcp) -> Value {
    json!({"name": "tracker", "url": fake.url()})
}

/// Approves services of an assistant.
pub async fn approve(owner: &Client, assistant: &str, services: &[&str]) {
    let path = format!("/api/assistants/{assistant}/approved-external-services");
    owner.put(&path, json!({"services": services})).await.ok();
}

/// Creates an assistant that everybody in the tenant may use, connected to a tool server under the name `tracker` and
/// approved for it. `more` contains further fields of the assistant.
pub async fn connected(owner: &Client, fake: &FakeMcp, more: Value) -> String {
    let mut body = json!({"name": "Ada", "tool_servers": [tracker(fake)], "visibility": "tenant"});
    for (name, value) in more.as_object().expect("an object") {
        body[name] = value.clone();
    }
    let id = text(&owner.post("/api/assistants", body).await.created()["id"]);
    approve(owner, &id, &["mcp:tracker"]).await;
    id
}

/// Asks an assistant in a new conversation; returns the conversation and the stream of the answer.
pub async fn asked(client: &Client, assistant: &str, message: &str, more: Value) -> (String, Stream) {
    let home = conversation(client).await;
    let mut body = json!({"message": message, "assistant_id": assistant});
    for (name, value) in more.as_object().expect("an object") {
        body[name] = value.clone();
    }
    let stream = ask(client, &home, body).await;
    (home, stream)
}

/// Returns all events of the answer to a question.
pub async fn events(client: &Client, assistant: &str, message: &str) -> Vec<Value> {
    asked(client, assistant, message, json!({})).await.1.events().await
}

/// Returns the data of the only event of a type.
#[track_caller]
pub fn one<'e>(events: &'e [Value], kind: &str) -> &'e Value {
    let found: Vec<_> = events.iter().filter(|event| event["type"] == kind).collect();
    assert_eq!(found.len(), 1, "{kind}: {events:#?}");
    &found[0]["data"]
}

/// Returns what an assistant's tool servers offer to a user.
pub async fn offered(client: &Client, assistant: &str) -> Value {
    let path = format!("/api/assistants/{assistant}/tool-servers");
    Client::send(client.request(Method::GET, &path)).await.ok()["items"].clone()
}
