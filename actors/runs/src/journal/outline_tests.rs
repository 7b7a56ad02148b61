use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::*;

/// One event of each type, with `secret` in every field that holds free text.
fn samples() -> Vec<Value> {
    let id = "018f0000-0000-7000-8000-000000000000";
    let at = "2026-01-01T00:00:00.000Z";
    let error = json!({"code": "http_status", "message": "secret", "node_id": "fetch"});
    let usage = json!({"input_tokens": 1, "output_tokens": 1, "cached_tokens": 0, "reasoning_tokens": 0});
    let terminal = json!({"status": "failed", "reason": null, "cancelled_by": null, "error": error,
        "usage": usage, "cost_nanos": 1, "last_seq": 1, "started_at": at, "finished_at": at, "partial": false});
    let counts = json!(storage::records::SyncCounts::default());
    let event = |kind: &str, data: Value| json!({"type": kind, "data": data});
    vec![
        event(
            "run.started",
            json!({"model": "secret", "message_id": id, "parent_id": id, "input_estimate": 1}),
        ),
        event("text.start", json!({"part": "1"})),
        event("text.delta", json!({"part": "1", "text": "secret"})),
        event("text.end", json!({"part": "1"})),
        event("reasoning.start", json!({"part": "1"})),
        event("reasoning.delta", json!({"part": "1", "text": "secret"})),
        event("reasoning.end", json!({"part": "1"})),
        event("tool.call.start", json!({"call_id": "1", "name": "secret"})),
        event("tool.call.delta", json!({"call_id": "1", "arguments": "secret"})),
        event("tool.call.ready", json!({"call_id": "1", "name": "secret", "arguments": {"a": "secret"}})),
        event("tool.started", json!({"call_id": "1", "server": "secret", "tool": "secret"})),
        event("tool.progress", json!({"call_id": "1", "progress": 1.0, "message": "secret"})),
        event("tool.server", json!({"server": "secret", "code": "timeout", "message": "secret"})),
        event("tool.result", json!({"call_id": "1", "output": "secret", "error": "secret"})),
        event("source", json!({"url": "secret", "title": "secret", "snippet": "secret"})),
        event("knowledge.closed", json!({"count": 1})),
        event("memories", json!({"memory_ids": [id]})),
        event("file", json!({"blob_id": "0".repeat(64), "media_type": "secret"})),
        event("title", json!({"title": "secret"})),
        event(
            "usage",
            json!({"input_tokens": 1, "output_tokens": 1, "cached_tokens": 0,
            "reasoning_tokens": 0, "cost_nanos": 1, "model": "secret"}),
        ),
        event("model.answering", json!({"model": "secret"})),
        event("choice", json!({"choice": 1, "part": "1"})),
        event("choice.ended", json!({"choice": 1, "reason": "secret"})),
        event("logprobs", json!({"choice": 1, "logprobs": {"content": "secret"}})),
        event("provider", json!({"choice": 1, "delta": {"a": "secret"}, "chunk": {"b": "secret"}})),
        event("run.recovered", json!({"epoch": 2, "kept_chars": 1})),
        event("run.reset", json!({})),
        event("run.cancelling", json!({"by": id})),
        event("graph", json!({"hash": "00"})),
        event("run.waiting", json!({"on": "human"})),
        event("run.paused", json!({"reason": "step", "node": "fetch"})),
        event("run.resumed", json!({"by": id})),
        event("run.ending", json!({"status": "failed", "error": error})),
        event("run.compensating", json!({"executions": ["fetch"], "error": error})),
        event("outputs", json!({"outputs": {"text": "secret"}})),
        event("node.ready", json!({})),
        event("node.started", json!({"inputs": {"prompt": "secret"}, "attempt": 1})),
        event("node.delta", json!({"text": "secret"})),
        event("node.log", json!({"line": "secret"})),
        event("node.retry", json!({"attempt": 1, "delay_ms": 1, "error": error})),
        event("node.waiting", json!({"on": "event", "event": "secret"})),
        event(
            "node.finished",
            json!({"status": "failed", "port": "secret", "outputs": {"a": "secret"},
            "error": error, "elapsed_ms": 1, "from": "run"}),
        ),
        event("node.skipped", json!({})),
        event("iteration.started", json!({"index": 0})),
        event("iteration.finished", json!({"index": 0, "result": "secret", "error": error})),
        event("branch.taken", json!({"port": "secret"})),
        event("variable.changed", json!({"name": "secret", "value": "secret"})),
        event(
            "form.required",
            json!({"form_id": id, "title": "secret", "message": "secret", "fields": [],
            "actions": [], "expires_at": null}),
        ),
        event("form.submitted", json!({"form_id": id, "action": "ok", "fields": {"a": "secret"}, "by": id})),
        event("form.expired", json!({"form_id": id})),
        event("breakpoint.hit", json!({"node": "fetch", "when": "before"})),
        event("nodes.stale", json!({"ids": ["fetch"]})),
        event("skill.draft", json!({"attempt": 1, "files": ["secret"], "faults": []})),
        event("ingest.progress", json!({"document_id": id, "status": "ready", "done": 1})),
        event(
            "directory.group",
            json!({"group_id": id, "name": "secret", "outcome": "synced", "counts": counts}),
        ),
        event("directory.members", json!({"counts": counts, "detail": "secret"})),
        event("video.submitting", json!({"key": "secret"})),
        event("video.postponed", json!({"message": "secret"})),
        event("video.submitted", json!({"remote_id": "secret"})),
        event("video.progress", json!({"percent": 1})),
        event("video.refused", json!({"code": "a", "message": "secret"})),
        event("video.made", json!({})),
        event("video.completed", json!({"blob_id": "0".repeat(64), "media_type": "a/b", "size": 1})),
        event("run.ended", json!({"terminal": terminal})),
    ]
}

/// Event types whose content all readers of a run may see.
const FOR_ALL_READERS: [&str; 11] = [
    "run.started",
    "text.delta",
    "source",
    "file",
    "title",
    "usage",
    "model.answering",
    "choice.ended",
    "outputs",
    "form.required",
    "form.submitted",
];

/// Event types that do not occur in workflow runs, and the one with the name of an event that resumes a run.
const ELSEWHERE: [&str; 8] = [
    "node.waiting",
    "skill.draft",
    "directory.group",
    "directory.members",
    "video.submitting",
    "video.postponed",
    "video.submitted",
    "video.refused",
];

fn journaled(sample: &Value, in_node: bool) -> Event {
    let mut event = json!({"seq": 7, "ts": "2026-01-01T00:00:00.000Z",
        "run_id": "018f0000-0000-7000-8000-000000000000", "epoch": 1});
    if in_node {
        event["node_id"] = json!("fetch");
        event["exec_id"] = json!("each:0/fetch");
        event["scope"] = json!([["each", 0]]);
    }
    for (name, value) in sample.as_object().expect("an object") {
        event[name] = value.clone();
    }
    let kind = sample["type"].as_str().expect("a type").to_owned();
    Event { seq: 7, kind: kind.into(), json: event.to_string().into() }
}

#[test]
fn outline_samples_have_every_type_of_event() {
    let source = include_str!("../event/kind.rs");
    let names = source.lines().filter_map(|line| line.split_once("=> \"")?.1.split('"').next());
    let all: BTreeSet<&str> = names.collect();
    let samples = samples();
    let sampled: BTreeSet<&str> = samples.iter().filter_map(|sample| sample["type"].as_str()).collect();
    assert_eq!(all, sampled);
    for sample in &samples {
        let read: StreamEvent = serde_json::from_slice(&journaled(sample, true).json).expect("it reads");
        assert_eq!(read.event.kind(), sample["type"]);
    }
}

#[test]
fn outline_removes_all_content_but_what_is_for_users() {
    for sample in samples() {
        let kind = sample["type"].as_str().expect("a type");
        let event = journaled(&sample, true);
        let shown = outline(&event).unwrap_or_else(|| event.clone());
        let text = String::from_utf8_lossy(&shown.json).into_owned();
        let may = FOR_ALL_READERS.contains(&kind) || ELSEWHERE.contains(&kind);
        assert_eq!(text.contains("secret"), may, "{kind}: {text}");
        let parsed: StreamEvent = serde_json::from_slice(&shown.json).expect("it reads");
        assert_eq!((parsed.seq, shown.seq, parsed.event.kind()), (7, 7, kind));
        let node = parsed.node.expect("its node");
        assert_eq!((&*node.node_id, &*node.exec_id), ("fetch", "each:0/fetch"));
        // Applying the outline twice gives the same result, and unconcealed types contain nothing to remove.
        if let Some(again) = outline(&shown) {
            assert_eq!(again.json, shown.json, "{kind}");
        }
        let whole: StreamEvent = serde_json::from_slice(&event.json).expect("it reads");
        if !is_concealed(kind) {
            assert_eq!(whole.event.clone().outline(true), whole.event, "{kind}");
        }
    }
}

#[test]
fn outline_keeps_what_a_model_says_and_calls_outside_of_nodes() {
    for sample in samples() {
        let kind = sample["type"].as_str().expect("a type");
        if kind.starts_with("tool.")
            || kind.starts_with("reasoning.")
            || matches!(kind, "logprobs" | "provider")
        {
            let event = journaled(&sample, false);
            let shown = outline(&event).expect("it is looked into");
            let (whole, shown): (Value, Value) = (
                serde_json::from_slice(&event.json).expect("JSON"),
                serde_json::from_slice(&shown.json).expect("JSON"),
            );
            for (name, value) in whole["data"].as_object().expect("data") {
                assert_eq!(&shown["data"][name], value, "{kind}");
            }
        }
    }
}

#[test]
fn outline_of_an_event_that_cannot_be_read_has_no_data() {
    let sample = json!({"type": "node.novel", "data": {"prompt": "secret"}});
    let shown = outline(&journaled(&sample, true)).expect("it differs");
    let shown: Value = serde_json::from_slice(&shown.json).expect("JSON");
    assert_eq!(
        (&shown["seq"], &shown["type"], &shown["data"]),
        (&json!(7), &json!("node.novel"), &json!({}))
    );
    assert_eq!((&shown["node_id"], &shown["epoch"]), (&json!("fetch"), &json!(1)));
}

#[test]
fn outline_of_an_error_keeps_the_words_of_fail_nodes_and_what_users_have_to_do() {
    let error = |code: &str, authored: bool, message: &str| TerminalError {
        node_id: Some("fetch".into()),
        authored,
        ..TerminalError::new(code, message)
    };
    let of = |error: TerminalError| error.outline().message;
    assert_eq!(
        of(error("http_status", false, "fetch: it said secret")),
        "the node fetch failed (http_status)"
    );
    assert_eq!(of(error("refused", true, "Not today.")), "Not today.");
    let undone = format!("Not today.{NOT_UNDONE}send (secret)");
    assert_eq!(
        of(error("refused", true, &undone)),
        "Not today.; not everything that was done could be undone"
    );
    assert_eq!(of(error("login_required", false, "ask: log in at drive")), "ask: log in at drive");
    assert_eq!(of(TerminalError::new("max_steps", "the run has made 3 steps")), "the run has made 3 steps");
}
