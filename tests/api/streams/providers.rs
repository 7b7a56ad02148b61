//! Providers that stall, disconnect, send invalid data or refuse, over a real socket.

use serde_json::{Value, json};

use super::reading::{
    address, answer, ask, asking, attach, conversation, messages, said, terminal, unlimited, without_gap,
};
use crate::harness::fake_provider::{FakeProvider, KEY};
use crate::harness::{Answer, Client, TestServer, until};

async fn with_provider() -> (TestServer, FakeProvider) {
    let provider = FakeProvider::start().await;
    let config = provider.config();
    let server = TestServer::start_with(move |settings| {
        unlimited(settings);
        settings.providers = vec![config];
    });
    (server.await, provider)
}

/// Asks a model of the fake provider in a new conversation, and returns the conversation and the events.
async fn asked(user: &Client, model: &str, message: &str) -> (String, Vec<Value>) {
    let home = conversation(user).await;
    let fields = json!({"message": message, "model": format!("fake/{model}"), "tools": ["count_text"]});
    let events = ask(user, &home, fields).await.events().await;
    without_gap(&events, 0);
    (home, events)
}

#[tokio::test]
async fn completion_streams_the_answer_of_a_provider() {
    let (server, provider) = with_provider().await;
    let user = server.user();
    let (home, events) = asked(&user, "echo", "one two three").await;
    assert_eq!(answer(&events), "one two three");
    let end = terminal(&events);
    assert_eq!((&end["status"], &end["usage"]["input_tokens"]), (&json!("succeeded"), &json!(10)));
    let kept = messages(&user, &home).await;
    assert_eq!(kept[1]["model"], "fake/echo");
    assert_eq!(kept[1]["usage"]["output_tokens"], 3);
    assert_eq!(provider.requests().await[0]["stream"], true);

    let (_, events) = asked(&user, "reasoning", "why").await;
    let thoughts: Vec<_> = events.iter().filter(|event| event["type"] == "reasoning.delta").collect();
    let thoughts: String =
        thoughts.iter().map(|event| event["data"]["text"].as_str().expect("text")).collect();
    assert_eq!((thoughts.as_str(), answer(&events).as_str()), ("let me think", "done"));
}

#[tokio::test]
async fn completion_calls_a_tool_and_continues() {
    let (server, provider) = with_provider().await;
    let user = server.user();
    let (home, events) = asked(&user, "tools", "count these words").await;
    let kinds: Vec<_> = events.iter().map(|event| event["type"].as_str().expect("a type")).collect();
    let place =
        |kind: &str| kinds.iter().position(|other| *other == kind).unwrap_or_else(|| panic!("no {kind}"));
    assert!(place("tool.call.start") < place("tool.call.delta"));
    assert!(place("tool.call.delta") < place("tool.call.ready"));
    assert!(place("tool.call.ready") < place("tool.result"));
    assert!(place("tool.result") < place("text.delta"));
    let ready = &events[place("tool.call.ready")]["data"];
    assert_eq!(ready["arguments"], json!({"text": "count these words"}));
    assert_eq!(events[place("tool.result")]["data"]["output"]["words"], 3);
    assert!(answer(&events).starts_with("it gave "));
    let kept = &messages(&user, &home).await[1];
    assert_eq!(kept["tool_calls"][0]["output"]["words"], 3);
    assert_eq!(provider.requests().await.len(), 2);

    let stream = kept["run_id"].as_str().expect("a run").to_owned();
    let told = attach(&user, &home, &stream, "?wire=openai").await.rest().await;
    let deltas = told.split("\n\n").filter_map(|frame| frame.strip_prefix("data: {"));
    let deltas: Vec<Value> =
        deltas.map(|json| serde_json::from_str(&format!("{{{json}")).expect("JSON")).collect();
    let calls = deltas.iter().filter_map(|chunk| chunk["choices"][0]["delta"]["tool_calls"].get(0));
    let arguments: String = calls.filter_map(|call| call["function"]["arguments"].as_str()).collect();
    assert_eq!(arguments, "", "clients of this encoding would call the tool, too");
}

/// Each model fails in its own way. The partial text is kept, the API key is never shown, and the connection to the
/// provider is closed.
#[tokio::test]
async fn completion_reports_each_failure_of_a_provider() {
    let (mut server, provider) = with_provider().await;
    for (model, code, kept_text, status) in [
        ("stall", "upstream_timeout", "one two three", 504),
        ("silent", "upstream_timeout", "", 504),
        ("drop", "upstream_", "one two three", 502),
        ("rubbish", "upstream_protocol", "one", 502),
        ("noise", "upstream_", "", 502),
        ("limited", "upstream_rate_limited", "", 502),
        ("refuse", "upstream_refused", "", 502),
    ] {
        // The answers that end must not time out on a slow machine.
        let ends = !matches!(model, "stall" | "silent");
        let config = if ends { provider.config() } else { provider.impatient() };
        server = server.restart_with(|settings| settings.providers = vec![config]).await;
        let user = server.user();
        let (home, events) = asked(&user, model, "go on").await;
        let end = terminal(&events);
        assert_eq!(end["status"], "failed", "{model}: {end}");
        let told = end["error"]["code"].as_str().expect("a code");
        assert!(told.starts_with(code), "{model}: {told}");
        assert_eq!(answer(&events), kept_text, "{model}");
        let message = &messages(&user, &home).await[1];
        assert_eq!(message["status"], "failed", "{model}");
        assert_eq!(message["error"]["code"], end["error"]["code"], "{model}");
        assert_eq!(said(message), kept_text, "{model}");
        let opened = events.iter().filter(|event| event["type"] == "text.start").count();
        let closed = events.iter().filter(|event| event["type"] == "text.end").count();
        assert_eq!(opened, closed, "{model} ends every part");

        let stream = message["run_id"].as_str().expect("a run");
        let ui = attach(&user, &home, stream, "?wire=ui-message").await.rest().await;
        assert!(ui.contains(r#""type":"error""#) && ui.ends_with("data: [DONE]\n\n"), "{ui}");
        let whole = json!({"message": "go on", "model": format!("fake/{model}"), "stream": false});
        let whole = Answer::read(asking(&user, &home, whole).send().await.expect("an answer")).await;
        let problem = whole.expect(status).json();
        assert_eq!(problem["upstream_code"], end["error"]["code"], "{model}");
        for text in [end.to_string(), message.to_string(), ui, whole.text()] {
            assert!(!text.contains(KEY), "{model} reveals the key: {text}");
        }
        provider.idle().await;
    }
}

#[tokio::test]
async fn completion_retries_a_busy_provider() {
    let (server, provider) = with_provider().await;
    let (_, events) = asked(&server.user(), "limited-once", "here I am").await;
    assert_eq!(terminal(&events)["status"], "succeeded");
    assert_eq!(answer(&events), "here I am");
    assert_eq!(provider.requests().await.len(), 2);
}

#[tokio::test]
async fn cancel_closes_the_connection_to_the_provider() {
    let (server, provider) = with_provider().await;
    let user = server.user();
    for model in ["slow", "silent"] {
        let home = conversation(&user).await;
        let fields = json!({"message": "go", "model": format!("fake/{model}")});
        let live = ask(&user, &home, fields).await;
        until("it is asked", async || provider.open() > 0).await;
        assert_eq!(provider.open(), 1, "{model}");
        let receipt = user.delete(&address(&home, &live.id)).await.ok();
        assert_eq!(receipt["status"], "cancelled");
        provider.idle().await;
        assert_eq!(terminal(&live.events().await)["status"], "cancelled");
    }
}

#[tokio::test]
async fn completion_refuses_unknown_models_and_tools() {
    let (server, _provider) = with_provider().await;
    let user = server.user();
    let home = conversation(&user).await;
    let send =
        async |fields: Value| Answer::read(asking(&user, &home, fields).send().await.expect("sent")).await;
    send(json!({"message": "x", "model": "fake/none"})).await.problem(404, "model_not_found");
    assert_eq!(send(json!({"message": "x", "tools": ["none"]})).await.faults(), ["body.tools"]);
    assert!(messages(&user, &home).await.is_empty());
}
