//! Graphs for the crash test: random graphs, followed by nodes that write text, wait, start a run and pay.

use rand::Rng;
use rand::rngs::StdRng;
use serde_json::{Value, json};

use crate::harness::random_graph::{GraphOptions, random_graph};

/// The workflow that others start: it writes text, sends two requests, and computes.
pub fn child(web: &str) -> Value {
    let (look, book) = (format!("{web}/child/look"), format!("{web}/child/book"));
    json!({"schema": 1, "inputs": {"n": {"type": "integer", "default": 0}}, "nodes": [
        {"id": "start", "type": "start"},
        {"id": "look", "type": "http", "in": {"url": look, "body": {"n": "{{ start.n }}"}},
            "config": {"method": "PUT"}, "policy": {"effect": "idempotent"}},
        {"id": "book", "type": "http", "in": {"url": book, "body": {"n": "{{ start.n }}"}},
            "config": {"method": "POST"}, "policy": {"effect": "irreversible"}},
        {"id": "sum", "type": "code", "in": {"n": "{{ start.n }}", "status": "{{ look.status + book.status }}"},
            "config": {"code": "function main(i) { return {n: i.n + i.status}; }"}, "out": {"n": {"type": "integer"}}},
        {"id": "done", "type": "end", "in": {"n": "{{ sum.n }}"}},
    ], "edges": [
        {"from": "start", "to": "look"}, {"from": "start", "to": "book"}, {"from": "look", "to": "sum"},
        {"from": "book", "to": "sum"}, {"from": "sum", "to": "done"},
    ]})
}

/// A random graph whose outputs depend on nothing outside it; its requests go to `web`.
pub fn plot(dice: &mut StdRng, web: &str, child: &str) -> Value {
    let options = GraphOptions {
        nodes: dice.random_range(4..24),
        http: Some(web.to_owned()),
        code: dice.random_ratio(1, 2),
        races: false,
        ..GraphOptions::default()
    };
    let mut graph = random_graph(dice.random(), &options);
    let end = graph["nodes"].as_array().and_then(|nodes| nodes.iter().position(|node| node["id"] == "done"));
    let end = end.expect("an end");
    let last = graph["nodes"][end]["in"]["last"].clone();
    for edge in graph["edges"].as_array_mut().expect("edges") {
        if edge["to"] == "done" {
            edge["to"] = json!("say");
        }
    }
    let parameters = json!({"length": dice.random_range(1..60), "pace_ms": dice.random_range(0..8)});
    let tail = [
        json!({"id": "say", "type": "answer", "in": {"text": format!("It came to {}. ", last.as_str().unwrap_or("?"))}}),
        json!({"id": "tell", "type": "llm", "in": {"prompt": "Tell me of the sea {{ start.seed }}."},
            "config": {"model": "builtin/scribe", "answer": true, "parameters": parameters}}),
        json!({"id": "rest", "type": "delay", "in": {"ms": dice.random_range(0..300)}}),
        json!({"id": "sub", "type": "workflow", "in": {"n": "{{ start.seed }}"}, "config": {"assistant_id": child}}),
        json!({"id": "pay", "type": "http", "in": {"url": format!("{web}/pay"), "body": {"sum": "{{ sub.n }}"}},
            "config": {"method": "POST"}, "policy": {"effect": "once"}}),
        json!({"id": "items", "type": "each", "in": {"items": "{{ range(4)|list }}"},
            "config": {"concurrency": 3, "result": "{{ items.index * 2 }}"}}),
        json!({"id": "ship", "type": "http", "parent": "items", "config": {"method": "POST"},
            "in": {"url": format!("{web}/ship"), "body": {"item": "{{ items.item }}"}}, "policy": {"effect": "once"}}),
    ];
    graph["nodes"].as_array_mut().expect("nodes").extend(tail);
    let path = ["say", "tell", "rest", "sub", "pay", "items", "done"];
    let edges = path.windows(2).map(|pair| json!({"from": pair[0], "to": pair[1]}));
    graph["edges"].as_array_mut().expect("edges").extend(edges);
    let given = &mut graph["nodes"][end]["in"];
    given["told"] = json!("{{ tell.text }}");
    given["sub"] = json!("{{ sub.n }}");
    given["items"] = json!("{{ items.items }}");
    graph
}

/// The effect that a node of a graph declares.
pub fn effect<'g>(graph: &'g Value, node: &str) -> &'g str {
    let nodes = graph["nodes"].as_array().into_iter().flatten();
    let found = nodes.into_iter().find(|found| found["id"] == node);
    found.and_then(|node| node["policy"]["effect"].as_str()).unwrap_or("pure")
}

/// Whether an effect may occur only once.
pub fn is_once(effect: &str) -> bool {
    matches!(effect, "once" | "irreversible")
}
