//! Property tests for request encoding: for any request, the body is valid JSON of the provider's protocol with all
//! required fields and no unknown ones.

use std::sync::Arc;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use providers::{ChatMessage, ChatRequest, Content, Model, ProviderKind, Role, ToolCall, ToolSpec};
use serde_json::{Map, Value, json};

use super::wire::*;
use crate::fake::*;

fn content() -> impl Strategy<Value = Content> {
    prop_oneof![
        4 => ".{0,12}".prop_map(Content::Text),
        1 => any::<Vec<u8>>().prop_map(|data| Content::Image { media_type: "image/png".into(), data: data.into(), detail: None }),
        1 => ".{0,8}".prop_map(|url| Content::ImageUrl { url, detail: Some("low".into()) }),
        1 => (".{0,8}", ".{0,8}").prop_map(|(filename, text)| Content::File { filename, media_type: "text/plain".into(), text }),
        1 => ".{0,8}".prop_map(|text| Content::Raw(json!({"type": "text", "text": text}))),
    ]
}

fn message() -> impl Strategy<Value = ChatMessage> {
    let role = prop_oneof![Just(Role::System), Just(Role::User), Just(Role::Assistant), Just(Role::Tool)];
    let call = (".{0,6}", "[a-z_]{1,8}", ".{0,8}").prop_map(|(call_id, name, arguments)| ToolCall {
        call_id,
        name,
        arguments,
    });
    let calls = proptest::collection::vec(call, 0..3);
    (role, proptest::collection::vec(content(), 0..4), calls, proptest::option::of(".{0,6}")).prop_map(
        |(role, content, calls, tool_call_id)| {
            let tool_calls = if role == Role::Assistant { calls } else { Vec::new() };
            ChatMessage { role, content, tool_calls, tool_call_id, extra: Map::new() }
        },
    )
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        (-3.0..3.0).prop_map(Value::from),
        "[a-z]{0,8}".prop_map(Value::from),
        Just(json!(["a", ""])),
        Just(json!({"type": "json_object", "effort": "high", "x": 1})),
    ]
}

fn parameters() -> impl Strategy<Value = Map<String, Value>> {
    const NAMES: [&str; 16] = [
        "temperature",
        "top_p",
        "top_k",
        "stop",
        "max_tokens",
        "max_completion_tokens",
        "seed",
        "n",
        "user",
        "logprobs",
        "top_logprobs",
        "response_format",
        "reasoning_effort",
        "reasoning",
        "service_tier",
        "unheard_of",
    ];
    proptest::collection::vec((proptest::sample::select(&NAMES[..]), value()), 0..8)
        .prop_map(|all| all.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

fn request() -> impl Strategy<Value = ChatRequest> {
    let schema = prop_oneof![
        Just(json!(null)),
        Just(json!({})),
        Just(json!({"type": ["string", "null"]})),
        Just(json!({"$ref": "#/x", "x": {"$ref": "#/x"}}))
    ];
    let tool = ("[a-z]{1,6}", schema).prop_map(|(name, parameters)| ToolSpec {
        name,
        parameters,
        ..ToolSpec::default()
    });
    let choice = proptest::option::of(value());
    let messages = proptest::collection::vec(message(), 0..6);
    (messages, proptest::collection::vec(tool, 0..3), choice, parameters()).prop_map(
        |(messages, tools, tool_choice, parameters)| ChatRequest {
            model: "m".into(),
            messages,
            tools,
            tool_choice,
            parameters,
            ..ChatRequest::default()
        },
    )
}

/// Returns the request bodies that are sent for many requests.
async fn sent(kind: ProviderKind) -> Vec<Value> {
    let mut fake = Fake::always(crate::fake::json("400 Bad Request", "{}")).await;
    let model: Arc<Model> = model(provider(&fake, kind)).await;
    let mut runner = TestRunner::deterministic();
    let mut all = Vec::new();
    for _ in 0..400 {
        let request = request().new_tree(&mut runner).unwrap().current();
        asked(&model, request).await;
        all.push(fake.request().await.json());
    }
    all
}

fn only(body: &Value, known: &[&str]) {
    for key in body.as_object().unwrap().keys() {
        assert!(known.contains(&key.as_str()), "{key} is not known: {body}");
    }
}

#[tokio::test]
async fn encoding_for_anthropic_contains_only_known_fields() {
    for body in sent(ProviderKind::Anthropic).await {
        only(
            &body,
            &[
                "model",
                "max_tokens",
                "messages",
                "stream",
                "system",
                "tools",
                "tool_choice",
                "temperature",
                "top_p",
                "top_k",
                "stop_sequences",
                "thinking",
                "output_config",
                "metadata",
                "service_tier",
            ],
        );
        assert!(body["max_tokens"].as_u64().is_some_and(|n| n > 0), "{body}");
        let mut last = "";
        for turn in body["messages"].as_array().unwrap() {
            let role = turn["role"].as_str().unwrap();
            assert!(["user", "assistant"].contains(&role) && role != last, "{body}");
            last = role;
            for block in turn["content"].as_array().unwrap() {
                if block["type"] == "text" && block.get("cache_control").is_none() {
                    assert!(block["text"].is_string(), "{body}");
                }
                if block["type"] == "tool_use" {
                    assert!(
                        block["input"].is_object() && !block["id"].as_str().unwrap().is_empty(),
                        "{body}"
                    );
                }
            }
        }
    }
}

#[tokio::test]
async fn encoding_for_gemini_contains_only_known_fields() {
    for body in sent(ProviderKind::Gemini).await {
        only(&body, &["contents", "systemInstruction", "tools", "toolConfig", "generationConfig"]);
        let mut last = "";
        for turn in body["contents"].as_array().unwrap() {
            let role = turn["role"].as_str().unwrap();
            assert!(["user", "model"].contains(&role) && role != last, "{body}");
            assert!(!turn["parts"].as_array().unwrap().is_empty(), "{body}");
            last = role;
        }
        assert_eq!(body["generationConfig"]["candidateCount"], 1);
    }
}

#[tokio::test]
async fn encoding_for_openai_preserves_other_parameters() {
    for body in sent(ProviderKind::Openai).await {
        assert_eq!((&body["model"], &body["stream"]), (&json!("m"), &json!(true)));
        assert_eq!(body.get("n"), None, "several answers are several requests");
        assert!(body["messages"].is_array());
    }
}
