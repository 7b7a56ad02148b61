//! `workflows.build_ai_code_box`: code that a model writes and that is executed as a test.

use rand::Rng;
use serde_json::{Value, json};

use super::replies;
use super::requests::Request;
use super::trial::{Mutates, Trial};
use super::values::{self, JsonMutation};
use crate::api::streams::reading::unlimited;
use crate::harness::fake_provider::{FakeProvider, KEY};
use crate::harness::reply::Reply;
use crate::harness::{Client, TestServer, text};

/// The path of the operation for a new assistant with this model.
async fn path_of(editor: &Client, model: &str) -> String {
    let body = json!({"name": "Flow", "type": "workflow", "model": model});
    let assistant = text(&editor.post("/api/assistants", body).await.created()["id"]);
    format!("/api/workflows/assistants/{{{assistant}}}/ai_code_box/build")
}

fn body() -> Value {
    json!({"instruction": "Hand it on.\n```js\nfunction main({ n }) { return { n }; }\n```",
        "inputs": {"n": "number", "s": {"type": "string"}},
        "outputs": {"n": {"type": "number", "description": "The same."}},
        "examples": [{"inputs": {"n": 2, "s": ""}, "outputs": {"n": 2}}], "node_id": "code"})
}

#[tokio::test]
async fn build_ai_code_box_handles_mutated_requests() {
    let server = TestServer::start_with(unlimited).await;
    let path = path_of(&server.editor(), "builtin/scribe").await;
    let mut trial = Trial::of(&server, "workflows.build_ai_code_box", &[]);
    let valid = Request::post(&path, &body()).by(&server.editor());
    trial.valid(&valid, 200).await;
    for round in 0..trial.rounds {
        trial.mutated(&valid, round).await;
    }
    trial.cut_on_the_wire(&valid).await;
    trial.valid(&valid, 200).await;
    server.stored().await;
    trial.end();
}

/// The stream of a model that sends the code, as documents.
fn events() -> Vec<Value> {
    let said = |text: &str| {
        json!({"id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": "coder",
        "choices": [{"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": null}]})
    };
    vec![
        said("```js\nfunction main({ n }) "),
        said("{ return { n }; }\n```"),
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}),
        json!({"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 5}}),
    ]
}

fn stream(events: &[Vec<u8>]) -> Reply {
    let mut body = Vec::new();
    for event in events {
        body.extend_from_slice(b"data: ");
        body.extend_from_slice(event);
        body.extend_from_slice(b"\n\n");
    }
    body.extend_from_slice(b"data: [DONE]\n\n");
    let headers = vec![("Content-Type".to_owned(), "text/event-stream".to_owned())];
    Reply { status: 200, headers, body, cut_at: None }
}

/// Mutates the events, and the response that contains them.
#[tokio::test]
async fn build_ai_code_box_handles_mutated_replies() {
    let provider = FakeProvider::start().await;
    let mut config = provider.config();
    config.retries = 0;
    // A provider that fails is called again immediately.
    config.circuit.failures = 0;
    let configure = |settings: &mut understudy::Config| {
        unlimited(settings);
        settings.providers = vec![config];
    };
    let server = TestServer::start_with(configure).await;
    let path = path_of(&server.editor(), "fake/coder").await;
    let mut trial = Trial::of(&server, "workflows.build_ai_code_box", &[KEY]);
    let valid = Request::post(&path, &body()).by(&server.editor());
    trial.valid(&valid, 200).await;
    let events = events();
    let plain: Vec<_> = events.iter().map(|event| event.to_string().into_bytes()).collect();
    provider.answer_with(Some(stream(&plain).bytes()));
    trial.valid(&valid, 200).await;
    for round in 0..trial.rounds {
        let (what, reply) = if round % 2 == 0 {
            let mut mutated = plain.clone();
            let at = trial.dice.random_range(0..events.len());
            let way = JsonMutation::ALL[round / 2 % JsonMutation::ALL.len()];
            let (what, bytes) = values::mutate(&events[at], way, &mut trial.dice);
            mutated[at] = bytes;
            (format!("event {at}: {what}"), stream(&mutated))
        } else {
            let (what, mut reply) = replies::mutated(stream(&plain), round / 2, &mut trial.dice);
            // The response of the provider may contain the provider's key.
            if reply.status >= 400 {
                reply.body =
                    json!({"error": {"message": format!("the key {KEY} is wrong")}}).to_string().into_bytes();
            }
            (what, reply)
        };
        provider.answer_with(Some(reply.bytes()));
        trial.checked(&what, &valid, Mutates::Reply).await;
    }
    provider.answer_with(None);
    trial.valid(&valid, 200).await;
    server.stored().await;
    trial.end();
}
