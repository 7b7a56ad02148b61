use super::*;
use crate::chat::{ChatMessage, Content, Role, ToolCall};

fn request(model: &str) -> ChatRequest {
    let messages = vec![ChatMessage::text(Role::User, "hello")];
    ChatRequest { model: model.into(), messages, ..ChatRequest::default() }
}

fn with(model: &str, parameters: Value) -> ChatRequest {
    let Value::Object(parameters) = parameters else { panic!("an object") };
    ChatRequest { parameters, ..request(model) }
}

fn encoded(request: &ChatRequest) -> Value {
    serde_json::from_slice(&body(request, None).unwrap()).unwrap()
}

fn tool(name: &str) -> ToolSpec {
    ToolSpec {
        name: name.into(),
        description: "Does.".into(),
        parameters: json!({"type": "object"}),
        ..ToolSpec::default()
    }
}

fn called(id: &str) -> ChatMessage {
    let calls = vec![ToolCall { call_id: id.into(), name: "clock".into(), arguments: "{\"a\":1}".into() }];
    ChatMessage { tool_calls: calls, content: Vec::new(), ..ChatMessage::text(Role::Assistant, "") }
}

#[test]
fn body_contains_required_and_no_unknown_fields() {
    let expected = json!({"model": "claude-haiku-4-5", "max_tokens": 8192, "stream": true,
        "messages": [{"role": "user", "content": [{"type": "text", "text": "hello"}]}]});
    let odd =
        json!({"n": 2, "logprobs": true, "seed": 1, "frequency_penalty": 1, "stream_options": {}, "x": 1});
    assert_eq!(encoded(&with("claude-haiku-4-5", odd)), expected);
    let encoded_body = body(&request("m"), Some(100)).unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&encoded_body).unwrap()["max_tokens"], 100);
}

#[test]
fn body_moves_instructions_to_the_top_and_merges_turns() {
    let mut chat = request("m");
    chat.messages = vec![
        ChatMessage::text(Role::System, "Be kind."),
        ChatMessage::text(Role::User, "a"),
        ChatMessage::text(Role::System, "Be brief."),
        ChatMessage::text(Role::User, "b"),
        called("call.1"),
        ChatMessage::tool_result("call.1", "noon"),
        ChatMessage::text(Role::User, "and?"),
        ChatMessage::text(Role::Assistant, "It is  \n"),
    ];
    let body = encoded(&chat);
    assert_eq!(body["system"], "Be kind.\n\nBe brief.");
    let text = |text: &str| json!({"type": "text", "text": text});
    let expected = json!([
        {"role": "user", "content": [text("a"), text("b")]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "call_1", "name": "clock", "input": {"a": 1}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "call_1", "content": [text("noon")]}, text("and?")]},
        {"role": "assistant", "content": [text("It is")]},
    ]);
    assert_eq!(body["messages"], expected);
}

#[test]
fn body_encodes_images_documents_and_cache_control() {
    let mut chat = request("m");
    let cache = json!({"type": "ephemeral"});
    chat.messages[0].content = vec![
        Content::Image {
            media_type: "image/png".into(),
            data: bytes::Bytes::from_static(b"png"),
            detail: None,
        },
        Content::ImageUrl { url: "https://x/a.png".into(), detail: None },
        Content::ImageUrl { url: "data:image/gif;base64,R0lG".into(), detail: None },
        Content::Raw(json!({"type": "text", "text": "t", "cache_control": cache})),
        Content::Raw(
            json!({"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBE"}}),
        ),
    ];
    chat.messages[0].extra.insert("cache_control".into(), cache.clone());
    let body = encoded(&chat);
    let content = body["messages"][0]["content"].as_array().unwrap();
    assert_eq!(content[0]["source"], json!({"type": "base64", "media_type": "image/png", "data": "cG5n"}));
    assert_eq!(content[1]["source"], json!({"type": "url", "url": "https://x/a.png"}));
    assert_eq!(content[2]["source"], json!({"type": "base64", "media_type": "image/gif", "data": "R0lG"}));
    assert_eq!(content[3], json!({"type": "text", "text": "t", "cache_control": cache}));
    assert_eq!((&content[4]["type"], &content[4]["title"]), (&json!("document"), &json!("a.pdf")));
    assert_eq!(content[4]["cache_control"], cache);
}

#[test]
fn body_rejects_unsupported_content_by_name() {
    for part in [json!({"type": "input_audio"}), json!({"type": "file", "file": {"file_id": "f"}}), json!({})]
    {
        let mut chat = request("m");
        chat.messages[0].content = vec![Content::Raw(part.clone())];
        let error = body(&chat, None).unwrap_err();
        assert_eq!(error.kind, crate::ProviderErrorKind::Refused);
        assert!(error.message.contains(part["type"].as_str().unwrap_or_default()), "{error}");
    }
}

#[test]
fn body_encodes_tools_and_tool_choice() {
    let choice = |choice: Value, parameters: Value| {
        let request =
            ChatRequest { tools: vec![tool("clock")], tool_choice: Some(choice), ..with("m", parameters) };
        encoded(&request)["tool_choice"].clone()
    };
    assert_eq!(choice(json!("required"), json!({})), json!({"type": "any"}));
    assert_eq!(choice(json!("none"), json!({})), json!({"type": "none"}));
    let one = json!({"type": "function", "function": {"name": "clock"}});
    let alone = json!({"parallel_tool_calls": false});
    let expected = json!({"type": "tool", "name": "clock", "disable_parallel_tool_use": true});
    assert_eq!(choice(one, alone.clone()), expected);
    assert_eq!(choice(json!(null), alone), json!({"type": "auto", "disable_parallel_tool_use": true}));
    let none = ChatRequest { tool_choice: Some(json!("required")), ..request("m") };
    assert_eq!(encoded(&none).get("tool_choice"), None, "there is nothing to choose from");
}

#[test]
fn body_sends_supported_sampling_parameters() {
    let parameters = json!({"temperature": 1.7, "top_p": 0.5, "top_k": 9, "stop": ["x", " "], "user": "u"});
    let old = encoded(&with("claude-3-5-haiku", parameters.clone()));
    assert_eq!((&old["temperature"], &old["top_p"], &old["top_k"]), (&json!(1.0), &json!(0.5), &json!(9)));
    assert_eq!((&old["stop_sequences"], &old["metadata"]), (&json!(["x"]), &json!({"user_id": "u"})));
    let newer = encoded(&with("claude-sonnet-4-5", parameters.clone()));
    assert!(newer.get("temperature").is_some() && newer.get("top_p").is_none());
    let newest = encoded(&with("claude-opus-4-8", parameters));
    assert!(["temperature", "top_p", "top_k"].iter().all(|key| newest.get(key).is_none()));
}

#[test]
fn body_converts_effort_to_budget_or_level() {
    let old = encoded(&with("claude-haiku-4-5", json!({"reasoning_effort": "medium", "temperature": 0.2})));
    assert_eq!(old["thinking"], json!({"type": "enabled", "budget_tokens": 8192}));
    assert_eq!((&old["max_tokens"], old.get("temperature")), (&json!(16_384), None));
    let tight = encoded(&with("claude-haiku-4-5", json!({"reasoning_effort": "high", "max_tokens": 2000})));
    assert_eq!((&tight["thinking"]["budget_tokens"], &tight["max_tokens"]), (&json!(1999), &json!(2000)));
    let no_room = encoded(&with("claude-haiku-4-5", json!({"reasoning_effort": "high", "max_tokens": 500})));
    assert_eq!(no_room.get("thinking"), None);
    let new = encoded(&with("claude-opus-4-6", json!({"reasoning_effort": "high"})));
    assert_eq!(new["thinking"], json!({"type": "adaptive"}));
    assert_eq!(new["output_config"], json!({"effort": "high"}));
    let none = encoded(&with("claude-opus-5-5", json!({"reasoning_effort": "none"})));
    assert_eq!((none.get("thinking"), &none["output_config"]["effort"]), (None, &json!("low")));
}

#[test]
fn body_returns_signed_reasoning_and_disables_thinking_without_it() {
    let thinks = json!({"reasoning_effort": "low"});
    let mut chat = ChatRequest { tools: vec![tool("clock")], ..with("claude-haiku-4-5", thinks) };
    chat.messages.extend([called("c"), ChatMessage::tool_result("c", "noon")]);
    assert_eq!(encoded(&chat).get("thinking"), None);
    let details = json!([
        {"type": "reasoning.text", "format": "anthropic-claude-v1", "text": "hm", "signature": "s"},
        {"type": "reasoning.encrypted", "format": "anthropic-claude-v1", "data": "d"},
        {"type": "reasoning.encrypted", "format": "google-gemini-v1", "data": "other"},
    ]);
    chat.messages[1].extra.insert("reasoning_details".into(), details);
    let body = encoded(&chat);
    let said = body["messages"][1]["content"].as_array().unwrap();
    assert_eq!(said[0], json!({"type": "thinking", "thinking": "hm", "signature": "s"}));
    assert_eq!(said[1], json!({"type": "redacted_thinking", "data": "d"}));
    assert_eq!((said.len(), &said[2]["type"]), (3, &json!("tool_use")));
    assert_eq!(body["thinking"]["type"], "enabled");
    // If a tool call is forced, thinking is not possible.
    chat.tool_choice = Some(json!("required"));
    assert_eq!(encoded(&chat).get("thinking"), None);
}

#[test]
fn body_encodes_the_response_format() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}});
    let format =
        json!({"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}});
    let closed =
        json!({"type": "object", "properties": {"n": {"type": "integer"}}, "additionalProperties": false});
    let expected = json!({"format": {"type": "json_schema", "schema": closed}});
    assert_eq!(encoded(&with("m", format))["output_config"], expected);
    let any = encoded(&with("m", json!({"response_format": {"type": "json_object"}})));
    assert_eq!(any["system"], ANY_JSON);
}

#[test]
fn body_sends_the_last_instruction_as_a_user_turn_if_there_is_none() {
    let mut chat = request("m");
    chat.messages =
        vec![ChatMessage::text(Role::System, "Be kind."), ChatMessage::text(Role::System, "Greet me.")];
    let body = encoded(&chat);
    assert_eq!(body["system"], "Be kind.");
    let greeting = json!([{"role": "user", "content": [{"type": "text", "text": "Greet me."}]}]);
    assert_eq!(body["messages"], greeting);
    chat.messages.remove(0);
    let body = encoded(&chat);
    assert_eq!((body.get("system"), &body["messages"]), (None, &greeting));
}
