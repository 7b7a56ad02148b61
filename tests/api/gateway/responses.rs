//! The Responses interface.

use reqwest::Method;
use serde_json::{Value, json};

use super::{V1, with, with_provider};
use crate::api::streams::reading::{Stream, server};
use crate::harness::text;

fn path() -> String {
    format!("{V1}/responses")
}

fn one(id: &str) -> String {
    format!("{V1}/responses/{id}")
}

/// Returns the events of a stream. Each has its `type` in its `event:` line, too.
fn told(text: &str) -> Vec<Value> {
    let frames = text.split("\n\n").filter(|frame| frame.contains("data: "));
    frames
        .map(|frame| {
            let line = |name: &str| frame.lines().find_map(|line| line.strip_prefix(name)).expect(name);
            let event: Value = serde_json::from_str(line("data: ")).expect("JSON");
            assert_eq!(event["type"], line("event: "));
            event
        })
        .collect()
}

fn kinds(events: &[Value]) -> Vec<String> {
    let mut kinds: Vec<String> = events.iter().map(|event| text(&event["type"])).collect();
    kinds.dedup();
    kinds
}

#[tokio::test]
async fn response_is_the_same_streamed_whole_and_read_again() {
    let server = server().await;
    let user = server.user();
    let body = json!({"model": "builtin/scribe", "input": "What is a tide?", "instructions": "Be brief.",
        "length": 30, "metadata": {"a": "b"}});
    let whole = user.post(&path(), body.clone()).await.ok();
    assert_eq!((&whole["object"], &whole["status"]), (&json!("response"), &json!("completed")));
    assert_eq!((&whole["instructions"], &whole["metadata"]), (&json!("Be brief."), &json!({"a": "b"})));
    let said = text(&whole["output"][0]["content"][0]["text"]);
    assert_eq!(whole["output"][0]["role"], "assistant");
    assert!(said.split(' ').count() >= 20, "{said}");
    let id = text(&whole["id"]);
    assert_eq!(user.get(&one(&id)).await.ok(), whole);

    let stream =
        Stream::open(user.request(Method::POST, &path()).json(&with(body, json!({"stream": true})))).await;
    let events = told(&stream.rest().await);
    for (number, event) in events.iter().enumerate() {
        assert_eq!(event["sequence_number"], number);
    }
    assert_eq!(
        kinds(&events),
        [
            "response.created",
            "response.in_progress",
            "response.output_item.added",
            "response.content_part.added",
            "response.output_text.delta",
            "response.output_text.done",
            "response.content_part.done",
            "response.output_item.done",
            "response.completed",
        ]
    );
    let deltas = events.iter().filter(|event| event["type"] == "response.output_text.delta");
    let joined: String = deltas.map(|event| text(&event["delta"])).collect();
    assert_eq!(joined, said);
    let last = &events.last().expect("an end")["response"];
    assert_eq!(&user.get(&one(&text(&last["id"]))).await.ok(), last);
    // Reading again after any event returns exactly the events that follow.
    let id = text(&last["id"]);
    for after in 0..events.len() {
        let again = user.get(&format!("{}?stream=true&starting_after={after}", one(&id))).await;
        assert_eq!(told(&again.text()), events[after + 1..], "after {after}");
    }
}

#[tokio::test]
async fn response_calls_functions_and_accepts_their_output() {
    let (server, provider) = with_provider().await;
    let user = server.user();
    let tool = |name: &str| {
        json!({"type": "function", "name": name, "description": "d", "strict": true,
            "parameters": {"type": "object"}})
    };
    let body = json!({"model": "fake/pair", "input": "go", "tools": [tool("north"), {"type": "web_search"}, tool("south")],
        "tool_choice": {"type": "function", "name": "north"}, "max_output_tokens": 50,
        "text": {"format": {"type": "json_schema", "name": "x", "schema": {"type": "object"}, "strict": true}},
        "reasoning": {"effort": "low"}});
    let first = user.post(&path(), body.clone()).await.ok();
    let calls = first["output"].as_array().expect("items").clone();
    assert_eq!(calls.len(), 2);
    assert_eq!((&calls[0]["type"], &calls[0]["arguments"]), (&json!("function_call"), &json!("{\"far\":3}")));
    let sent = provider.requests().await.pop().expect("a request");
    assert_eq!(sent["tools"][0]["function"]["name"], "north");
    assert_eq!(sent["tools"][0]["function"]["strict"], true);
    assert_eq!(sent["tool_choice"], json!({"type": "function", "function": {"name": "north"}}));
    assert_eq!((&sent["max_tokens"], &sent["reasoning_effort"]), (&json!(50), &json!("low")));
    assert_eq!(sent["response_format"]["json_schema"]["name"], "x");
    assert_eq!(sent["tools"].as_array().expect("tools").len(), 2, "hosted tools are left out");

    let output =
        |call: &Value| json!({"type": "function_call_output", "call_id": call["call_id"], "output": "ice"});
    let second = json!({"model": "fake/pair", "previous_response_id": first["id"],
        "input": [output(&calls[0]), output(&calls[1])]});
    let second = user.post(&path(), second).await.ok();
    assert_eq!(second["output"][0]["content"][0]["text"], "it gave ice");
    let sent = provider.requests().await.pop().expect("a request");
    let roles: Vec<&str> = sent["messages"]
        .as_array()
        .expect("messages")
        .iter()
        .filter_map(|message| message["role"].as_str())
        .collect();
    assert_eq!(roles, ["user", "assistant", "tool", "tool"]);
    assert_eq!(sent["messages"][1]["tool_calls"].as_array().expect("calls").len(), 2);
    let items = user.get(&format!("{}/input_items", one(&text(&second["id"])))).await.ok();
    assert_eq!(items["data"].as_array().expect("items").len(), 2);
    assert_eq!(items["data"][0]["type"], "function_call_output");

    let stream =
        Stream::open(user.request(Method::POST, &path()).json(&with(body, json!({"stream": true})))).await;
    let events = told(&stream.rest().await);
    let done: Vec<&Value> =
        events.iter().filter(|event| event["type"] == "response.function_call_arguments.done").collect();
    assert_eq!(done.len(), 2);
    assert!(done.iter().all(|event| event["arguments"] == "{\"far\":3}"));
}

#[tokio::test]
async fn background_response_continues_and_can_be_stopped() {
    let (server, provider) = with_provider().await;
    let user = server.user();
    let made =
        user.post(&path(), json!({"model": "fake/slow", "input": "go", "background": true})).await.ok();
    assert!(["queued", "in_progress"].contains(&made["status"].as_str().expect("a status")), "{made}");
    let id = text(&made["id"]);
    let mut reader = Stream::open(user.request(Method::GET, &format!("{}?stream=true", one(&id)))).await;
    for _ in 0..5 {
        reader.frame().await.expect("an event");
    }
    // A response that has not ended cannot be continued.
    let early = json!({"model": "fake/echo", "input": "x", "previous_response_id": id});
    assert_eq!(user.post(&path(), early).await.expect(422).json()["error"]["param"], "previous_response_id");
    for other in [server.editor(), server.stranger()] {
        other.get(&one(&id)).await.expect(404);
        other.post(&format!("{}/cancel", one(&id)), json!({})).await.expect(404);
        other.delete(&one(&id)).await.expect(404);
    }
    let stopped = user.post(&format!("{}/cancel", one(&id)), json!({})).await.ok();
    assert_eq!(stopped["status"], "cancelled");
    provider.idle().await;
    let rest = told(&reader.rest().await);
    assert_eq!(rest.last().expect("an end")["response"]["status"], "cancelled");
    assert_eq!(user.get(&one(&id)).await.ok()["status"], "cancelled");
    let gone = user.delete(&one(&id)).await.ok();
    assert_eq!(gone, json!({"id": id, "object": "response", "deleted": true}));
    user.get(&one(&id)).await.expect(404);
}

#[tokio::test]
async fn response_operations_are_available_below_an_assistant() {
    let (server, provider) = with_provider().await;
    let editor = server.editor();
    let made = json!({"name": "Ada", "model": "fake/echo", "system_prompt": "You are Ada."});
    let ada = text(&editor.post("/api/assistants", made).await.created()["id"]);
    for v1 in ["", "/v1"] {
        let below = format!("/api/chat/partner_compatible/{ada}{v1}");
        let made = editor.post(&format!("{below}/responses"), json!({"input": "who"})).await.ok();
        assert_eq!(
            provider.requests().await.pop().expect("a request")["messages"][0]["content"],
            "You are Ada."
        );
        let one = format!("{below}/responses/{}", text(&made["id"]));
        assert_eq!(editor.get(&one).await.ok(), made);
        assert_eq!(editor.get(&format!("{one}/input_items")).await.ok()["data"][0]["role"], "user");
        assert_eq!(editor.post(&format!("{one}/cancel"), json!({})).await.ok()["status"], "completed");
        // A response below one assistant is not accessible below another, and a response without an assistant is not
        // accessible below any.
        let bob = text(&editor.post("/api/assistants", json!({"name": "Bob"})).await.created()["id"]);
        let other = format!("/api/chat/partner_compatible/{bob}{v1}/responses/{}", text(&made["id"]));
        for path in [other.clone(), format!("{other}/input_items")] {
            editor.get(&path).await.expect(404);
        }
        editor.post(&format!("{other}/cancel"), json!({})).await.expect(404);
        editor.delete(&other).await.expect(404);
        editor
            .get(&format!("/api/chat/partner_compatible/x{v1}/responses/{}", text(&made["id"])))
            .await
            .expect(422);
        editor.delete(&one).await.ok();
        editor.get(&one).await.expect(404);
        editor.post(&format!("{below}/embeddings"), json!({"input": "x"})).await.ok();
        server.stranger().post(&format!("{below}/responses"), json!({"input": "who"})).await.expect(404);
    }
}

#[tokio::test]
async fn response_reports_reasoning_and_end_states() {
    let (server, _provider) = with_provider().await;
    let user = server.user();
    let thought = user.post(&path(), json!({"model": "fake/reasoning", "input": "?"})).await.ok();
    assert_eq!(thought["output"][0]["summary"][0]["text"], "let me think");
    assert_eq!(thought["output"][1]["content"][0]["text"], "done");
    let refused = user.post(&path(), json!({"model": "fake/detailed", "input": "?"})).await.ok();
    assert_eq!(
        refused["output"][1]["content"],
        json!([{"type": "refusal", "refusal": "not all"}]),
        "{refused}"
    );
    let stream = with(json!({"model": "fake/drop", "input": "x"}), json!({"stream": true}));
    let events = told(&Stream::open(user.request(Method::POST, &path()).json(&stream)).await.rest().await);
    let last = events.last().expect("an end");
    assert_eq!((&last["type"], &last["response"]["status"]), (&json!("response.failed"), &json!("failed")));
    assert!(last["response"]["error"]["message"].is_string());
    for (body, param) in [
        (json!({"model": "fake/echo"}), "input"),
        (json!({"input": []}), "input"),
        (json!({"input": [{"type": "computer_call"}]}), "input.0.type"),
        (json!({"input": [{"role": "boss", "content": "x"}]}), "input.0.role"),
        (json!({"input": "x", "previous_response_id": "resp_x"}), "previous_response_id"),
        (json!({"input": "x", "tools": [{"name": "f"}]}), "tools.0.type"),
        (json!({"input": "x", "background": true, "store": false}), "store"),
    ] {
        let answer = user.post(&path(), body.clone()).await;
        assert_eq!(answer.expect(422).json()["error"]["param"], param, "{body}");
    }
}

#[tokio::test]
async fn response_sequence_numbers_are_stable() {
    let server = server().await;
    let user = server.user();
    let body = json!({"model": "builtin/scribe", "input": "What is a tide?", "length": 40});
    let made = user.post(&path(), body).await;
    let stream = made.header("x-stream-id").expect("a stream").to_owned();
    let id = text(&made.ok()["id"]);
    let here = told(&user.get(&format!("{}?stream=true", one(&id))).await.text());
    let there = format!("/api/chat/streams/{stream}?wire=responses");
    assert_eq!(told(&user.get(&there).await.text()), here);
    let after = told(&user.get(&format!("{there}&after=5")).await.text());
    assert_eq!(after, here[6..]);
    // A run that was not requested as a response cannot be read as one.
    let chat = user.post("/api/chat/completion", super::asking("builtin/scribe", "x")).await;
    let chat = chat.header("x-stream-id").expect("a stream").replace('-', "");
    user.get(&one(&format!("resp_{chat}"))).await.expect(404);
}
