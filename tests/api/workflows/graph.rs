//! Graphs that are accepted: every type of node, random graphs, drafts, and the examples of the documentation.

use serde_json::{Value, json};
use workflow::graph::{NODE_TYPES, Plan};

use crate::harness::random_graph::{GraphOptions, random_graph};
use crate::harness::{Client, TestServer, text};

/// The assistant that the graph starts as a child.
const OTHER: &str = "01980000-0000-7000-8000-000000000001";

/// A graph with every type of node, which starts a workflow of this client.
async fn every_type_for(client: &Client) -> Value {
    let other = client.post("/api/assistants", json!({"name": "Other", "type": "workflow"})).await.created();
    let graph = every_type().to_string().replace(OTHER, &text(&other["id"]));
    serde_json::from_str(&graph).expect("JSON")
}

/// A graph with every type of node.
pub fn every_type() -> Value {
    let id = OTHER;
    let nodes = json!([
        {"id": "start", "type": "start", "ui": {"x": 1}},
        {"id": "write", "type": "llm", "in": {"prompt": "On {{ start.topic }}", "system": "Be brief."},
            "out": {"text": {"type": "string"}}, "config": {"model": "builtin/scribe", "parameters": {"length": 5}, "answer": true},
            "policy": {"timeout_ms": 60000, "retry": {"max": 3, "base_ms": 500, "factor": 2, "max_ms": 30000, "jitter": 0.2,
                "on": ["429", "5xx", "timeout", "connect", "any", "upstream_error"]}, "on_error": "fail",
                "effect": "idempotent", "compensate": null}},
        {"id": "work", "type": "agent", "in": {"prompt": "{{ write.text }}"}, "config": {"tools": ["count_text"], "max_turns": 3},
            "policy": {"on_error": "continue", "default": {"text": "none"}}},
        {"id": "sort", "type": "classifier", "in": {"text": "{{ work.text or work.error.message }}"},
            "config": {"classes": [{"name": "bug", "description": "Broken."}, {"name": "wish"}], "fallback": "wish"},
            "policy": {"on_error": "branch"}},
        {"id": "read", "type": "extract", "in": {"text": "{{ write.text }}"},
            "config": {"schema": {"type": "object", "properties": {"name": {"type": "string"}}}, "repairs": 2}},
        {"id": "search", "type": "retrieve", "in": {"query": "{{ read.object.name|string }}"}, "config": {"limit": 3}},
        {"id": "look", "type": "function", "in": {"what": "{{ start.topic }}"}, "config": {"function": "look"}},
        {"id": "count", "type": "tool", "in": {"text": "{{ sort.error.code }}"}, "config": {"tool": "count_text"}},
        {"id": "pay", "type": "http", "in": {"url": "https://example.com/pay", "headers": {"X-Run": "{{ run.id }}"},
            "query": {"a": 1}, "body": {"all": "{{ search.passages }}"}},
            "config": {"method": "POST", "secret_headers": {"Authorization": "pay"}, "max_bytes": 1000, "accept_status": [404]},
            "policy": {"effect": "irreversible", "compensate": "refund"}},
        {"id": "refund", "type": "http", "in": {"url": "https://example.com/refund", "body": "{{ pay.body.id }}"},
            "config": {"method": "POST"}},
        {"id": "double", "type": "code", "in": {"n": "{{ pay.status }}"}, "out": {"n": {"type": "integer"}},
            "config": {"code": "function main(inputs) { return {n: inputs.n * 2}; }", "memory_bytes": 33554432}},
        {"id": "say", "type": "template", "in": {"text": "{% for p in search.passages %}{{ p }}{% endfor %}"}},
        {"id": "keep", "type": "set", "in": {"draft": "{{ say.text }}", "n": "{{ double.n }}"}},
        {"id": "best", "type": "list", "in": {"items": "{{ search.passages }}"}, "config": {"steps": [
            {"op": "filter", "where": "{{ item.score > vars.n }}"}, {"op": "sort", "by": "{{ item.score }}", "descending": true},
            {"op": "slice", "start": 0, "count": 5}, {"op": "map", "to": {"text": "{{ item.text }}", "at": "{{ index }}"}},
            {"op": "unique", "by": "{{ item }}"}]}},
        {"id": "paper", "type": "document", "in": {"file": "{{ start.paper }}"}},
        {"id": "long", "type": "if", "in": {"condition": "{{ paper.pages > 9 }}"}},
        {"id": "which", "type": "switch", "in": {"value": "{{ paper.media_type }}"},
            "config": {"cases": [{"port": "pdf", "value": "application/pdf"}, {"port": "nothing", "value": null}]}},
        {"id": "fork", "type": "parallel"},
        {"id": "a", "type": "answer", "in": {"text": "{{ best.items }}"}},
        {"id": "b", "type": "answer", "in": {"text": "{{ keep.draft }}"}},
        {"id": "meet", "type": "join", "config": {"mode": {"n": 1}, "others": "keep"}},
        {"id": "items", "type": "each", "in": {"items": "{{ best.items }}"},
            "config": {"concurrency": 4, "on_item_error": "null", "result": "{{ shout.text }}"}},
        {"id": "shout", "type": "template", "parent": "items", "in": {"text": "{{ items.index }}: {{ items.item.text|upper }}"}},
        {"id": "again", "type": "loop", "config": {"max": 10, "while": "{{ again.index < 3 and again.last != 'x' }}",
            "result": "{{ inner.text }}"}},
        {"id": "inner", "type": "template", "parent": "again", "in": {"text": "{{ again.index }}"}},
        {"id": "enough", "type": "if", "parent": "again", "in": {"condition": "{{ inner.text == '2' }}"}},
        {"id": "stop", "type": "break", "parent": "again"},
        {"id": "ask", "type": "human", "in": {"title": "Well?", "message": "{{ again.result }}", "note": "{{ b.text }}"},
            "config": {"fields": [{"name": "note", "label": "Note", "type": "string", "required": true},
                {"name": "size", "type": "integer", "options": [1, 2], "default": 1}],
                "actions": [{"name": "approve", "label": "Yes"}, {"name": "reject"}], "expires_ms": 3600000}},
        {"id": "event", "type": "wait", "config": {"event": "paid", "expires_ms": 1000}},
        {"id": "pause", "type": "delay", "in": {"ms": "{{ ask.fields.size * 1000 }}"}},
        {"id": "other", "type": "workflow", "in": {"topic": "{{ event.data.topic }}"}, "config": {"assistant_id": id, "detach": true}},
        {"id": "film", "type": "video", "in": {"prompt": "{{ inputs.topic }}"}, "config": {"size": "1280x720", "seconds": 5}},
        {"id": "done", "type": "end", "in": {"film": "{{ film.file }}", "count": "{{ items.count }}", "by": "{{ ask.by }}"}},
        {"id": "failed", "type": "fail", "in": {"message": "No: {{ ask.fields.note }}", "code": "rejected"}}
    ]);
    let edges = [
        "start write",
        "write work",
        "work sort",
        "sort.bug read",
        "sort.wish read",
        "sort.error read",
        "read search",
        "search look",
        "look count",
        "count pay",
        "pay double",
        "double say",
        "say keep",
        "keep best",
        "best paper",
        "paper long",
        "long.true which",
        "long.false which",
        "which.pdf fork",
        "which.default fork",
        "fork a",
        "fork b",
        "a meet",
        "b meet",
        "meet items",
        "items again",
        "inner enough",
        "enough.true stop",
        "again ask",
        "ask.approve event",
        "ask.expired event",
        "event pause",
        "event.expired pause",
        "pause other",
        "other film",
        "film done",
        "ask.reject failed",
    ];
    json!({
        "schema": 1,
        "inputs": {"topic": {"type": "string", "required": true, "description": "What about"}, "paper": {"type": "file"}},
        "vars": {"draft": {"type": "string", "scope": "run"}, "n": {"type": "number", "initial": 0}},
        "nodes": nodes,
        "edges": edges.map(edge).to_vec(),
        "limits": {"max_steps": 2000, "run_timeout_ms": 3600000, "concurrency": 2},
        "ui": {"zoom": 1}
    })
}

/// `a b`, or `a.port b`.
pub fn edge(edge: &str) -> Value {
    let (from, to) = edge.split_once(' ').expect("two ends");
    match from.split_once('.') {
        Some((from, port)) => json!({"from": from, "port": port, "to": to}),
        None => json!({"from": from, "to": to}),
    }
}

/// Saves an assistant and returns its path.
async fn save(client: &Client, graph: Value) -> String {
    let body = json!({"name": "W", "type": "workflow", "workflow": graph});
    let made = client.post("/api/assistants", body).await.created();
    format!("/api/assistants/{}", text(&made["id"]))
}

#[tokio::test]
async fn every_type_of_node_is_accepted_and_stored_unchanged() {
    let server = TestServer::start().await;
    let graph = every_type_for(&server.editor()).await;
    for spec in NODE_TYPES {
        let used = graph["nodes"].as_array().expect("nodes").iter().any(|node| node["type"] == spec.name);
        assert!(used, "{} is in the graph", spec.name);
    }
    let path = save(&server.editor(), graph.clone()).await;
    assert_eq!(server.editor().get(&path).await.ok()["workflow"], graph);
}

#[tokio::test]
async fn workflow_can_be_a_draft_and_its_graph_is_validated_on_every_save() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let draft = editor.post("/api/assistants", json!({"name": "W", "type": "workflow"})).await.created();
    assert_eq!(draft["workflow"], Value::Null);
    let path = format!("/api/assistants/{}", text(&draft["id"]));
    let bad = json!({"nodes": [{"id": "a", "type": "start"}, {"id": "b", "type": "teleport"}], "edges": [edge("a b")]});
    assert_eq!(editor.patch(&path, json!({"workflow": bad})).await.faults(), ["body.workflow.nodes.b.type"]);
    let chat = json!({"name": "C", "type": "chat", "workflow": bad});
    assert_eq!(editor.post("/api/assistants", chat).await.faults(), ["body.workflow.nodes.b.type"]);
    assert_eq!(editor.get(&path).await.ok()["version"], 1, "nothing was changed");
    editor.patch(&path, json!({"workflow": every_type_for(&editor).await})).await.ok();
    assert_eq!(editor.patch(&path, json!({"workflow": null})).await.ok()["workflow"], Value::Null);
    let large = json!({"nodes": [{"id": "a", "type": "start", "ui": "x".repeat(600_000)}]});
    assert_eq!(editor.patch(&path, json!({"workflow": large})).await.faults(), ["body.workflow"]);
}

#[tokio::test]
async fn random_graphs_are_accepted() {
    let server = TestServer::start().await;
    let path = save(&server.editor(), every_type_for(&server.editor()).await).await;
    for seed in 0..400 {
        let http = (seed % 2 == 0).then(|| "http://127.0.0.1:1".to_owned());
        let options = GraphOptions {
            nodes: 5 + seed as usize % 40,
            http,
            races: seed % 3 == 0,
            depth: 3,
            ..GraphOptions::default()
        };
        let graph = random_graph(seed, &options);
        assert_eq!(graph, random_graph(seed, &options), "the same again");
        if let Err(faults) = Plan::read(&graph) {
            panic!("seed {seed}: {faults:?}\n{graph:#}");
        }
        if seed % 40 == 0 {
            server.editor().patch(&path, json!({"workflow": graph})).await.ok();
        }
    }
}

/// Reading a randomly damaged graph always produces a plan or faults.
#[test]
fn damaged_graph_is_read_or_refused() {
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};
    let mut rng = StdRng::seed_from_u64(3);
    let mut refused = 0;
    for seed in 0..600 {
        let options = GraphOptions { http: Some("http://x".into()), ..GraphOptions::default() };
        let mut graph = if seed % 3 == 0 { every_type() } else { random_graph(seed, &options) };
        for _ in 0..rng.random_range(1..4) {
            spoil(&mut graph, &mut rng, 0);
        }
        match Plan::read(&graph) {
            Ok(_) => {}
            Err(faults) => {
                assert!(!faults.is_empty(), "a refusal says why: {graph:#}");
                refused += 1;
            }
        }
    }
    assert!(refused > 200, "{refused}");
}

/// Replaces, removes or adds a random part of a value.
fn spoil(value: &mut Value, rng: &mut rand::rngs::StdRng, depth: usize) {
    use rand::Rng;
    let other = [
        json!(null),
        json!(-1),
        json!("start"),
        json!([]),
        json!({}),
        json!("{{ done.x }}"),
        json!(1e300),
        json!(true),
    ];
    if depth > 0 && rng.random_bool(0.25) {
        *value = other[rng.random_range(0..other.len())].clone();
        return;
    }
    match value {
        Value::Array(items) if !items.is_empty() => {
            let at = rng.random_range(0..items.len());
            match rng.random_range(0..8) {
                0 => drop(items.remove(at)),
                1 => items.push(items[at].clone()),
                _ => spoil(&mut items[at], rng, depth + 1),
            }
        }
        Value::Object(fields) if !fields.is_empty() => {
            let at = rng.random_range(0..fields.len());
            let name = fields.keys().nth(at).cloned().unwrap_or_default();
            match rng.random_range(0..10) {
                0 => drop(fields.remove(&name)),
                1 => drop(fields.insert(format!("{name}x"), json!(1))),
                _ => spoil(&mut fields[&name], rng, depth + 1),
            }
        }
        plain => *plain = other[rng.random_range(0..other.len())].clone(),
    }
}

#[test]
fn plan_hash_covers_only_what_affects_a_run() {
    let read = |graph: &Value| Plan::read(graph).expect("a plan");
    let (plan, mut graph) = (read(&every_type()), every_type());
    graph["ui"] = json!({"zoom": 2});
    graph["nodes"][0]["ui"] = json!({"x": 99});
    assert_eq!(read(&graph).hash, plan.hash, "the layout does not affect the hash");
    graph["nodes"][1]["in"]["prompt"] = json!("Off {{ start.topic }}");
    let changed = read(&graph);
    assert_ne!(changed.hash, plan.hash);
    let differing = |other: &Plan| -> Vec<String> {
        let pairs = plan.nodes.iter().zip(&other.nodes);
        pairs.filter(|(a, b)| a.digest != b.digest).map(|(node, _)| node.id.clone()).collect()
    };
    assert_eq!(differing(&changed), ["write"]);
    let mut graph = every_type();
    let inner = plan.by_id["inner"];
    graph["nodes"][inner]["in"]["text"] = json!("other");
    assert_eq!(differing(&read(&graph)), ["again", "inner"], "the digest of a container includes its nodes");
}

#[test]
fn upstream_and_downstream_nodes_are_found() {
    let plan = Plan::read(&every_type()).expect("a plan");
    let names = |found: std::collections::BTreeSet<usize>| -> Vec<&str> {
        let mut names: Vec<_> = found.into_iter().map(|ix| plan.nodes[ix].id.as_str()).collect();
        names.sort_unstable();
        names
    };
    let ix = |name: &str| plan.by_id[name];
    assert_eq!(names(plan.upstream(ix("work"))), ["start", "write"]);
    assert_eq!(names(plan.downstream(ix("other"))), ["done", "film"]);
    assert!(
        names(plan.upstream(ix("ask"))).contains(&"stop"),
        "what is in a container comes before what follows it"
    );
    assert!(names(plan.downstream(ix("enough"))).contains(&"inner"), "a later iteration starts again");
    assert!(!names(plan.downstream(ix("shout"))).contains(&"best"));
    assert_eq!((plan.top_of(ix("stop")), plan.top_of(ix("work"))), (ix("again"), ix("work")));
}

#[test]
fn inputs_are_validated_against_the_graph() {
    let graph = json!({"inputs": {"topic": {"type": "string", "required": true}, "n": {"type": "integer", "default": 3},
        "more": {"type": "object"}}, "nodes": [{"id": "start", "type": "start"}]});
    let plan = Plan::read(&graph).expect("a plan");
    let take = |given: Value| plan.take_inputs(given.as_object().expect("an object"));
    assert_eq!(
        Value::from(take(json!({"topic": "x", "more": null})).expect("inputs")),
        json!({"topic": "x", "n": 3})
    );
    assert_eq!(Value::from(take(json!({"topic": "x", "n": 4.0})).expect("inputs"))["n"], 4.0);
    let faults = take(json!({"n": "many", "more": [], "hat": 1})).expect_err("faults");
    let places: Vec<_> = faults.iter().map(|fault| (fault.loc.join("."), fault.kind)).collect();
    let want =
        [("hat", "unknown_field"), ("more", "type_mismatch"), ("n", "type_mismatch"), ("topic", "missing")];
    assert_eq!(places, want.map(|(place, kind)| (place.to_owned(), kind)));
}

/// Every example of the documentation that is a graph is valid, and so is every node in it.
#[test]
fn examples_of_the_documentation_are_valid_graphs() {
    let page = include_str!("../../../docs/workflows.md");
    let mut graphs = 0;
    let mut nodes = Vec::new();
    for block in page.split("```json\n").skip(1) {
        let block = block.split("\n```").next().unwrap_or_default();
        let example: Value = serde_json::from_str(block).unwrap_or_else(|error| panic!("{error}: {block}"));
        let graph = match example.get("nodes") {
            Some(_) => example,
            None => around(&example),
        };
        if let Err(faults) = Plan::read(&graph) {
            panic!("{faults:#?}\n{block}");
        }
        nodes.extend(graph["nodes"].as_array().expect("nodes").iter().map(|node| text(&node["type"])));
        graphs += 1;
    }
    for spec in NODE_TYPES {
        assert!(nodes.iter().any(|name| name == spec.name), "there is an example of {}", spec.name);
        assert!(page.contains(&format!("### `{}`", spec.name)), "there is a section on {}", spec.name);
    }
    assert!(graphs >= 25, "{graphs}");
}

/// A graph around a single node: everything it refers to comes before it.
fn around(node: &Value) -> Value {
    let id = text(&node["id"]);
    let mut graph = json!({
        "inputs": {"topic": {"type": "string"}, "paper": {"type": "file"}, "names": {"type": "array"}},
        "vars": {"draft": {"type": "string"}, "round": {"type": "integer", "initial": 0}},
        "nodes": [{"id": "start", "type": "start"},
            {"id": "write", "type": "llm", "in": {"prompt": "Write."}},
            {"id": "search", "type": "retrieve", "in": {"query": "ships"}}],
        "edges": [edge("start write"), edge("write search")]
    });
    let kind = text(&node["type"]);
    let nodes = graph["nodes"].as_array_mut().expect("nodes");
    match kind.as_str() {
        "start" => nodes[0] = node.clone(),
        _ => nodes.push(node.clone()),
    }
    if matches!(kind.as_str(), "each" | "loop") {
        nodes.push(json!({"id": "inner", "type": "template", "parent": id, "in": {"text": "x"}}));
    }
    if let Some(parent) = node["parent"].as_str() {
        nodes.push(json!({"id": parent, "type": "loop"}));
        graph["edges"].as_array_mut().expect("edges").push(edge(&format!("search {parent}")));
    } else if kind != "start" {
        graph["edges"].as_array_mut().expect("edges").push(edge(&format!("search {id}")));
    }
    graph
}
