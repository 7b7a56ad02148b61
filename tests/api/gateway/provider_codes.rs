//! The provider's name of a failure reaches the client, in every dialect and through every interface. Nothing but the
//! name does.

use reqwest::Method;
use serde_json::{Value, json};

use super::{V1, asking, chunks, with};
use crate::api::streams::reading::{
    Stream, ask, asking as in_conversation, conversation, messages, terminal, unlimited,
};
use crate::api::workflows::scene::{Run, graph, in_node, node, workflow};
use crate::harness::failing_provider::{DIALECTS, FAILING_KEY, FailingProvider};
use crate::harness::{Answer, Client, TestServer, text};

/// Starts a server with a provider of each dialect.
async fn with_providers() -> (TestServer, FailingProvider) {
    let provider = FailingProvider::start().await;
    let configs = provider.configs();
    let server = TestServer::start_with(move |settings| {
        unlimited(settings);
        settings.providers = configs;
    });
    (server.await, provider)
}

/// Returns the error of a run in a conversation, as its stream reports it; the message stores the same error.
async fn failed(user: &Client, model: &str) -> Value {
    let home = conversation(user).await;
    let events = ask(user, &home, json!({"message": "Why?", "model": model})).await.events().await;
    let error = terminal(&events)["error"].clone();
    let kept = &messages(user, &home).await[1]["error"];
    assert_eq!((&kept["code"], &kept["provider_code"]), (&error["code"], &error["provider_code"]));
    error
}

/// Returns the errors of requests that wait for the whole answer: in a conversation, through the gateway, and through
/// its OpenAI-compatible interface.
async fn told(user: &Client, model: &str) -> [Value; 3] {
    let home = conversation(user).await;
    let whole = json!({"message": "Why?", "model": model, "stream": false});
    let whole = Answer::read(in_conversation(user, &home, whole).send().await.expect("an answer")).await;
    let plain = user.post("/api/chat/completion", asking(model, "Why?")).await;
    let partner = user.post(&format!("{V1}/chat/completions"), asking(model, "Why?")).await;
    [whole.json(), plain.json(), partner.json()["error"].clone()]
}

#[tokio::test]
async fn failure_name_reaches_the_client_in_each_dialect() {
    let (server, provider) = with_providers().await;
    let user = server.user();
    let openai = |code: Value, kind: &str| json!({"error": {"message": "No.", "type": kind, "code": code}});
    let anthropic = |kind: &str| json!({"type": "error", "error": {"type": kind, "message": "No."}});
    let gemini =
        |number: u16, name: &str| json!({"error": {"code": number, "message": "No.", "status": name}});
    let broke = "insufficient_quota";
    for (kind, status, body, named, ours) in [
        ("openai", "429 Too Many Requests", openai(json!(broke), broke), broke, "upstream_rate_limited"),
        (
            "openai",
            "400 Bad Request",
            openai(json!("content_policy_violation"), "invalid_request_error"),
            "content_policy_violation",
            "upstream_refused",
        ),
        (
            "openai",
            "404 Not Found",
            openai(json!("model_not_found"), "x"),
            "model_not_found",
            "upstream_refused",
        ),
        ("openai", "500 Oh", openai(Value::Null, "server_error"), "server_error", "upstream_error"),
        ("openai", "503 Busy", openai(json!("503"), "overloaded"), "overloaded", "upstream_error"),
        ("anthropic", "529 Overloaded", anthropic("overloaded_error"), "overloaded_error", "upstream_error"),
        (
            "anthropic",
            "400 Bad Request",
            anthropic("invalid_request_error"),
            "invalid_request_error",
            "upstream_refused",
        ),
        (
            "gemini",
            "429 Too Many",
            gemini(429, "RESOURCE_EXHAUSTED"),
            "RESOURCE_EXHAUSTED",
            "upstream_rate_limited",
        ),
        ("gemini", "400 Bad", gemini(400, "FAILED_PRECONDITION"), "FAILED_PRECONDITION", "upstream_refused"),
    ] {
        provider.say(status, body);
        let model = format!("{kind}/m");
        let error = failed(&user, &model).await;
        assert_eq!(
            (&error["code"], &error["provider_code"]),
            (&json!(ours), &json!(named)),
            "{kind} {status}"
        );
        let [whole, plain, partner] = told(&user, &model).await;
        for told in [&whole, &plain, &partner] {
            assert_eq!(told["provider_code"], named, "{kind} {status}: {told}");
        }
        assert_eq!((&whole["upstream_code"], &plain["upstream_code"]), (&json!(ours), &json!(ours)));
        assert_ne!(partner["code"], named, "the code of this interface is ours: {partner}");
    }
}

#[tokio::test]
async fn failure_name_is_reported_after_a_partial_answer() {
    let (server, provider) = with_providers().await;
    let user = server.user();
    let openai = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Well\"}}]}\n\n\
        data: {\"error\":{\"message\":\"No.\",\"type\":\"server_error\",\"code\":\"engine_overloaded\"}}\n\n";
    let anthropic = "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\
        \"content_block\":{\"type\":\"text\",\"text\":\"Well\"}}\n\n\
        event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"No.\"}}\n\n";
    let gemini = "data: {\"candidates\":[{\"index\":0,\"content\":{\"parts\":[{\"text\":\"Well\"}]}}]}\n\n\
        data: {\"error\":{\"code\":503,\"message\":\"No.\",\"status\":\"UNAVAILABLE\"}}\n\n";
    let names = ["engine_overloaded", "overloaded_error", "UNAVAILABLE"];
    for ((kind, body), named) in DIALECTS.into_iter().zip([openai, anthropic, gemini]).zip(names) {
        provider.say("200 OK", body);
        let model = format!("{kind}/m");
        let error = failed(&user, &model).await;
        assert_eq!(error["provider_code"], named, "{kind}: {error}");

        let asked = with(asking(&model, "Why?"), json!({"stream": true}));
        let path = format!("{V1}/chat/completions");
        let stream = Stream::open(user.request(Method::POST, &path).json(&asked)).await;
        let (told, done) = chunks(&stream.rest().await);
        let last = &told.last().expect("chunks")["error"];
        assert_eq!(
            (&last["provider_code"], &last["code"]),
            (&json!(named), &error["code"]),
            "{kind}: {last}"
        );
        assert!(done);

        let asked = json!({"model": model, "input": "Why?", "background": true});
        let begun = text(&user.post(&format!("{V1}/responses"), asked).await.ok()["id"]);
        let path = format!("{V1}/responses/{begun}?stream=true");
        let told = Stream::open(user.request(Method::GET, &path)).await.rest().await;
        assert!(told.contains(&format!("\"provider_code\":\"{named}\"")), "{kind}: {told}");
        let kept = user.get(&format!("{V1}/responses/{begun}")).await.ok();
        let error =
            json!({"code": "server_error", "message": kept["error"]["message"], "provider_code": named});
        assert_eq!((&kept["status"], &kept["error"]), (&json!("failed"), &error), "{kind}");
    }
}

#[tokio::test]
async fn failure_name_is_omitted_if_it_is_not_an_identifier() {
    let (server, provider) = with_providers().await;
    let user = server.user();
    let long = "x".repeat(65);
    let rubbish =
        [FAILING_KEY, "sk-0123456789abcdef", "not a name", "über", "a/b", "<b>", "-x", "", "429", &long];
    for code in rubbish {
        let told = json!({"error": {"message": "No.", "code": code}});
        provider.say("400 Bad Request", told);
        let error = failed(&user, "openai/m").await;
        assert_eq!(error["code"], "upstream_refused", "{code}");
        assert!(error.get("provider_code").is_none(), "{code}: {error}");
        for told in self::told(&user, "openai/m").await {
            assert!(told.get("provider_code").is_none(), "{code}: {told}");
            assert!(!told.to_string().contains(FAILING_KEY), "{told}");
        }
    }
    let name = "x".repeat(64);
    provider.say("400 Bad Request", json!({"error": {"message": "No.", "code": name}}));
    assert_eq!(failed(&user, "openai/m").await["provider_code"], name);
}

#[tokio::test]
async fn failure_name_is_reported_for_requests_without_a_run() {
    let (server, provider) = with_providers().await;
    let user = server.user();
    provider.say("429 Too Many", json!({"error": {"message": "Pay.", "code": "insufficient_quota"}}));
    let embed = json!({"model": "openai/embed", "input": "words"});
    let error = user.post(&format!("{V1}/embeddings"), embed).await.expect(429).json()["error"].clone();
    assert_eq!(
        (&error["code"], &error["provider_code"]),
        (&json!("upstream_rate_limited"), &json!("insufficient_quota"))
    );
    let improve = json!({"prompt": "Write.", "model": "openai/m"});
    let problem = user.post("/api/utils/improve-prompt", improve).await.problem(502, "upstream_failed");
    assert_eq!(problem["provider_code"], "insufficient_quota");
}

#[tokio::test]
async fn failure_name_is_shown_at_the_node_in_the_debugger() {
    let (server, provider) = with_providers().await;
    let editor = server.editor();
    provider.say("429 Too Many", json!({"error": {"message": "Pay.", "code": "insufficient_quota"}}));
    let ask = node("ask", "llm", json!({"prompt": "Why?"}), json!({"config": {"model": "openai/m"}}));
    let nodes =
        vec![node("start", "start", json!({}), json!({})), ask, node("done", "end", json!({}), json!({}))];
    let assistant = workflow(&editor, graph(json!({}), nodes, &["start ask", "ask done"])).await;
    let path = format!("/api/workflows/{assistant}/debug/play");
    let played = Run::of(&assistant, &editor.post(&path, json!({})).await.expect(202).json());
    let events = played.events(&editor).await;
    let at_the_node = &in_node(&events, "node.finished", "ask")["error"];
    for error in [at_the_node, &terminal(&events)["error"]] {
        assert_eq!(error["provider_code"], "insufficient_quota", "{error}");
    }
    let whole = json!({"inputs": {}, "mode": "wait"});
    let whole = editor.post(&format!("/api/workflows/{assistant}/runs"), whole).await.ok();
    assert_eq!(whole["error"]["provider_code"], "insufficient_quota", "{whole}");
}
