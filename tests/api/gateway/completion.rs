//! `/api/chat/completion`: completions without a stored conversation.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::{V1, asking, with, with_provider};
use crate::api::streams::reading::events;
use crate::harness::fake_provider::FakeProvider;
use crate::harness::{Client, TestServer, text};

const PATH: &str = "/api/chat/completion";

#[tokio::test]
async fn completion_works_with_and_without_an_assistant() {
    let (server, provider) = with_provider().await;
    let editor = server.editor();
    let plain = editor.post(PATH, asking("fake/echo", "good morning")).await.ok();
    assert_eq!(plain["choices"][0]["message"]["content"], "good morning");
    editor.post(&format!("{PATH}/"), asking("fake/echo", "x")).await.ok();
    assert_eq!(
        provider.requests().await[0]["messages"],
        json!([{"role": "user", "content": "good morning"}])
    );

    let made = json!({"name": "Ada", "model": "fake/echo", "system_prompt": "You are Ada."});
    let ada = text(&editor.post("/api/assistants", made).await.created()["id"]);
    let body = json!({"messages": [{"role": "user", "content": "who"}]});
    let by_path = editor.post(&format!("{PATH}/assistant/{ada}"), body.clone()).await.ok();
    let by_body = editor.post(PATH, with(body, json!({"assistant_id": ada}))).await.ok();
    assert_eq!(by_path["choices"], by_body["choices"]);
    assert_eq!(provider.requests().await.pop().expect("a request")["messages"][0]["content"], "You are Ada.");
    // The completion creates no conversation.
    assert_eq!(editor.get("/api/conversations").await.ok()["items"], json!([]));
}

#[tokio::test]
async fn completion_reads_attached_files() {
    let server = TestServer::start().await;
    let file =
        json!({"filename": "harbour.txt", "data": STANDARD.encode("The harbour master is Ottilie Brandt.")});
    let body = json!({"messages": [{"role": "user", "content": "Who is the harbour master?"}], "attachments": [file]});
    let answer = server.user().post(PATH, body.clone()).await.ok();
    assert!(text(&answer["choices"][0]["message"]["content"]).contains("Ottilie Brandt"), "{answer}");
    let bad = with(body, json!({"attachments": [{"filename": "x", "data": "*"}]}));
    server.user().post(PATH, bad).await.problem(422, "invalid");
}

#[tokio::test]
async fn completion_detects_file_types_from_the_bytes() {
    let provider = FakeProvider::start().await;
    let mut config = provider.config();
    config.models = serde_json::from_value(json!([{"id": "echo", "tags": ["chat", "vision"]}]))
        .expect("a model that sees");
    let server = TestServer::start_with(move |settings| settings.providers.push(config)).await;
    // Base64 without padding and with line breaks, as some clients write it.
    let picture = "iVBORw0KGgoAAAANSUhEUgAA\nAAEAAAABCAYAAAAfFcSJ";
    for more in [json!({}), json!({"media_type": "text/plain"})] {
        let file = with(json!({"filename": "a.png", "data": picture}), more);
        user_asks(&server, json!([file])).await;
        let sent = provider.requests().await.pop().expect("a request");
        let shown = text(&sent["messages"][0]["content"][1]["image_url"]["url"]);
        assert!(shown.starts_with("data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB"), "{sent}");
    }
}

async fn user_asks(server: &TestServer, attachments: serde_json::Value) {
    server
        .user()
        .post(PATH, with(asking("fake/echo", "What is this?"), json!({"attachments": attachments})))
        .await
        .ok();
}

#[tokio::test]
async fn completion_takes_server_tools_by_name_and_client_tools_by_description() {
    let (server, provider) = with_provider().await;
    let user = server.user();
    let ours = with(asking("fake/tools", "one two"), json!({"tools": ["count_text"]}));
    let answer = user.post(PATH, ours).await.ok();
    assert!(text(&answer["choices"][0]["message"]["content"]).contains("\"words\":2"), "{answer}");
    let function = json!({"type": "function", "function": {"name": "count_text"}});
    let theirs = with(asking("fake/tools", "one two"), json!({"tools": [function]}));
    let answer = user.post(PATH, theirs).await.ok();
    assert_eq!(answer["choices"][0]["finish_reason"], "tool_calls");
    assert_eq!(provider.requests().await.len(), 3);
    let unknown = with(asking("fake/tools", "x"), json!({"tools": ["no_such"]}));
    user.post(PATH, unknown).await.problem(422, "invalid");
}

#[tokio::test]
async fn repeated_idempotency_key_returns_the_same_answer_billed_once() {
    let (server, provider) = with_provider().await;
    let user = server.user();
    let ask = |text: &str| {
        let request = user.request(reqwest::Method::POST, PATH).header("idempotency-key", "k-1");
        Client::send(request.json(&asking("fake/echo", text)))
    };
    let (one, two) = tokio::join!(ask("same"), ask("same"));
    assert_eq!(one.ok(), two.ok());
    assert_eq!(provider.requests().await.len(), 1);
    ask("other").await.problem(422, "idempotency_mismatch");
}

#[tokio::test]
async fn transient_failure_releases_its_idempotency_key() {
    let (server, provider) = with_provider().await;
    let user = server.user();
    let ask = |model: &str| {
        let request = user.request(reqwest::Method::POST, PATH).header("idempotency-key", model);
        Client::send(request.json(&asking(model, "hello")))
    };
    // Each request calls the provider twice, and this model is always rate limited.
    ask("fake/limited").await.problem(502, "upstream_failed");
    ask("fake/limited").await.problem(502, "upstream_failed");
    assert_eq!(provider.requests().await.len(), 4, "the second request was sent to the provider");
    // After a permanent failure the same key does not call the provider again.
    ask("fake/refuse").await.problem(502, "upstream_failed");
    ask("fake/refuse").await.problem(502, "upstream_failed");
    assert_eq!(provider.requests().await.len(), 5);
    // Nor does it after a partial answer.
    ask("fake/drop").await.problem(502, "upstream_failed");
    ask("fake/drop").await.problem(502, "upstream_failed");
    assert_eq!(provider.requests().await.len(), 6);
}

/// The wait time that a provider asks for reaches the client through every interface.
#[tokio::test]
async fn retry_after_of_the_provider_reaches_the_client() {
    let (server, _provider) = with_provider().await;
    let user = server.user();
    let v1 = format!("{V1}/chat/completions");
    // Longer than the server itself waits.
    let cases = [
        (PATH, "429 41", 502, Some("41")),
        (v1.as_str(), "429 42", 429, Some("42")),
        (PATH, "503 43.2", 502, Some("44")),
        (v1.as_str(), "503 45", 502, Some("45")),
        (v1.as_str(), "400 46", 400, None),
    ];
    for (path, question, status, pause) in cases {
        let streamed = with(asking("fake/busy", question), json!({"stream": true}));
        for body in [asking("fake/busy", question), streamed] {
            let answer = user.post(path, body).await;
            if path == PATH && answer.status == 200 {
                // Our own stream reports the wait time in its last event.
                let end = events(&answer.text()).pop().expect("an end");
                let told = &end["data"]["terminal"]["error"]["retry_after_s"];
                assert_eq!(told.as_u64().map(|s| s.to_string()).as_deref(), pause, "{question}");
                continue;
            }
            assert_eq!(answer.expect(status).header("retry-after"), pause, "{path} {question}");
        }
    }
}
