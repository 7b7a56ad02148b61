//! Tests that encode one recorded journal in each encoding and compare the results with the expected output.

use bytes::Bytes;
use runs::{Chunk, Event, StreamEvent};
use serde_json::{Value, json};
use uuid::Uuid;

use understudy::http::encodings::{Constants, Encoder, Wire};
use understudy::parts::http::Fold;

const RUN: Uuid = Uuid::from_u128(0x0198_0000_0000_7000_8000_0000_0000_0001);
const MESSAGE: Uuid = Uuid::from_u128(0x0198_0000_0000_7000_8000_0000_0000_0002);
const CONVERSATION: Uuid = Uuid::from_u128(0x0198_0000_0000_7000_8000_0000_0000_0003);

fn constants() -> Constants {
    Constants {
        run_id: RUN,
        conversation_id: Some(CONVERSATION),
        message_id: Some(MESSAGE),
        model: "builtin/scribe".into(),
        created: 1_767_323_045,
    }
}

fn event(seq: u64, kind: &str, data: Value) -> Event {
    let json = json!({
        "seq": seq, "ts": "2026-01-02T03:04:05.678Z", "run_id": RUN, "epoch": 1,
        "type": kind, "data": data,
    });
    // Convert through the type, so that the recording has the form that the journal writes.
    let event: StreamEvent = serde_json::from_value(json).expect("a canonical event");
    let json = serde_json::to_vec(&event).expect("JSON");
    Event { seq, kind: event.event.kind().into(), json: Bytes::from(json) }
}

fn terminal(status: &str, reason: Value, error: Value) -> Value {
    json!({"terminal": {
        "status": status, "reason": reason, "cancelled_by": null, "error": error,
        "usage": {"input_tokens": 7, "output_tokens": 5, "cached_tokens": 2, "reasoning_tokens": 1},
        "cost_nanos": 42, "last_seq": 18, "started_at": null,
        "finished_at": "2026-01-02T03:04:06.000Z", "partial": false,
    }})
}

fn recorded() -> Vec<Event> {
    [
        ("run.started", json!({"model": "builtin/scribe", "message_id": MESSAGE, "parent_id": null})),
        ("reasoning.start", json!({"part": "r1"})),
        ("reasoning.delta", json!({"part": "r1", "text": "hm\n"})),
        ("reasoning.end", json!({"part": "r1"})),
        ("tool.call.start", json!({"call_id": "c1", "name": "clock"})),
        ("tool.call.delta", json!({"call_id": "c1", "arguments": "{\"zone\":"})),
        ("tool.call.delta", json!({"call_id": "c1", "arguments": "\"UTC\"}"})),
        ("tool.call.ready", json!({"call_id": "c1", "name": "clock", "arguments": {"zone": "UTC"}})),
        ("tool.call.start", json!({"call_id": "c2", "name": "dice"})),
        ("tool.call.ready", json!({"call_id": "c2", "name": "dice", "arguments": {}})),
        ("tool.result", json!({"call_id": "c1", "output": {"time": "03:04"}})),
        ("tool.result", json!({"call_id": "c2", "error": "no dice"})),
        ("text.start", json!({"part": "t1"})),
        ("text.delta", json!({"part": "t1", "text": "It is \"3\""})),
        ("text.delta", json!({"part": "t1", "text": " – äöü 🦀"})),
        ("text.end", json!({"part": "t1"})),
        ("source", json!({"url": "https://example.org/", "title": "Clocks"})),
        ("title", json!({"title": "Time"})),
        ("run.ended", terminal("succeeded", Value::Null, Value::Null)),
    ]
    .into_iter()
    .zip(1..)
    .map(|((kind, data), seq)| event(seq, kind, data))
    .collect()
}

/// The complete output for a reader of the whole run, with the events split into two chunks at `cut`.
fn encoded(wire: Wire, events: &[Event], cut: usize) -> String {
    let mut encoder = Encoder::new(wire, constants(), true);
    let mut out = encoder.head().unwrap_or_default().into_bytes();
    for events in [&events[..cut], &events[cut..]] {
        out.extend_from_slice(&encoder.chunk(&Chunk::new(events.to_vec())));
    }
    out.extend(encoder.tail(events.last()).unwrap_or_default().into_bytes());
    String::from_utf8(out).expect("text")
}

fn frames(stream: &str) -> Vec<&str> {
    let frames = stream.split_terminator("\n\n").map(|frame| frame.strip_prefix("data: "));
    frames.collect::<Option<_>>().expect("data frames")
}

#[test]
fn events_encoding_is_the_journal_with_offsets() {
    let events = recorded();
    let text = encoded(Wire::Events, &events, 0);
    let rest = text.strip_prefix("retry: 1000\n").expect("the pause comes first");
    let want: String = events
        .iter()
        .map(|event| {
            let json = std::str::from_utf8(&event.json).expect("text");
            format!("event: {}\ndata: {json}\nid: {}\n\n", event.kind, event.seq)
        })
        .collect();
    assert_eq!(rest, want);
}

#[test]
fn ndjson_encoding_is_the_journal() {
    let events = recorded();
    let stream = encoded(Wire::Ndjson, &events, 0);
    let lines: Vec<_> = stream.lines().collect();
    assert_eq!(lines.len(), events.len());
    assert_eq!(stream.as_bytes().last(), Some(&b'\n'));
    for (line, event) in lines.iter().zip(&events) {
        assert_eq!(line.as_bytes(), &event.json);
    }
}

#[test]
fn ui_message_encoding_is_readable_by_the_ai_sdk() {
    let stream = encoded(Wire::UiMessage, &recorded(), 0);
    let want = [
        r#"{"type":"start","messageId":"01980000-0000-7000-8000-000000000002"}"#,
        r#"{"type":"start-step"}"#,
        r#"{"type":"reasoning-start","id":"r1"}"#,
        r#"{"type":"reasoning-delta","id":"r1","delta":"hm\n"}"#,
        r#"{"type":"reasoning-end","id":"r1"}"#,
        r#"{"type":"tool-input-start","toolCallId":"c1","toolName":"clock","providerExecuted":true,"dynamic":true}"#,
        r#"{"type":"tool-input-delta","toolCallId":"c1","inputTextDelta":"{\"zone\":"}"#,
        r#"{"type":"tool-input-delta","toolCallId":"c1","inputTextDelta":"\"UTC\"}"}"#,
        r#"{"type":"tool-input-available","toolCallId":"c1","toolName":"clock","input":{"zone":"UTC"},"providerExecuted":true,"dynamic":true}"#,
        r#"{"type":"tool-input-start","toolCallId":"c2","toolName":"dice","providerExecuted":true,"dynamic":true}"#,
        r#"{"type":"tool-input-available","toolCallId":"c2","toolName":"dice","input":{},"providerExecuted":true,"dynamic":true}"#,
        r#"{"type":"tool-output-available","toolCallId":"c1","output":{"time":"03:04"},"providerExecuted":true,"dynamic":true}"#,
        r#"{"type":"tool-output-error","toolCallId":"c2","errorText":"no dice","providerExecuted":true,"dynamic":true}"#,
        r#"{"type":"text-start","id":"t1"}"#,
        r#"{"type":"text-delta","id":"t1","delta":"It is \"3\""}"#,
        r#"{"type":"text-delta","id":"t1","delta":" – äöü 🦀"}"#,
        r#"{"type":"text-end","id":"t1"}"#,
        r#"{"type":"source-url","sourceId":"source-17","url":"https://example.org/","title":"Clocks"}"#,
        r#"{"type":"data-title","data":{"title":"Time"},"transient":true}"#,
        r#"{"type":"message-metadata","messageMetadata":{"usage":{"input_tokens":7,"output_tokens":5,"cached_tokens":2,"reasoning_tokens":1},"cost_nanos":42}}"#,
        r#"{"type":"finish-step"}"#,
        r#"{"type":"finish","finishReason":"stop"}"#,
        "[DONE]",
    ];
    assert_eq!(frames(&stream), want);
}

#[test]
fn openai_encoding_is_readable_by_its_sdks() {
    let calls = |stream: &str| stream.contains("tool_calls");
    assert!(
        !calls(&encoded(Wire::OpenAi, &recorded(), 0)),
        "what the server calls is none of the reader's business"
    );
    let of_client = |event: Event| match &*event.kind {
        "tool.call.start" => {
            let mut json: Value = serde_json::from_slice(&event.json).expect("JSON");
            json["data"]["client"] = true.into();
            Event { json: json.to_string().into(), ..event }
        }
        _ => event,
    };
    let stream = encoded(Wire::OpenAi, &recorded().into_iter().map(of_client).collect::<Vec<_>>(), 0);
    let open = r#"{"id":"chatcmpl-01980000000070008000000000000001","object":"chat.completion.chunk","created":1767323045,"model":"builtin/scribe","choices":["#;
    let deltas = [
        r#"{"role":"assistant","content":""}"#,
        r#"{"reasoning_content":"hm\n"}"#,
        r#"{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"clock","arguments":""}}]}"#,
        r#"{"tool_calls":[{"index":0,"function":{"arguments":"{\"zone\":"}}]}"#,
        r#"{"tool_calls":[{"index":0,"function":{"arguments":"\"UTC\"}"}}]}"#,
        r#"{"tool_calls":[{"index":1,"id":"c2","type":"function","function":{"name":"dice","arguments":""}}]}"#,
        r#"{"tool_calls":[{"index":1,"function":{"arguments":"{}"}}]}"#,
        r#"{"content":"It is \"3\""}"#,
        r#"{"content":" – äöü 🦀"}"#,
        r#"{"annotations":[{"type":"url_citation","url_citation":{"content":null,"end_index":0,"start_index":0,"title":"Clocks","url":"https://example.org/"}}]}"#,
    ];
    let choice =
        |delta, reason| format!(r#"{open}{{"index":0,"delta":{delta},"finish_reason":{reason}}}]}}"#);
    let mut want: Vec<String> = deltas.iter().map(|delta| choice(*delta, "null")).collect();
    want.push(choice("{}", r#""stop""#));
    want.push(format!(
        r#"{open}],"usage":{{"completion_tokens":5,"completion_tokens_details":{{"reasoning_tokens":1}},"prompt_tokens":7,"prompt_tokens_details":{{"cached_tokens":2}},"total_tokens":12}}}}"#
    ));
    want.push("[DONE]".into());
    assert_eq!(frames(&stream), want);
}

#[test]
fn encodings_do_not_depend_on_chunk_boundaries() {
    let events = recorded();
    for wire in Wire::ALL {
        let whole = encoded(wire, &events, 0);
        for cut in 1..events.len() {
            assert_eq!(encoded(wire, &events, cut), whole, "{wire:?} cut at {cut}");
        }
    }
}

#[test]
fn encodings_report_unsuccessful_ends() {
    let error = json!({"code": "provider_error", "message": "quota \"exceeded\""});
    let ends = [
        (
            terminal("cancelled", Value::Null, Value::Null),
            r#"{"type":"abort","reason":"cancelled"}"#,
            r#""finish_reason":"stop"}]}"#,
        ),
        (
            terminal("failed", Value::Null, error),
            r#"{"type":"error","errorText":"quota \"exceeded\""}"#,
            r#"{"error":{"code":"provider_error","message":"quota \"exceeded\"","param":null,"type":"server_error"}}"#,
        ),
        (
            terminal("interrupted", Value::Null, Value::Null),
            r#"{"type":"error","errorText":"the answer was interrupted; its beginning is stored"}"#,
            r#""param":null,"type":"server_error"}}"#,
        ),
        (
            terminal("partial", json!("length"), Value::Null),
            r#"{"type":"finish","finishReason":"length"}"#,
            r#""finish_reason":"length"}]}"#,
        ),
    ];
    for (terminal, ui, openai) in ends {
        let end = [event(1, "run.ended", terminal)];
        let told_ui = encoded(Wire::UiMessage, &end, 0);
        assert_eq!(frames(&told_ui)[4..], [ui, "[DONE]"]);
        let told_openai = encoded(Wire::OpenAi, &end, 0);
        let frames = frames(&told_openai);
        assert!(frames[1].ends_with(openai), "{}", frames[1]);
        assert_eq!(frames.last(), Some(&"[DONE]"));
    }
}

#[test]
fn fold_joins_only_the_deltas_of_a_part() {
    let events = recorded();
    let mut fold = Fold::default();
    events.iter().for_each(|event| fold.push(event));
    let folded = fold.take();
    assert_eq!(folded.len(), events.len() - 2);
    let parsed: Vec<StreamEvent> =
        folded.iter().map(|event| serde_json::from_slice(&event.json).expect("canonical")).collect();
    for (event, parsed) in folded.iter().zip(&parsed) {
        assert_eq!((event.seq, &*event.kind), (parsed.seq, parsed.event.kind()));
    }
    let text = parsed.iter().find(|event| event.event.kind() == "text.delta").expect("text");
    let want = json!({"type": "text.delta", "data": {"part": "t1", "text": "It is \"3\" – äöü 🦀"}});
    assert_eq!(serde_json::to_value(&text.event).expect("JSON"), want);
    assert_eq!(text.seq, 15);
}
