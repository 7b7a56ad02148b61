use super::*;
use bytes::Bytes;
use serde_json::json;

fn encoded(request: &ChatRequest) -> Value {
    serde_json::from_slice(&body(request, true, false)).unwrap()
}

fn asking(messages: Vec<ChatMessage>) -> ChatRequest {
    ChatRequest { model: "m".into(), messages, ..ChatRequest::default() }
}

fn content(content: Vec<Content>) -> Value {
    let message = ChatMessage { content, ..ChatMessage::text(Role::User, "") };
    encoded(&asking(vec![message]))["messages"][0]["content"].clone()
}

#[test]
fn body_encodes_a_minimal_request() {
    let request = asking(vec![ChatMessage::text(Role::User, "hi")]);
    let expected = json!({
        "model": "m",
        "messages": [{"role": "user", "content": "hi"}],
        "stream": true,
        "stream_options": {"include_usage": true},
    });
    assert_eq!(encoded(&request), expected);
    let uncounted: Value = serde_json::from_slice(&body(&request, false, false)).unwrap();
    assert_eq!(uncounted.get("stream_options"), None);
}

#[test]
fn body_passes_parameters_but_forces_streaming() {
    let mut request = asking(vec![]);
    request.parameters = serde_json::from_value(json!({
        "temperature": 0.2,
        "top_k": 40,
        "vendor": {"deep": [1, null]},
        "stream": false,
        "model": "other",
        "messages": [],
        "stream_options": {"include_usage": false, "chunk_size": 4},
        "tools": [{"type": "web_search"}],
    }))
    .unwrap();
    let sent = encoded(&request);
    assert_eq!(sent["temperature"], 0.2);
    assert_eq!(sent["vendor"], json!({"deep": [1, null]}));
    assert_eq!((&sent["stream"], &sent["model"]), (&json!(true), &json!("m")));
    assert_eq!(sent["stream_options"], json!({"include_usage": true, "chunk_size": 4}));
    assert_eq!(sent["tools"], json!([{"type": "web_search"}]), "a provider's own tools");
}

#[test]
fn body_omits_routing_parameters() {
    let mut request = asking(vec![]);
    request.parameters = serde_json::from_value(json!({
        "models": ["dear/one"], "route": "fallback", "provider": {"order": ["x"]}, "plugins": [{"id": "web"}],
        "transforms": [], "web_search_options": {},
    }))
    .unwrap();
    let sent = encoded(&request);
    for key in ["models", "route", "provider", "plugins"] {
        assert_eq!(sent.get(key), None, "{key}");
    }
    assert_eq!((&sent["transforms"], &sent["web_search_options"]), (&json!([]), &json!({})));
}

#[test]
fn body_sends_the_token_limit_once_under_the_supported_name() {
    let sent = |parameters: Value, strict| -> Value {
        let mut request = asking(vec![]);
        request.parameters = serde_json::from_value(parameters).unwrap();
        let sent: Value = serde_json::from_slice(&body(&request, true, strict)).unwrap();
        json!([sent.get("max_tokens"), sent.get("max_completion_tokens")])
    };
    let both = || json!({"max_tokens": 5, "max_completion_tokens": 7});
    assert_eq!(sent(both(), true), json!([null, 7]));
    assert_eq!(sent(both(), false), json!([5, 7]));
    assert_eq!(sent(json!({"max_tokens": 5}), true), json!([null, 5]));
    assert_eq!(sent(json!({"max_tokens": 5}), false), json!([5, null]));
}

#[test]
fn body_contains_no_duplicate_keys() {
    let mut request = asking(vec![]);
    request.tools = vec![ToolSpec {
        name: "clock".into(),
        description: "Tells the time.".into(),
        parameters: json!({"type": "object"}),
        ..ToolSpec::default()
    }];
    request.tool_choice = Some(json!("auto"));
    request.parameters = serde_json::from_value(json!({"tools": [], "tool_choice": "none"})).unwrap();
    let text = String::from_utf8(body(&request, true, false)).unwrap();
    assert_eq!(text.matches("\"tools\"").count(), 1);
    assert_eq!(text.matches("\"tool_choice\"").count(), 1);
    let function = json!({
        "name": "clock", "description": "Tells the time.", "parameters": {"type": "object"},
    });
    let sent = encoded(&request);
    assert_eq!(sent["tools"], json!([{"type": "function", "function": function}]));
    assert_eq!(sent["tool_choice"], "auto");
}

#[test]
fn body_encodes_a_round_of_tool_calls() {
    let call = ToolCall { call_id: "c1".into(), name: "clock".into(), arguments: String::new() };
    let assistant =
        ChatMessage { content: vec![], tool_calls: vec![call], ..ChatMessage::text(Role::Assistant, "") };
    let sent = encoded(&asking(vec![assistant, ChatMessage::tool_result("c1", "noon")]));
    let expected = json!([
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "clock", "arguments": "{}"}},
        ]},
        {"role": "tool", "content": "noon", "tool_call_id": "c1"},
    ]);
    assert_eq!(sent["messages"], expected);
}

#[test]
fn body_inlines_files_and_images() {
    let text = Content::Text("look".into());
    let file =
        Content::File { filename: "a\"b.txt".into(), media_type: "text/plain".into(), text: "1 < 2".into() };
    let inlined = "<file name=\"a_b.txt\" type=\"text/plain\">\n1 < 2\n</file>";
    assert_eq!(content(vec![text.clone(), file.clone()]), format!("look\n\n{inlined}"));
    let image = Content::Image {
        media_type: "image/png".into(),
        data: Bytes::from_static(&[0xFF, 0x00, 0x10]),
        detail: None,
    };
    let expected = json!([
        {"type": "text", "text": "look"},
        {"type": "text", "text": inlined},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,/wAQ"}},
    ]);
    assert_eq!(content(vec![text, file, image]), expected);
    assert_eq!(content(vec![]), "");
}

#[test]
fn body_preserves_the_role_of_function_results() {
    let named = serde_json::Map::from_iter([("name".to_owned(), json!("clock"))]);
    let of_function = ChatMessage { extra: named.clone(), ..ChatMessage::text(Role::Tool, "noon") };
    let of_tool = ChatMessage { extra: named, ..ChatMessage::tool_result("c1", "noon") };
    let request = encoded(&asking(vec![of_function, of_tool]));
    assert_eq!(request["messages"][0], json!({"role": "function", "content": "noon", "name": "clock"}));
    assert_eq!(
        request["messages"][1],
        json!({"role": "tool", "content": "noon", "tool_call_id": "c1", "name": "clock"})
    );
}
