//! Billing follows what the provider sent, whichever model answered and however the answer ended.

use reqwest::Method;
use serde_json::{Value, json};

use super::{V1, asking, with};
use crate::api::streams::reading::{Stream, unlimited};
use crate::harness::TestServer;
use crate::harness::fake_provider::FakeProvider;

fn path() -> String {
    format!("{V1}/chat/completions")
}

/// Starts a server with priced models, one of which is always rate limited and has another as its fallback.
async fn priced(limit: Option<usize>) -> (TestServer, FakeProvider) {
    let provider = FakeProvider::start().await;
    let mut config = provider.config();
    config.models = serde_json::from_value(json!([
        {"id": "echo", "input_price": 1, "output_price": 10},
        {"id": "slow", "input_price": 1000, "output_price": 10000},
        {"id": "limited", "input_price": 1, "output_price": 10, "fallbacks": ["fake/slow"]},
    ]))
    .expect("models");
    let server = TestServer::start_with(move |settings| {
        unlimited(settings);
        settings.runs.per_user = limit.unwrap_or(settings.runs.per_user);
        settings.providers.push(config);
    });
    (server.await, provider)
}

async fn month(server: &TestServer) -> Value {
    server.admin().get("/api/tenant-admin/budgets").await.ok()["tenant"]["month"].clone()
}

/// Asks, reads until every answer has some text, stops the stream, and returns its terminal record.
async fn stopped(server: &TestServer, body: Value, answers: u64) -> Value {
    let user = server.user();
    let asked = with(body, json!({"stream": true}));
    let mut live = Stream::open(user.request(Method::POST, &path()).json(&asked)).await;
    let mut said = std::collections::HashSet::new();
    while (said.len() as u64) < answers {
        let frame = live.frame().await.expect("more of the answers");
        let Some(chunk) = frame.strip_prefix("data: ") else { continue };
        let chunk: Value = serde_json::from_str(chunk).expect("JSON");
        let choice = &chunk["choices"][0];
        if choice["delta"]["content"].as_str().is_some_and(|text| !text.is_empty()) {
            said.insert(choice["index"].as_u64());
        }
    }
    user.delete(&format!("/api/chat/streams/{}", live.id)).await.ok()["terminal"].clone()
}

#[tokio::test]
async fn each_of_several_interrupted_answers_is_billed() {
    let (server, _provider) = priced(None).await;
    let question = "x".repeat(400);
    let one = stopped(&server, asking("fake/slow", &question), 1).await;
    assert_eq!(one["usage"]["input_tokens"], 100);
    let three = stopped(&server, with(asking("fake/slow", &question), json!({"n": 3})), 3).await;
    assert_eq!(three["usage"]["input_tokens"], 300, "{three}");
    assert!(three["usage"]["output_tokens"].as_u64().expect("tokens") >= 3, "{three}");
    let month = month(&server).await;
    assert_eq!(month["input_tokens"], 400);
    let cost = |end: &Value| {
        let tokens = |name: &str| end["usage"][name].as_u64().expect("tokens");
        tokens("input_tokens") * 1_000_000 + tokens("output_tokens") * 10_000_000
    };
    assert_eq!(month["cost_nanos"].as_u64(), Some(cost(&one) + cost(&three)));
}

#[tokio::test]
async fn fallback_model_is_billed_at_its_own_price_even_if_interrupted() {
    let (server, _provider) = priced(None).await;
    let end = stopped(&server, asking("fake/limited", &"x".repeat(400)), 1).await;
    let tokens = |name: &str| end["usage"][name].as_u64().expect("tokens");
    let cost = tokens("input_tokens") * 1_000_000 + tokens("output_tokens") * 10_000_000;
    assert_eq!(end["cost_nanos"].as_u64(), Some(cost), "{end}");
    assert_eq!(month(&server).await["cost_nanos"].as_u64(), Some(cost));
}

#[tokio::test]
async fn queued_request_is_refused_when_the_budget_is_exhausted() {
    let (server, provider) = priced(Some(1)).await;
    let (user, admin) = (server.user(), server.admin());
    let slow = with(asking("fake/slow", "go"), json!({"stream": true}));
    let mut live = Stream::open(user.request(Method::POST, &path()).json(&slow)).await;
    live.frame().await;
    let waiting = json!({"model": "fake/echo", "input": "hello", "background": true});
    let waiting = user.post(&format!("{V1}/responses"), waiting).await.ok();
    assert_eq!(waiting["status"], "queued");
    admin.put("/api/tenant-admin/budgets", json!({"cost_nanos_month": 1})).await.expect(200);
    user.delete(&format!("/api/chat/streams/{}", live.id)).await.ok();
    let id = waiting["id"].as_str().expect("an id");
    let told = user.get(&format!("{V1}/responses/{id}?stream=true")).await.text();
    assert!(told.contains("event: response.failed"), "{told}");
    assert_eq!(provider.requests().await.len(), 1, "only the live request reached the provider");
}
