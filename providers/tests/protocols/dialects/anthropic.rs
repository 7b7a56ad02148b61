use providers::ChatDelta::{Finish, Reasoning, Source, Text, ToolCallArguments, ToolCallStart};
use providers::{ChatDelta, FinishReason, ModelConfig, ProviderConfig, ProviderKind, Usage};
use serde_json::{Value, json};

use super::wire::*;
use crate::fake::*;

const KIND: ProviderKind = ProviderKind::Anthropic;

fn start() -> Value {
    json!({"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant",
        "model": "m", "content": [], "stop_reason": null, "usage": {"input_tokens": 20,
        "cache_creation_input_tokens": 5, "cache_read_input_tokens": 7, "output_tokens": 1}}})
}

fn block(index: u32, content: Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": content})
}

fn delta(index: u32, delta: Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn text(index: u32, text: &str) -> Value {
    delta(index, json!({"type": "text_delta", "text": text}))
}

fn stop(index: u32) -> Value {
    json!({"type": "content_block_stop", "index": index})
}

fn end(reason: &str) -> [Value; 2] {
    let usage = json!({"output_tokens": 30, "output_tokens_details": {"thinking_tokens": 11}});
    [
        json!({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null}, "usage": usage}),
        json!({"type": "message_stop"}),
    ]
}

fn used() -> ChatDelta {
    ChatDelta::Usage(Usage {
        input_tokens: 32,
        output_tokens: 30,
        cached_tokens: 7,
        cache_write_tokens: 5,
        reasoning_tokens: 11,
        ..Usage::default()
    })
}

fn thought(mut thought: Value) -> ChatDelta {
    thought["format"] = json!("anthropic-claude-v1");
    let delta = json!({"reasoning_details": [thought]}).as_object().cloned().unwrap();
    ChatDelta::Other { delta, chunk: serde_json::Map::new() }
}

/// Returns a stream with every kind of event, and the deltas that it decodes to.
pub fn everything() -> (String, Vec<ChatDelta>) {
    let citation =
        json!({"type": "web_search_result_location", "url": "http://x", "title": "X", "cited_text": "c"});
    let all = [
        vec![start(), json!({"type": "ping"})],
        vec![
            block(0, json!({"type": "thinking", "thinking": "", "signature": ""})),
            delta(0, json!({"type": "thinking_delta", "thinking": "hm "})),
            delta(0, json!({"type": "thinking_delta", "thinking": "wörld"})),
            delta(0, json!({"type": "signature_delta", "signature": "sig"})),
            stop(0),
            block(1, json!({"type": "redacted_thinking", "data": "dark"})),
            stop(1),
        ],
        vec![
            block(2, json!({"type": "text", "text": ""})),
            text(2, "Hel"),
            delta(2, json!({"type": "citations_delta", "citation": citation})),
            json!({"type": "something_new", "index": 2}),
            delta(2, json!({"type": "new_delta"})),
            text(2, "lo\n\u{1F600}"),
            stop(2),
        ],
        vec![
            block(3, json!({"type": "tool_use", "id": "toolu_1", "name": "clock", "input": {}})),
            delta(3, json!({"type": "input_json_delta", "partial_json": ""})),
            delta(3, json!({"type": "input_json_delta", "partial_json": "{\"zone\":"})),
            delta(3, json!({"type": "input_json_delta", "partial_json": "\"UTC\"}"})),
            stop(3),
            block(4, json!({"type": "tool_use", "id": "toolu_2", "name": "now", "input": {}})),
            stop(4),
            block(5, json!({"type": "server_tool_use", "id": "x"})),
            stop(5),
        ],
        end("tool_use").to_vec(),
    ];
    let expected = vec![
        Reasoning("hm ".into()),
        Reasoning("wörld".into()),
        thought(json!({"type": "reasoning.text", "text": "hm wörld", "signature": "sig", "index": 0})),
        thought(json!({"type": "reasoning.encrypted", "data": "dark", "index": 1})),
        Text("Hel".into()),
        Source { url: Some("http://x".into()), title: Some("X".into()), snippet: Some("c".into()) },
        Text("lo\n\u{1F600}".into()),
        ToolCallStart { index: 0, call_id: "toolu_1".into(), name: "clock".into() },
        ToolCallArguments { index: 0, delta: "{\"zone\":".into() },
        ToolCallArguments { index: 0, delta: "\"UTC\"}".into() },
        ToolCallStart { index: 1, call_id: "toolu_2".into(), name: "now".into() },
        ToolCallArguments { index: 1, delta: "{}".into() },
        used(),
        Finish(FinishReason::ToolCalls),
    ];
    (events(&all.concat()), expected)
}

#[tokio::test]
async fn anthropic_decodes_every_event_and_sends_the_expected_request() {
    let (body, expected) = everything();
    let mut fake = Fake::always(whole(&body)).await;
    assert_eq!(ask(&fake, KIND).await, (expected, None));
    let request = fake.request().await;
    let head = request.head.to_lowercase();
    assert!(head.starts_with("post /v1/messages http/1.1\r\n"), "{head}");
    assert!(head.contains(&format!("x-api-key: {KEY}\r\n")), "{head}");
    assert!(head.contains("anthropic-version: 2023-06-01\r\n"), "{head}");
    assert!(!head.contains("authorization"), "{head}");
    let expected = json!({"model": "m", "max_tokens": 8192, "stream": true,
        "messages": [{"role": "user", "content": [{"type": "text", "text": "hello"}]}]});
    assert_eq!(request.json(), expected);
}

#[tokio::test]
async fn anthropic_stream_can_be_split_at_every_byte() {
    let (body, expected) = everything();
    every_cut(KIND, body, expected).await;
}

#[tokio::test]
async fn anthropic_stream_can_arrive_byte_by_byte() {
    let (body, expected) = everything();
    let bytes = whole(&body);
    let fake = Fake::start(move |_| vec![Step::Dribble(bytes.clone())]).await;
    assert_eq!(ask(&fake, KIND).await, (expected, None));
}

#[tokio::test]
async fn anthropic_maps_stop_reasons() {
    for (reason, expected) in [
        ("end_turn", FinishReason::Stop),
        ("stop_sequence", FinishReason::Stop),
        ("pause_turn", FinishReason::Stop),
        ("max_tokens", FinishReason::Length),
        ("model_context_window_exceeded", FinishReason::Length),
        ("refusal", FinishReason::ContentFilter),
        ("boredom", FinishReason::Other("boredom".into())),
    ] {
        let all =
            [vec![start(), block(0, json!({"type": "text", "text": "x"})), stop(0)], end(reason).to_vec()];
        let (deltas, fault) = ask(&Fake::always(whole(&events(&all.concat()))).await, KIND).await;
        assert_eq!((deltas, fault), (vec![Text("x".into()), used(), Finish(expected)], None));
    }
}

#[tokio::test]
async fn anthropic_accepts_an_end_after_the_stop_reason() {
    let all = [vec![start(), text(0, "x")], end("end_turn")[..1].to_vec()];
    let (deltas, fault) = ask(&Fake::always(whole(&events(&all.concat()))).await, KIND).await;
    assert_eq!((deltas.last(), fault), (Some(&Finish(FinishReason::Stop)), None));
}

#[tokio::test]
async fn anthropic_estimates_missing_usage() {
    let body =
        events(&[text(0, "12345"), json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}})]);
    let (deltas, _) = ask(&Fake::always(whole(&body)).await, KIND).await;
    let usage = Usage { input_tokens: 2, output_tokens: 2, estimated: true, ..Usage::default() };
    assert_eq!(deltas[1], ChatDelta::Usage(usage));
}

#[tokio::test]
async fn anthropic_list_reads_pages_and_is_completed_from_the_catalog() {
    let page = |ids: &[&str], more: bool| {
        let data: Vec<Value> = ids
            .iter()
            .map(|id| json!({"type": "model", "id": id, "display_name": format!("The {id}"), "max_tokens": 99}))
            .collect();
        json!({"data": data, "has_more": more, "last_id": ids.last()}).to_string()
    };
    let mut fake = Fake::start(move |n| {
        let body =
            if n == 0 { page(&["claude-haiku-4-5-20251001"], true) } else { page(&["claude-x"], false) };
        vec![Step::Send(crate::fake::json("200 OK", &body))]
    })
    .await;
    let models = load(ProviderConfig { models: Vec::new(), ..provider(&fake, KIND) }).await;
    let first = fake.request().await.head.to_lowercase();
    assert!(first.starts_with("get /v1/models?limit=1000 http/1.1"), "{first}");
    let second = fake.request().await.head.to_lowercase();
    assert!(second.contains("after_id=claude-haiku-4-5-20251001"), "{second}");
    let there = async {
        while models.list().len() < 3 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LONG, there).await.expect("the list is never there");
    let haiku = &models.find("fake/claude-haiku-4-5-20251001").unwrap().info;
    assert_eq!((haiku.name.as_str(), haiku.max_output_tokens), ("The claude-haiku-4-5-20251001", Some(99)));
    assert_eq!(
        (haiku.prices.input_nanos_per_token, haiku.prices.cache_write_nanos_per_token),
        (1_000, Some(1_250))
    );
    assert!(haiku.capability_tags.contains(&"vision".to_owned()));
}

#[tokio::test]
async fn anthropic_uses_the_token_limit_of_the_model() {
    let (body, _) = everything();
    let mut fake = Fake::always(whole(&body)).await;
    let known = ModelConfig { max_output_tokens: Some(777), ..ModelConfig::id("m") };
    let provider = ProviderConfig { models: vec![known], ..provider(&fake, KIND) };
    collect(&model(provider).await).await;
    assert_eq!(fake.request().await.json()["max_tokens"], 777);
}
