use super::*;
use crate::chat::ChatDelta::{Finish, Reasoning, Text as Said, ToolCallArguments, ToolCallStart};
use serde_json::{Value, json};

/// Returns the deltas of a stream of these chunks, including the final ones.
fn assembled(chunks: &[Value]) -> Vec<ChatDelta> {
    let (mut assembler, mut out) = (Assembler::new(40), VecDeque::new());
    for chunk in chunks {
        let text = chunk.to_string();
        assembler.chunk(serde_json::from_slice(text.as_bytes()).unwrap(), &mut out);
    }
    assembler.conclude(&mut out);
    out.into()
}

/// Returns the same deltas without the usage.
fn deltas(chunks: &[Value]) -> Vec<ChatDelta> {
    let all = assembled(chunks).into_iter();
    all.filter(|delta| !matches!(delta, ChatDelta::Usage(_))).collect()
}

fn usage(chunks: &[Value]) -> Usage {
    let all = assembled(chunks).into_iter();
    let mut usages = all.filter_map(|delta| match delta {
        ChatDelta::Usage(usage) => Some(usage),
        _ => None,
    });
    let usage = usages.next().unwrap();
    assert_eq!(usages.next(), None, "usage is told once");
    usage
}

fn other(delta: Value, chunk: Value) -> ChatDelta {
    let fields = |value: Value| value.as_object().cloned().unwrap();
    ChatDelta::Other { delta: fields(delta), chunk: fields(chunk) }
}

fn delta(delta: Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

fn calls(pieces: Value) -> Value {
    delta(json!({"tool_calls": pieces}))
}

fn finish(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

fn start(index: u32, call_id: &str, name: &str) -> ChatDelta {
    ToolCallStart { index, call_id: call_id.into(), name: name.into() }
}

fn arguments(index: u32, delta: &str) -> ChatDelta {
    ToolCallArguments { index, delta: delta.into() }
}

#[test]
fn assembler_accepts_all_forms_of_text_and_reasoning() {
    let chunks = [
        delta(json!({"role": "assistant", "content": ""})),
        delta(json!({"reasoning_content": "a", "content": null})),
        delta(json!({"reasoning": "b"})),
        delta(json!({"reasoning": "c", "reasoning_content": "c"})),
        delta(json!({"content": "d"})),
        delta(json!({"content": [{"type": "text", "text": "e"}, {"type": "other"}]})),
        delta(json!({"refusal": "f"})),
        json!({"choices": [{"index": 1, "delta": {"content": "of another choice"}}]}),
        json!({"choices": null}),
        json!({}),
        finish("stop"),
    ];
    let expected = vec![
        Reasoning("a".into()),
        Reasoning("b".into()),
        Reasoning("c".into()),
        Said("d".into()),
        Said("e".into()),
        other(json!({"refusal": "f"}), json!({})),
        Finish(FinishReason::Stop),
    ];
    assert_eq!(deltas(&chunks), expected);
}

#[test]
fn assembler_joins_tool_calls() {
    let chunks = [
        calls(json!([{"index": 0, "id": "c1", "type": "function",
            "function": {"name": "clock", "arguments": ""}}])),
        calls(json!([{"index": 0, "function": {"arguments": "{\"z\":"}}])),
        calls(json!([{"index": 0, "function": {"arguments": "1}"}}])),
        calls(json!([{"index": 1, "id": "c2", "function": {"name": "sum", "arguments": "{}"}}])),
        finish("tool_calls"),
    ];
    let expected = vec![
        start(0, "c1", "clock"),
        arguments(0, "{\"z\":"),
        arguments(0, "1}"),
        start(1, "c2", "sum"),
        arguments(1, "{}"),
        Finish(FinishReason::ToolCalls),
    ];
    assert_eq!(deltas(&chunks), expected);
}

#[test]
fn assembler_accepts_repeated_ids_and_names() {
    let piece = |arguments: &str| {
        calls(json!([{"index": 0, "id": "c1",
            "function": {"name": "clock", "arguments": arguments}}]))
    };
    let expected =
        vec![start(0, "c1", "clock"), arguments(0, "{"), arguments(0, "}"), Finish(FinishReason::ToolCalls)];
    assert_eq!(deltas(&[piece("{"), piece("}"), finish("stop")]), expected);
    let unindexed =
        |arguments: &str| calls(json!([{"id": "c1", "function": {"name": "clock", "arguments": arguments}}]));
    assert_eq!(deltas(&[unindexed("{"), unindexed("}"), finish("stop")]), expected);
}

#[test]
fn assembler_distinguishes_calls_without_an_index() {
    let by_id = [
        calls(json!([{"id": "a", "function": {"name": "clock", "arguments": "{}"}},
            {"id": "b", "function": {"name": "clock", "arguments": "{"}}])),
        calls(json!([{"function": {"arguments": "}"}}])),
        finish("tool_calls"),
    ];
    let expected = vec![
        start(0, "a", "clock"),
        arguments(0, "{}"),
        start(1, "b", "clock"),
        arguments(1, "{"),
        arguments(1, "}"),
        Finish(FinishReason::ToolCalls),
    ];
    assert_eq!(deltas(&by_id), expected);
}

#[test]
fn assembler_generates_missing_call_ids() {
    let chunks = [
        calls(json!([{"function": {"name": "clock", "arguments": {"zone": "UTC"}}}])),
        calls(json!([{"function": {"name": "clock", "arguments": "{\"a\":"}}])),
        calls(json!([{"function": {"name": "clock", "arguments": "1}"}}])),
        finish("stop"),
    ];
    let events = deltas(&chunks);
    let [
        ToolCallStart { index: 0, call_id: first, .. },
        ToolCallArguments { delta, .. },
        ToolCallStart { index: 1, call_id: second, .. },
        rest @ ..,
    ] = &events[..]
    else {
        panic!("{events:?}")
    };
    assert!(first.starts_with("call_") && first != second);
    assert_eq!(delta, "{\"zone\":\"UTC\"}");
    assert_eq!(rest.len(), 3);
}

#[test]
fn assembler_distinguishes_calls_with_the_same_index_by_id() {
    let call =
        |id: &str| calls(json!([{"index": 0, "id": id, "function": {"name": "sum", "arguments": "{}"}}]));
    let events = deltas(&[call("a"), call("b"), finish("stop")]);
    assert_eq!(events[0], start(0, "a", "sum"));
    assert_eq!(events[2], start(1, "b", "sum"));
}

#[test]
fn assembler_delays_arguments_until_the_name() {
    let chunks = [
        calls(json!([{"index": 3, "id": "a", "function": {"arguments": "{\"x\""}}])),
        calls(json!([{"index": 3, "function": {"name": "sum", "arguments": ":1}"}}])),
    ];
    let expected = vec![start(0, "a", "sum"), arguments(0, "{\"x\":1}"), Finish(FinishReason::ToolCalls)];
    assert_eq!(deltas(&chunks), expected);
}

#[test]
fn assembler_maps_finish_reasons() {
    for (reason, expected) in [
        ("stop", FinishReason::Stop),
        ("length", FinishReason::Length),
        ("function_call", FinishReason::ToolCalls),
        ("content_filter", FinishReason::ContentFilter),
        ("eos", FinishReason::Other("eos".into())),
        ("", FinishReason::Stop),
    ] {
        assert_eq!(deltas(&[finish(reason)]), [Finish(expected)], "{reason}");
    }
}

#[test]
fn assembler_reads_usage_details() {
    let chunk = json!({"choices": [], "usage": {
        "prompt_tokens": 9, "completion_tokens": 7, "total_tokens": 16,
        "prompt_tokens_details": {"cached_tokens": 4, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 5},
    }});
    let expected = Usage {
        input_tokens: 9,
        output_tokens: 7,
        cached_tokens: 4,
        reasoning_tokens: 5,
        ..Usage::default()
    };
    assert_eq!(usage(&[finish("stop"), chunk]), expected);
}

#[test]
fn assembler_adds_reasoning_counted_separately() {
    let chunk = json!({"usage": {
        "prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 16,
        "completion_tokens_details": {"reasoning_tokens": 5}, "prompt_cache_hit_tokens": 3,
    }});
    let usage = usage(&[chunk]);
    assert_eq!((usage.output_tokens, usage.cached_tokens), (7, 3));
}

#[test]
fn assembler_uses_the_last_nonzero_usage() {
    let chunk = |n: u64| json!({"usage": {"prompt_tokens": n, "completion_tokens": n}});
    assert_eq!(usage(&[chunk(1), chunk(5), chunk(0)]).input_tokens, 5);
    assert!(!usage(&[chunk(1)]).estimated);
}

#[test]
fn assembler_estimates_missing_usage() {
    let chunks = [
        json!({"usage": null}),
        json!({"usage": {"prompt_tokens": null, "completion_tokens_details": null}}),
        delta(json!({"reasoning": "12345678"})),
        delta(json!({"content": "üüüü"})),
    ];
    let expected = Usage {
        input_tokens: 10,
        output_tokens: 3,
        cached_tokens: 0,
        reasoning_tokens: 2,
        estimated: true,
        ..Usage::default()
    };
    assert_eq!(usage(&chunks), expected);
}

#[test]
fn assembler_converts_citations_to_sources() {
    let annotations = json!({"annotations": [
        {"type": "url_citation", "url_citation": {"url": "http://x", "title": "X"}},
        {"type": "file_citation"},
    ]});
    let chunk = delta(annotations.clone());
    let source = ChatDelta::Source { url: Some("http://x".into()), title: Some("X".into()), snippet: None };
    assert_eq!(deltas(&[chunk]), [source, other(annotations, json!({})), Finish(FinishReason::Stop)]);
}

#[test]
fn assembler_passes_on_unknown_fields_once() {
    let said = |text: &str| {
        json!({"choices": [{"delta": {"role": "assistant", "content": text}}],
        "system_fingerprint": "fp", "service_tier": "default"})
    };
    let logprobs = json!({"content": [{"token": "d", "logprob": -0.5, "bytes": [100], "top_logprobs": []}]});
    let chunks = [
        said("a"),
        said("b"),
        json!({"choices": [{"delta": {"content": "c", "audio": {"id": "x"}, "images": [], "new": null}}],
            "service_tier": "priority"}),
        json!({"choices": [{"delta": {"content": "d"}, "logprobs": logprobs}]}),
        finish("stop"),
    ];
    let expected = vec![
        Said("a".into()),
        other(json!({}), json!({"system_fingerprint": "fp", "service_tier": "default"})),
        Said("b".into()),
        Said("c".into()),
        other(json!({"audio": {"id": "x"}}), json!({"service_tier": "priority"})),
        Said("d".into()),
        ChatDelta::Logprobs(logprobs.clone()),
        Finish(FinishReason::Stop),
    ];
    assert_eq!(deltas(&chunks), expected);
}

#[test]
fn assembler_preserves_a_reported_cost() {
    let counted = |cost: Value| {
        let usage_json = json!({"prompt_tokens": 9, "completion_tokens": 1, "cost": cost,
            "prompt_tokens_details": {"cached_tokens": 2, "cache_write_tokens": 3}});
        usage(&[json!({"choices": [], "usage": usage_json})])
    };
    let reported = counted(json!(0.000123456));
    assert_eq!(
        (reported.cost_nanos, reported.cached_tokens, reported.cache_write_tokens),
        (Some(123_456), 2, 3)
    );
    for none in [json!(null), json!(-1), json!("much")] {
        assert_eq!(counted(none).cost_nanos, None);
    }
}

#[test]
fn assembler_ignores_invalid_usage() {
    let counted = |usage_json: Value| {
        usage(&[delta(json!({"content": "word"})), json!({"choices": [], "usage": usage_json})])
    };
    let decimal = counted(json!({"prompt_tokens": 5.0, "completion_tokens": 2.5}));
    assert_eq!((decimal.input_tokens, decimal.output_tokens, decimal.estimated), (5, 3, false));
    let in_part = counted(
        json!({"prompt_tokens": 5, "completion_tokens": -1, "prompt_tokens_details": {"cached_tokens": "4"}}),
    );
    assert_eq!((in_part.input_tokens, in_part.output_tokens, in_part.cached_tokens), (5, 0, 0));
    for none in [
        json!("none"),
        json!([]),
        json!({"prompt_tokens": -5, "completion_tokens": 1e30}),
        json!({"prompt_tokens": {}}),
    ] {
        assert_eq!(counted(none.clone()), Usage::estimate(40, 4, 0), "{none}");
    }
}
