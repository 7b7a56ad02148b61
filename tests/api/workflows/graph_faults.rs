//! All faults of a graph are reported at once, each with its place.

use serde_json::{Value, json};

use super::graph::edge;
use super::graph_cases::{configurations, joints, policies, references, shape};
use crate::harness::{Client, TestServer, text};

/// A valid graph: `start` → `write` → `check` → (`yes` | `no`) → `done`, and a container with two nodes.
fn sound() -> Value {
    let edges = [
        "start write",
        "write check",
        "check.true yes",
        "check.false no",
        "yes items",
        "no items",
        "one two",
        "items call",
        "call calc",
        "calc done",
    ];
    json!({
        "inputs": {"topic": {"type": "string", "required": true}, "n": {"type": "integer"}, "list": {"type": "array"}},
        "vars": {"draft": {"type": "string"}},
        "nodes": [
            {"id": "start", "type": "start"},
            {"id": "write", "type": "llm", "in": {"prompt": "On {{ start.topic }}"}},
            {"id": "check", "type": "if", "in": {"condition": "{{ write.text }}"}},
            {"id": "yes", "type": "answer", "in": {"text": "{{ write.text }}"}},
            {"id": "no", "type": "template", "in": {"text": "no"}},
            {"id": "items", "type": "each", "in": {"items": "{{ start.list }}"}},
            {"id": "one", "type": "template", "parent": "items", "in": {"text": "{{ items.item }}"}},
            {"id": "two", "type": "template", "parent": "items", "in": {"text": "{{ one.text }}"}},
            {"id": "call", "type": "http", "in": {"url": "https://example.com"}, "config": {"method": "POST"}},
            {"id": "calc", "type": "code", "in": {"n": 1}, "out": {"n": {"type": "number"}}, "config": {"code": "x"}},
            {"id": "done", "type": "end", "in": {"all": "{{ items.items }}"}}
        ],
        "edges": edges.map(edge).to_vec()
    })
}

/// Puts a value into a graph. `way` starts with the name of a node, `edges`, or another top-level field, and continues
/// from there.
fn put(graph: &mut Value, way: &str, value: Value) {
    let mut steps = way.split('.');
    let first = steps.next().unwrap_or_default();
    let nodes = graph["nodes"].as_array().expect("nodes");
    let mut at = match nodes.iter().position(|node| node["id"] == first) {
        Some(place) => &mut graph["nodes"][place],
        None => &mut graph[first],
    };
    for step in steps {
        at = match step.parse::<usize>() {
            Ok(place) => &mut at[place],
            Err(_) if step == "+" => {
                let list = at.as_array_mut().expect("a list");
                list.push(Value::Null);
                list.last_mut().expect("a last one")
            }
            Err(_) => &mut at[step],
        };
    }
    *at = value;
}

/// Returns the places and kinds of the faults that saving the graph reports.
async fn faults(client: &Client, path: &str, graph: &Value) -> Vec<(String, String)> {
    let answer = client.patch(path, json!({"workflow": graph})).await;
    answer.faults();
    let problem = answer.json();
    let mut faults: Vec<_> =
        problem["errors"].as_array().expect("errors").iter().map(place_and_kind).collect();
    faults.sort();
    faults
}

fn place_and_kind(fault: &Value) -> (String, String) {
    let step = |step: &Value| step.as_str().map_or_else(|| step.to_string(), str::to_owned);
    let place: Vec<String> = fault["loc"].as_array().expect("loc").iter().map(step).collect();
    assert!(!text(&fault["msg"]).is_empty());
    let place = place.join(".");
    let place = place.strip_prefix("body.workflow").expect("in the workflow").trim_start_matches('.');
    (place.to_owned(), text(&fault["type"]))
}

async fn draft(server: &TestServer) -> (Client, String) {
    let editor = server.editor();
    let made = editor.post("/api/assistants", json!({"name": "W", "type": "workflow"})).await.created();
    (editor, format!("/api/assistants/{}", text(&made["id"])))
}

fn sorted<'a>(want: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<(String, String)> {
    let mut want: Vec<_> = want.map(|(place, kind)| (place.to_owned(), kind.to_owned())).collect();
    want.sort();
    want
}

#[tokio::test]
async fn every_graph_fault_has_a_place() {
    let server = TestServer::start().await;
    let (editor, path) = draft(&server).await;
    editor.patch(&path, json!({"workflow": sound()})).await.ok();
    let mut wrong = Vec::new();
    for (way, value, want) in [shape(), policies(), joints(), references()].concat() {
        let mut graph = sound();
        put(&mut graph, way, value.clone());
        let (found, want) = (faults(&editor, &path, &graph).await, sorted(want.iter().copied()));
        if found != want {
            wrong.push(format!("{way} = {value}: {found:?}, not {want:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(editor.get(&path).await.ok()["version"], 2, "nothing was changed by any of them");
}

#[tokio::test]
async fn every_node_configuration_is_validated() {
    let server = TestServer::start().await;
    let (editor, path) = draft(&server).await;
    let mut wrong = Vec::new();
    for (kind, inputs, config, want) in configurations() {
        let mut graph = sound();
        put(&mut graph, "nodes.+", json!({"id": "new", "type": kind, "in": inputs, "config": config}));
        put(&mut graph, "edges.+", edge("calc new"));
        let places: Vec<_> =
            want.iter().map(|(place, kind)| (format!("nodes.new.config.{place}"), *kind)).collect();
        let want = sorted(places.iter().map(|(place, kind)| (place.as_str(), *kind)));
        let found = faults(&editor, &path, &graph).await;
        if found != want {
            wrong.push(format!("{kind} {config}: {found:?}, not {want:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn graph_faults_are_reported_at_once_and_sizes_are_limited() {
    let server = TestServer::start().await;
    let (editor, path) = draft(&server).await;
    let mut graph = sound();
    put(&mut graph, "no.type", json!("teleport"));
    put(&mut graph, "write.in.prompt", json!("{{ unknown }}"));
    put(&mut graph, "edges.+", edge("yes nowhere"));
    put(&mut graph, "call.policy.effect", json!("pure"));
    let want = [
        ("edges.10.to", "dangling"),
        ("nodes.call.policy.effect", "not_allowed"),
        ("nodes.no.type", "unknown_type"),
        ("nodes.write.in.prompt", "unresolved_reference"),
    ];
    assert_eq!(faults(&editor, &path, &graph).await, sorted(want.into_iter()));

    let many: Vec<Value> = (0..501).map(|n| json!({"id": format!("n{n}"), "type": "parallel"})).collect();
    let edges = vec![edge("n1 n2"); 2_001];
    let graph = json!({"nodes": many, "edges": edges});
    assert_eq!(
        faults(&editor, &path, &graph).await,
        sorted([("edges", "too_many"), ("nodes", "too_many")].into_iter())
    );

    let mut nodes = vec![json!({"id": "start", "type": "start"}), json!({"id": "c0", "type": "loop"})];
    nodes.extend(
        (1..7).map(|n| json!({"id": format!("c{n}"), "type": "loop", "parent": format!("c{}", n - 1)})),
    );
    nodes.push(json!({"id": "x", "type": "parallel", "parent": "c4"}));
    let graph = json!({"nodes": nodes, "edges": [edge("start c0")]});
    let want = [("nodes.c6", "missing"), ("nodes.c6.parent", "too_deep")];
    assert_eq!(faults(&editor, &path, &graph).await, sorted(want.into_iter()));
}
