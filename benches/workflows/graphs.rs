//! The workflows that the benchmark runs.

use serde_json::{Value, json};

/// Number of nodes that run in each iteration of [`repeating`], and number of nodes outside its loop.
pub const STEPS_A_ROUND: u64 = 5;
pub const STEPS_BESIDE: u64 = 3;

/// A graph; an edge is written `from to`, or `from.port to`.
fn graph(inputs: Value, nodes: &[Value], edges: &[&str]) -> Value {
    let edge = |edge: &&str| {
        let (from, to) = edge.split_once(' ').unwrap_or_default();
        let (from, port) = from.split_once('.').unwrap_or((from, "out"));
        json!({"from": from, "port": port, "to": to})
    };
    json!({"schema": 1, "inputs": inputs, "vars": {"kept": {"type": "string"}}, "nodes": nodes,
        "edges": edges.iter().map(edge).collect::<Vec<_>>(), "limits": {"max_steps": 1_000_000}})
}

/// Five nodes in sequence: `start`, a template, a variable, a decision, `end`.
pub fn plain() -> Value {
    let nodes = [
        json!({"id": "start", "type": "start"}),
        json!({"id": "write", "type": "template", "in": {"text": "On {{ start.topic }}."}}),
        json!({"id": "keep", "type": "set", "in": {"kept": "{{ write.text }}"}}),
        json!({"id": "check", "type": "if", "in": {"condition": "{{ write.text | length > 3 }}"}}),
        json!({"id": "done", "type": "end", "in": {"text": "{{ vars.kept }}"}}),
    ];
    let edges = ["start write", "write keep", "keep check", "check.true done"];
    graph(json!({"topic": {"type": "string", "default": "tides"}}), &nodes, &edges)
}

/// A `loop` that executes five cheap nodes `rounds` times.
pub fn repeating() -> Value {
    let nodes = [
        json!({"id": "start", "type": "start"}),
        json!({"id": "again", "type": "loop",
            "config": {"max": 10_000, "while": "{{ again.index < start.rounds }}", "result": "{{ loud.text }}"}}),
        json!({"id": "write", "type": "template", "parent": "again", "in": {"text": "Round {{ again.index }}."}}),
        json!({"id": "check", "type": "if", "parent": "again",
            "in": {"condition": "{{ write.text | length > 3 }}"}}),
        json!({"id": "more", "type": "template", "parent": "again",
            "in": {"text": "{{ write.text }} Before: {{ vars.kept }}"}}),
        json!({"id": "keep", "type": "set", "parent": "again", "in": {"kept": "{{ write.text }}"}}),
        json!({"id": "loud", "type": "template", "parent": "again", "in": {"text": "{{ more.text | upper }}"}}),
        json!({"id": "done", "type": "end", "in": {"text": "{{ again.result }}", "count": "{{ again.count }}"}}),
    ];
    let edges = ["start again", "again done", "write check", "check.true more", "more keep", "keep loud"];
    graph(json!({"rounds": {"type": "integer", "required": true}}), &nodes, &edges)
}

/// Asks a person and returns the answer.
pub fn asking() -> Value {
    let ask = json!({"id": "ask", "type": "human",
        "in": {"title": "May it go out?", "message": "This is on {{ start.topic }}."},
        "config": {"fields": [{"name": "note", "label": "Why", "type": "string", "required": true}],
            "actions": [{"name": "approve", "label": "Yes"}, {"name": "reject", "label": "No"}]}});
    let nodes = [
        json!({"id": "start", "type": "start"}),
        ask,
        json!({"id": "done", "type": "end", "in": {"note": "{{ ask.fields.note }}"}}),
    ];
    let edges = ["start ask", "ask.approve done", "ask.reject done"];
    graph(json!({"topic": {"type": "string", "default": "tides"}}), &nodes, &edges)
}

/// Loops for hours, with half a second per iteration.
pub fn pacing() -> Value {
    let nodes = [
        json!({"id": "start", "type": "start"}),
        json!({"id": "again", "type": "loop", "config": {"max": 10_000}}),
        json!({"id": "write", "type": "template", "parent": "again", "in": {"text": "Round {{ again.index }}."}}),
        json!({"id": "rest", "type": "delay", "parent": "again", "in": {"ms": 500}}),
        json!({"id": "done", "type": "end", "in": {"count": "{{ again.count }}"}}),
    ];
    graph(json!({}), &nodes, &["start again", "again done", "write rest"])
}
