//! Chat completions of the OpenAI interface.

use reqwest::Method;
use serde_json::{Value, json};

use super::{V1, asking, chunks, said, with, with_impatience, with_provider};
use crate::api::streams::reading::Stream;
use crate::harness::fake_provider::KEY;
use crate::harness::{TestServer, text};

fn path() -> String {
    format!("{V1}/chat/completions")
}

#[tokio::test]
async fn chat_completion_returns_the_same_streamed_and_whole() {
    let server = TestServer::start().await;
    let user = server.user();
    let body = with(asking("builtin/scribe", "What is a tide?"), json!({"length": 30}));
    let whole = user.post(&path(), body.clone()).await.ok();
    assert_eq!(whole["object"], "chat.completion");
    assert_eq!(whole["model"], "builtin/scribe");
    assert_eq!(whole["choices"][0]["finish_reason"], "stop");
    assert_eq!(whole["choices"][0]["message"]["role"], "assistant");
    assert!(whole["id"].as_str().expect("an id").starts_with("chatcmpl-"));
    assert!(whole["created"].as_i64().expect("seconds") > 1_700_000_000);

    let asked = with(body, json!({"stream": true, "stream_options": {"include_usage": true}}));
    let stream = Stream::open(user.request(Method::POST, &path()).json(&asked)).await;
    assert_eq!(stream.header("content-type"), Some("text/event-stream"));
    let (chunks, done) = chunks(&stream.rest().await);
    assert!(done);
    assert_eq!(said(&chunks, 0), text(&whole["choices"][0]["message"]["content"]));
    let (last, rest) = chunks.split_last().expect("chunks");
    assert_eq!((&last["choices"], &last["usage"]), (&json!([]), &whole["usage"]));
    assert_eq!(rest.last().expect("an end")["choices"][0]["finish_reason"], "stop");
    assert!(
        chunks
            .iter()
            .all(|chunk| chunk["id"] == chunks[0]["id"] && chunk["object"] == "chat.completion.chunk")
    );
    let used = &whole["usage"];
    let sum = used["prompt_tokens"].as_u64().zip(used["completion_tokens"].as_u64()).map(|(a, b)| a + b);
    assert_eq!(used["total_tokens"].as_u64(), sum);
}

#[tokio::test]
async fn unknown_fields_are_passed_to_the_provider_unchanged() {
    let (server, provider) = with_provider().await;
    let more = json!({
        "seed": 7, "stop": ["\n", "END"], "logit_bias": {"50256": -100}, "user": "u-1", "temperature": 0.2,
        "response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object"}}},
        "x_vendor": {"deep": [1, 2, {"three": null}]}, "parallel_tool_calls": false, "max_completion_tokens": 9,
        "reasoning_effort": "low", "top_logprobs": 2, "logprobs": true, "service_tier": "flex", "store": false,
        "metadata": {"a": "b"}, "absent": null,
    });
    server.user().post(&path(), with(asking("fake/echo", "hello"), more.clone())).await.ok();
    let sent = provider.requests().await.pop().expect("a request");
    for (name, value) in more.as_object().expect("fields") {
        let wanted = if name == "absent" { &Value::Null } else { value };
        assert_eq!(&sent[name], wanted, "{name}");
    }
    assert_eq!(sent["model"], "echo");
    assert_eq!(sent["messages"], json!([{"role": "user", "content": "hello"}]));
    assert!(sent.get("n").is_none() && sent.get("absent").is_none());
}

#[tokio::test]
async fn messages_are_passed_to_the_provider_unchanged() {
    let (server, provider) = with_provider().await;
    let messages = json!([
        {"role": "system", "content": "Be brief.", "name": "policy"},
        {"role": "user", "content": [
            {"type": "text", "text": "What is this?"},
            {"type": "image_url", "image_url": {"url": "https://example.com/a.png", "detail": "low"}},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo=", "detail": "high"}},
            {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
            {"type": "text", "text": "and this", "cache_control": {"type": "ephemeral"}},
        ]},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{\"at\":1}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "a boat"},
        {"role": "assistant", "content": "A boat.", "reasoning_content": "hm"},
        {"role": "user", "content": "Thanks."},
    ]);
    server.user().post(&path(), json!({"model": "fake/echo", "messages": messages})).await.ok();
    assert_eq!(provider.requests().await[0]["messages"], messages);
}

#[tokio::test]
async fn client_tools_are_called_by_the_client() {
    let (server, provider) = with_provider().await;
    let user = server.user();
    let tool = |name: &str| {
        json!({"type": "function", "function": {"name": name, "description": "d", "strict": true,
            "parameters": {"type": "object", "properties": {"far": {"type": "integer"}}}}})
    };
    let tools = json!([tool("north"), tool("south")]);
    let body = with(asking("fake/pair", "go"), json!({"tools": tools, "tool_choice": "required"}));
    let whole = user.post(&path(), body.clone()).await.ok();
    let choice = &whole["choices"][0];
    assert_eq!(choice["finish_reason"], "tool_calls");
    assert_eq!(choice["message"]["content"], Value::Null);
    let call = |name: &str| {
        json!({"id": format!("call_{name}"), "type": "function",
            "function": {"name": name, "arguments": "{\"far\":3}"}})
    };
    assert_eq!(choice["message"]["tool_calls"], json!([call("north"), call("south")]));
    let sent = provider.requests().await.pop().expect("a request");
    assert_eq!((&sent["tools"], &sent["tool_choice"]), (&tools, &json!("required")));

    let streamed = with(body, json!({"stream": true}));
    let stream = Stream::open(user.request(Method::POST, &path()).json(&streamed)).await;
    let (chunks, _) = chunks(&stream.rest().await);
    let deltas = chunks.iter().filter_map(|chunk| chunk["choices"][0]["delta"]["tool_calls"][0].as_object());
    let mut told = [String::new(), String::new()];
    for delta in deltas {
        let index = delta["index"].as_u64().expect("an index") as usize;
        told[index].push_str(delta["function"]["arguments"].as_str().unwrap_or_default());
    }
    assert_eq!(told, ["{\"far\":3}", "{\"far\":3}"]);
    assert_eq!(chunks.last().expect("an end")["choices"][0]["finish_reason"], "tool_calls");

    let results = json!([
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": null, "tool_calls": choice["message"]["tool_calls"]},
        {"role": "tool", "tool_call_id": "call_north", "content": "ice"},
        {"role": "tool", "tool_call_id": "call_south", "content": "sand"},
    ]);
    let told =
        user.post(&path(), json!({"model": "fake/pair", "messages": results, "tools": tools})).await.ok();
    assert_eq!(told["choices"][0]["message"]["content"], "it gave sand");
    assert_eq!(told["choices"][0]["finish_reason"], "stop");
}

#[tokio::test]
async fn several_choices_are_distinguished_and_all_billed() {
    let (server, provider) = with_provider().await;
    let user = server.user();
    let body = with(asking("fake/echo", "one two three"), json!({"n": 3}));
    let whole = user.post(&path(), body.clone()).await.ok();
    let choices = whole["choices"].as_array().expect("choices");
    assert_eq!(choices.len(), 3);
    for (at, choice) in choices.iter().enumerate() {
        assert_eq!(choice["index"], at);
        assert_eq!(choice["message"]["content"], "one two three");
        assert_eq!(choice["finish_reason"], "stop");
    }
    assert_eq!(
        (&whole["usage"]["prompt_tokens"], &whole["usage"]["completion_tokens"]),
        (&json!(30), &json!(9))
    );
    assert_eq!(provider.requests().await.len(), 3);

    let streamed = with(body, json!({"stream": true}));
    let stream = Stream::open(user.request(Method::POST, &path()).json(&streamed)).await;
    let (chunks, done) = chunks(&stream.rest().await);
    assert!(done);
    for choice in 0..3 {
        assert_eq!(said(&chunks, choice), "one two three");
        let ends = chunks.iter().filter(|chunk| {
            chunk["choices"][0]["index"] == choice && chunk["choices"][0]["finish_reason"] == "stop"
        });
        assert_eq!(ends.count(), 1);
    }
}

#[tokio::test]
async fn metadata_of_the_provider_reaches_the_client() {
    let (server, _provider) = with_provider().await;
    let user = server.user();
    let body = with(asking("fake/detailed", "?"), json!({"logprobs": true}));
    let whole = user.post(&path(), body.clone()).await.ok();
    let choice = &whole["choices"][0];
    assert_eq!(choice["logprobs"]["content"][0]["logprob"], -0.25);
    assert_eq!(choice["message"]["content"], "yes");
    assert_eq!(choice["message"]["refusal"], "not all");
    assert_eq!(whole["system_fingerprint"], "fp_1");
    let streamed = with(body, json!({"stream": true}));
    let stream = Stream::open(user.request(Method::POST, &path()).json(&streamed)).await;
    let (chunks, _) = chunks(&stream.rest().await);
    let field =
        |pointer: &str| chunks.iter().filter_map(|chunk| chunk.pointer(pointer).cloned()).collect::<Vec<_>>();
    assert!(field("/choices/0/logprobs/content/0/token").contains(&json!("yes")));
    assert!(field("/system_fingerprint").contains(&json!("fp_1")));
    let refused: String = field("/choices/0/delta/refusal").iter().filter_map(Value::as_str).collect();
    assert_eq!(refused, "not all");
}

#[tokio::test]
async fn errors_have_the_format_of_the_openai_interface() {
    let (server, _provider) = with_impatience().await;
    let user = server.user();
    let scoped = server.token(&["conversations:read"]).await;
    let long = json!({"model": "fake/echo", "messages": []});
    let cases = [
        (user.post(&path(), asking("fake/none", "x")).await, 404, "model_not_found"),
        (user.post(&path(), long).await, 422, "invalid"),
        (user.post(&path(), asking("fake/refuse", "x")).await, 400, "upstream_refused"),
        (user.post(&path(), asking("fake/limited", "x")).await, 429, "upstream_rate_limited"),
        (user.post(&path(), asking("fake/silent", "x")).await, 504, "upstream_timeout"),
        (user.post(&path(), asking("fake/drop", "x")).await, 502, "upstream_failed"),
        (scoped.post(&path(), asking("fake/echo", "x")).await, 403, "scope_missing"),
        (server.anonymous().post(&path(), asking("fake/echo", "x")).await, 401, "credentials_missing"),
    ];
    for (answer, status, code) in cases {
        let error = answer.expect(status).json();
        assert_eq!(error["error"]["code"], code, "{answer:?}");
        assert!(error["error"]["message"].is_string() && error["error"]["type"].is_string());
        assert!(!answer.text().contains(KEY), "{answer:?}");
    }
    // A failure before the first text sets the status of a stream, too.
    let asked = with(asking("fake/refuse", "x"), json!({"stream": true}));
    user.post(&path(), asked).await.expect(400);
    // A failure after the first text is an event, and the stream ends.
    let asked = with(asking("fake/drop", "x"), json!({"stream": true}));
    let stream = Stream::open(user.request(Method::POST, &path()).json(&asked)).await;
    let (chunks, done) = chunks(&stream.rest().await);
    assert_eq!(said(&chunks, 0), "one two three");
    assert!(chunks.last().expect("chunks")["error"]["message"].is_string() && done);
}

#[tokio::test]
async fn assistant_answers_with_its_instructions_and_tools() {
    let (server, provider) = with_provider().await;
    let editor = server.editor();
    let made = json!({"name": "Ada", "model": "fake/tools", "system_prompt": "You are Ada.",
        "tools": ["count_text"], "model_parameters": {"temperature": 0.5}});
    let ada = text(&editor.post("/api/assistants", made).await.created()["id"]);
    let path = format!("/api/chat/partner_compatible/{ada}/v1/chat/completions");
    let whole = editor.post(&path, asking("default", "four words are here")).await.ok();
    let message = &whole["choices"][0]["message"];
    // The server called the assistant's own tool, so the client sees no call.
    assert!(message.get("tool_calls").is_none());
    assert!(text(&message["content"]).contains("\"words\":4"), "{message}");
    assert_eq!(whole["choices"][0]["finish_reason"], "stop");
    let sent = provider.requests().await;
    assert_eq!(sent.len(), 2);
    assert_eq!(sent[0]["messages"][0], json!({"role": "system", "content": "You are Ada."}));
    assert_eq!((&sent[0]["model"], &sent[0]["temperature"]), (&json!("tools"), &json!(0.5)));

    let streamed = with(asking("default", "a b"), json!({"stream": true}));
    let stream = Stream::open(editor.request(Method::POST, &path).json(&streamed)).await;
    let text = stream.rest().await;
    assert!(!text.contains("tool_calls"), "{text}");

    // A client tool takes precedence over a server tool of the same name.
    let tools =
        json!([{"type": "function", "function": {"name": "count_text", "parameters": {"type": "object"}}}]);
    let whole = editor.post(&path, with(asking("default", "x"), json!({"tools": tools}))).await.ok();
    assert_eq!(whole["choices"][0]["finish_reason"], "tool_calls");

    for stranger in [server.user(), server.stranger()] {
        let answer = stranger.post(&path, asking("default", "x")).await;
        assert_eq!(answer.expect(404).json()["error"]["code"], "not_found");
    }
}
