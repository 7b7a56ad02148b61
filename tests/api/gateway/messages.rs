//! Faults of messages and tools are reported individually, and a faulty request changes nothing.

use serde_json::{Value, json};

use super::{V1, asking, with, with_provider};

#[tokio::test]
async fn body_with_too_many_values_is_refused_and_one_with_few_large_ones_accepted() {
    let (server, provider) = with_provider().await;
    let user = server.user();
    let path = format!("{V1}/chat/completions");
    let many = with(asking("fake/echo", "x"), json!({"x": vec![0; 1_100_000]}));
    assert_eq!(user.post(&path, many).await.expect(413).json()["error"]["code"], "too_large");
    assert!(provider.requests().await.is_empty());
    let large = with(asking("fake/echo", "x"), json!({"x": "0,[{".repeat(1_000_000)}));
    user.post(&path, large.clone()).await.ok();
    assert_eq!(provider.requests().await[0]["x"], large["x"]);
}

#[tokio::test]
async fn completion_reports_the_place_of_every_fault() {
    let (server, provider) = with_provider().await;
    let user = server.user();
    let message = |message: Value| json!({"model": "fake/echo", "messages": [message]});
    let tool = |function: Value| {
        with(asking("fake/echo", "x"), json!({"tools": [{"type": "function", "function": function}]}))
    };
    let image = |url: &str| {
        message(json!({"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}))
    };
    for (body, place) in [
        (json!({"model": "fake/echo"}), "messages"),
        (message(json!("hello")), "messages.0"),
        (message(json!({"role": "boss", "content": "x"})), "messages.0.role"),
        (message(json!({"role": "user"})), "messages.0.content"),
        (message(json!({"role": "user", "content": 5})), "messages.0.content"),
        (message(json!({"role": "user", "content": [{"text": "x"}]})), "messages.0.content.0.type"),
        (message(json!({"role": "tool", "content": "x"})), "messages.0.tool_call_id"),
        (message(json!({"role": "assistant", "tool_calls": [{"id": "a"}]})), "messages.0.tool_calls.0"),
        (image("file:///etc/passwd"), "messages.0.content.0.image_url.url"),
        (image("data:image/png;base64,*"), "messages.0.content.0.image_url.url"),
        (tool(json!({"name": "no spaces"})), "tools.0.function.name"),
        (tool(json!({"name": "x", "parameters": 1})), "tools.0.function.parameters"),
        (with(asking("fake/echo", "x"), json!({"n": 0})), "n"),
        (with(asking("fake/echo", "x"), json!({"n": 99})), "n"),
        (with(asking("fake/echo", "x"), json!({"stream": "yes"})), "stream"),
    ] {
        let answer = user.post(&format!("{V1}/chat/completions"), body.clone()).await;
        assert_eq!(answer.expect(422).json()["error"]["param"], place, "{body}: {answer:?}");
    }
    // Fields of the Responses interface that are refused, since ignoring them would change the answer.
    for name in ["prompt", "conversation"] {
        let body = json!({"model": "fake/echo", "input": "x", name: {"id": "pmpt_1"}});
        let answer = user.post(&format!("{V1}/responses"), body).await;
        assert_eq!(answer.expect(422).json()["error"]["param"], name);
    }
    // Our own interface reports all faults at once.
    let body = json!({"messages": [{"role": "boss"}, 3], "stray": 1, "temperature": 9});
    let problem = user.post("/api/chat/completion", body).await.problem(422, "invalid");
    let places: Vec<String> =
        problem["errors"].as_array().expect("faults").iter().map(|fault| fault["loc"].to_string()).collect();
    for place in [
        r#"["body","stray"]"#,
        r#"["body","messages",0,"role"]"#,
        r#"["body","messages",1]"#,
        r#"["body","temperature"]"#,
    ] {
        assert!(places.iter().any(|other| other == place), "{place} in {places:?}");
    }
    assert!(provider.requests().await.is_empty());
}
