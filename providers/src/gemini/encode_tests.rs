use super::*;
use crate::chat::{ChatMessage, Content, Role, ToolCall};

fn request(model: &str, parameters: Value) -> ChatRequest {
    let Value::Object(parameters) = parameters else { panic!("an object") };
    let messages = vec![ChatMessage::text(Role::User, "hello")];
    ChatRequest { model: model.into(), messages, parameters, ..ChatRequest::default() }
}

fn encoded(request: &ChatRequest) -> Value {
    serde_json::from_slice(&body(request).unwrap()).unwrap()
}

fn called(ids: &[&str]) -> ChatMessage {
    let call =
        |id: &&str| ToolCall { call_id: (*id).into(), name: format!("tool_{id}"), arguments: "{}".into() };
    let tool_calls = ids.iter().map(call).collect();
    ChatMessage { tool_calls, content: Vec::new(), ..ChatMessage::text(Role::Assistant, "") }
}

#[test]
fn body_contains_only_known_fields() {
    let odd = json!({"n": 3, "stream_options": {}, "user": "u", "x": 1, "logit_bias": {}});
    let expected = json!({"contents": [{"role": "user", "parts": [{"text": "hello"}]}],
        "generationConfig": {"candidateCount": 1}});
    assert_eq!(encoded(&request("gemini-2.5-pro", odd)), expected);
}

#[test]
fn body_renames_parameters() {
    let parameters = json!({"temperature": 0.1, "top_p": 0.2, "top_k": 3, "seed": 4, "max_tokens": 5, "stop": "x",
        "logprobs": true, "top_logprobs": 2, "presence_penalty": 0.5,
        "response_format": {"type": "json_schema", "json_schema": {"schema": {"type": "object",
            "additionalProperties": false, "properties": {"a": {"type": "string"}}}}}});
    let expected = json!({"candidateCount": 1, "temperature": 0.1, "topP": 0.2, "topK": 3, "seed": 4,
        "maxOutputTokens": 5, "stopSequences": ["x"], "responseLogprobs": true, "logprobs": 2,
        "presencePenalty": 0.5, "responseMimeType": "application/json",
        "responseSchema": {"type": "object", "properties": {"a": {"type": "string"}}}});
    assert_eq!(encoded(&request("m", parameters))["generationConfig"], expected);
}

#[test]
fn body_converts_effort_to_budget_or_level() {
    let thinking = |model: &str, effort: &str| {
        encoded(&request(model, json!({"reasoning_effort": effort})))["generationConfig"]["thinkingConfig"]
            .clone()
    };
    assert_eq!(thinking("gemini-2.5-flash", "none"), json!({"includeThoughts": false, "thinkingBudget": 0}));
    assert_eq!(thinking("gemini-2.5-pro", "low"), json!({"includeThoughts": true, "thinkingBudget": 1024}));
    assert_eq!(
        thinking("gemini-3.8-flash", "high"),
        json!({"includeThoughts": true, "thinkingLevel": "high"})
    );
    assert_eq!(
        thinking("gemini-3.1-pro", "minimal"),
        json!({"includeThoughts": true, "thinkingLevel": "low"})
    );
}

#[test]
fn body_matches_results_to_calls_and_returns_signatures() {
    let mut chat = request("gemini-3.8-flash", json!({}));
    chat.messages.insert(0, ChatMessage::text(Role::System, "Be kind."));
    let mut turn = called(&["a", "b"]);
    let signed =
        json!([{"type": "reasoning.encrypted", "format": "google-gemini-v1", "data": "s", "id": "a"}]);
    turn.extra.insert("reasoning_details".into(), signed);
    let results = [("a", "noon"), ("b", "{\"x\":1}")].map(|(id, text)| ChatMessage::tool_result(id, text));
    chat.messages.push(turn);
    chat.messages.extend(results);
    let body = encoded(&chat);
    assert_eq!(body["systemInstruction"], json!({"parts": [{"text": "Be kind."}]}));
    let expected = json!([
        {"role": "user", "parts": [{"text": "hello"}]},
        {"role": "model", "parts": [
            {"functionCall": {"name": "tool_a", "args": {}}, "thoughtSignature": "s"},
            {"functionCall": {"name": "tool_b", "args": {}}}]},
        {"role": "user", "parts": [
            {"functionResponse": {"name": "tool_a", "response": {"result": "noon"}}},
            {"functionResponse": {"name": "tool_b", "response": {"x": 1}}}]},
    ]);
    assert_eq!(body["contents"], expected);
}

#[test]
fn body_marks_a_missing_signature_if_one_is_required() {
    let signature = |model: &str| {
        let mut chat = request(model, json!({}));
        chat.messages.push(called(&["a"]));
        encoded(&chat)["contents"][1]["parts"][0].get("thoughtSignature").cloned()
    };
    for newer in ["gemini-3.8-flash", "gemini-flash-latest"] {
        assert_eq!(signature(newer), Some(json!("skip_thought_signature_validator")));
    }
    assert_eq!(signature("gemini-2.5-flash"), None);
}

#[test]
fn body_encodes_tools_and_tool_choice() {
    let config = |choice: Value| {
        let spec =
            |name: &str, parameters: Value| ToolSpec { name: name.into(), parameters, ..ToolSpec::default() };
        let tools = vec![
            spec("clock", json!({"type": "object", "properties": {}})),
            spec("find", json!({"type": "object", "properties": {"q": {"type": "string"}}, "$schema": "x"})),
        ];
        encoded(&ChatRequest { tools, tool_choice: Some(choice), ..request("m", json!({})) })
    };
    let body = config(json!({"type": "function", "function": {"name": "find"}}));
    let functions = json!([{"functionDeclarations": [{"name": "clock"},
        {"name": "find", "parameters": {"type": "object", "properties": {"q": {"type": "string"}}}}]}]);
    assert_eq!(body["tools"], functions);
    let calling = json!({"mode": "ANY", "allowedFunctionNames": ["find"]});
    assert_eq!(body["toolConfig"]["functionCallingConfig"], calling);
    for (choice, mode) in [("auto", "AUTO"), ("none", "NONE"), ("required", "ANY")] {
        assert_eq!(config(json!(choice))["toolConfig"]["functionCallingConfig"], json!({"mode": mode}));
    }
}

#[test]
fn body_encodes_media_and_rejects_unsupported_content() {
    let mut chat = request("m", json!({}));
    chat.messages[0].content = vec![
        Content::Image {
            media_type: "image/png".into(),
            data: bytes::Bytes::from_static(b"png"),
            detail: None,
        },
        Content::ImageUrl { url: "https://x/a.webp?b".into(), detail: None },
        Content::Raw(json!({"type": "input_audio", "input_audio": {"data": "AAA", "format": "mp3"}})),
    ];
    let expected = json!([{"inlineData": {"mimeType": "image/png", "data": "cG5n"}},
        {"fileData": {"mimeType": "image/webp", "fileUri": "https://x/a.webp?b"}},
        {"inlineData": {"mimeType": "audio/mp3", "data": "AAA"}}]);
    assert_eq!(encoded(&chat)["contents"][0]["parts"], expected);
    chat.messages[0].content = vec![Content::Raw(json!({"type": "hologram"}))];
    let error = body(&chat).unwrap_err();
    assert_eq!(error.kind, crate::ProviderErrorKind::Refused);
    assert!(error.message.contains("hologram"));
}

#[test]
fn body_sends_the_last_instruction_as_a_user_turn_if_there_is_none() {
    let mut chat = request("gemini-2.5-pro", json!({}));
    chat.messages =
        vec![ChatMessage::text(Role::System, "Be kind."), ChatMessage::text(Role::System, "Greet me.")];
    let body = encoded(&chat);
    assert_eq!(body["systemInstruction"], json!({"parts": [{"text": "Be kind."}]}));
    assert_eq!(body["contents"], json!([{"role": "user", "parts": [{"text": "Greet me."}]}]));
}
