//! An answer continues when its client disconnects, and clients can attach to it by its id.

use reqwest::Method;
use serde_json::json;

use super::{V1, asking, with, with_provider};
use crate::api::streams::reading::{Stream, events, lines, server, terminal, unlimited, without_gap};
use crate::harness::fake_provider::FakeProvider;
use crate::harness::{TestServer, until};

fn address(id: &str) -> String {
    format!("/api/chat/streams/{id}")
}

fn words(count: u64, pace_ms: u64) -> serde_json::Value {
    with(
        asking("builtin/scribe", "Tell me of the tides."),
        json!({"stream": true, "length": count, "pace_ms": pace_ms}),
    )
}

#[tokio::test]
async fn attach_after_an_offset_completes_the_stream() {
    let server = server().await;
    let user = server.user();
    let path = format!("{V1}/chat/completions");
    let live = Stream::open(user.request(Method::POST, &path).json(&words(60, 0))).await;
    let id = live.id.clone();
    assert_eq!(live.header("content-location"), Some(address(&id).as_str()));
    live.rest().await;
    let whole = events(&user.get(&address(&id)).await.text());
    without_gap(&whole, 0);
    assert_eq!(terminal(&whole)["status"], "succeeded");
    for after in 0..=whole.len() {
        let rest = user.get(&format!("{}?wire=ndjson&after={after}", address(&id))).await;
        assert_eq!(lines(&rest.text()), whole[after..], "after {after}");
    }
}

#[tokio::test]
async fn answer_continues_without_its_client_and_across_a_restart() {
    let server = server().await;
    let user = server.user();
    let path = format!("{V1}/chat/completions");
    let mut live = Stream::open(user.request(Method::POST, &path).json(&words(80, 5))).await;
    live.frame().await;
    let id = live.id.clone();
    drop(live);
    let whole = events(&user.get(&address(&id)).await.text());
    assert_eq!(terminal(&whole)["status"], "succeeded");
    for wire in ["openai", "ui-message", "events", "ndjson", "responses"] {
        let told = user.get(&format!("{}?wire={wire}", address(&id))).await;
        assert!(told.expect(200).text().len() > 100, "{wire}");
    }
    let server = server.restart().await;
    let again = events(&server.user().get(&address(&id)).await.text());
    assert_eq!(again, whole);
}

#[tokio::test]
async fn attach_is_refused_to_other_users() {
    let server = server().await;
    let path = format!("{V1}/chat/completions");
    let live = Stream::open(server.user().request(Method::POST, &path).json(&words(5, 0))).await;
    let id = live.id.clone();
    live.rest().await;
    for other in [server.admin(), server.editor(), server.stranger()] {
        other.get(&address(&id)).await.not_found();
        other.delete(&address(&id)).await.not_found();
    }
    server.token(&["conversations:read"]).await.get(&address(&id)).await.problem(403, "scope_missing");
    server.anonymous().get(&address(&id)).await.problem(401, "credentials_missing");
    server.user().get(&address(&id)).await.expect(200);
}

#[tokio::test]
async fn stop_ends_the_answer_and_closes_the_provider_call() {
    let (server, provider) = with_provider().await;
    let user = server.user();
    let asked = with(asking("fake/slow", "go"), json!({"stream": true}));
    let path = format!("{V1}/chat/completions");
    let mut live = Stream::open(user.request(Method::POST, &path).json(&asked)).await;
    live.frame().await;
    let receipt = user.delete(&address(&live.id)).await.ok();
    assert_eq!(receipt["status"], "cancelled");
    provider.idle().await;
    let told = live.rest().await;
    assert!(told.contains("\"finish_reason\":\"stop\"") && told.ends_with("data: [DONE]\n\n"), "{told}");
    assert_eq!(user.delete(&receipt_address(&receipt)).await.ok()["status"], "cancelled");
}

#[tokio::test]
async fn disconnect_stops_the_answer_if_the_settings_say_so() {
    let provider = FakeProvider::start().await;
    let config = provider.config();
    let server = TestServer::start_with(move |settings| {
        unlimited(settings);
        settings.providers.push(config);
        settings.runs.abandoned_chat_seconds = 1;
    });
    let server = server.await;
    let user = server.user();
    let asked = with(asking("fake/slow", "go"), json!({"stream": true}));
    let path = format!("{V1}/chat/completions");
    let mut kept = Stream::open(user.request(Method::POST, &path).json(&asked)).await;
    let mut left = Stream::open(user.request(Method::POST, &path).json(&asked)).await;
    left.frame().await;
    kept.frame().await;
    assert_eq!(provider.open(), 2);
    let id = left.id.clone();
    drop(left);
    while provider.open() > 1 {
        kept.frame().await.expect("who is read goes on");
    }
    let end = terminal(&events(&user.get(&address(&id)).await.text()));
    assert_eq!((&end["status"], &end["partial"]), (&json!("cancelled"), &json!(true)));
    kept.frame().await.expect("who is read goes on");
    drop(kept);
    provider.idle().await;
}

fn receipt_address(receipt: &serde_json::Value) -> String {
    address(receipt["stream_id"].as_str().expect("an id"))
}

#[tokio::test]
async fn stream_is_removed_when_it_expires() {
    let server = TestServer::start_with(|config| {
        unlimited(config);
        config.runs.stream_ttl_hours = 0.0;
        config.runs.chat_ttl_minutes = 0.05;
    });
    let server = server.await;
    let user = server.user();
    // A response is retained like any other stream; with these settings, no longer than other runs.
    let asked = json!({"model": "builtin/scribe", "input": "Tell me of the tides."});
    let made = user.post(&format!("{V1}/responses"), asked).await;
    let id = made.header("x-stream-id").expect("a stream").to_owned();
    made.expect(200);
    // Expired streams are swept four times a minute.
    until("it is gone", async || user.get(&address(&id)).await.status == 404).await;
}
