//! Tests of the frontier and the forecast, with constructed graphs and journals.

use std::collections::BTreeMap;
use std::sync::Arc;

use runs::event::flow::{NodeFinished, NodeSkipped, NodeStarted, NodeStatus, OutputsFrom, RunCompensating};
use runs::{EventData, NodeRef};
use serde_json::{Map, Value, json};
use storage::records::Usage;

use super::forecast::forecast;
use super::source::Source;
use super::stale::{Change, Frontier};
use crate::graph::Plan;

fn template(id: &str, text: &str) -> Value {
    json!({"id": id, "type": "template", "in": {"text": text}})
}

/// `start` → `a` → `b` → `d`, `start` → `c` → `d`, and an `if` with two branches after `d`.
fn graph() -> Value {
    let edge = |from: &str, port: &str, to: &str| json!({"from": from, "port": port, "to": to});
    json!({"schema": 1,
        "inputs": {"x": {"type": "string", "default": "x"}},
        "vars": {"v": {"type": "string"}},
        "nodes": [
            {"id": "start", "type": "start"},
            template("a", "{{ start.x }}"),
            {"id": "b", "type": "set", "in": {"v": "{{ a.text }}"}},
            template("c", "{{ vars.v }}"),
            {"id": "d", "type": "join"},
            {"id": "which", "type": "if", "in": {"condition": true}},
            template("yes", "yes"),
            template("no", "no"),
        ],
        "edges": [edge("start", "out", "a"), edge("a", "out", "b"), edge("start", "out", "c"),
            edge("b", "out", "d"), edge("c", "out", "d"), edge("d", "out", "which"),
            edge("which", "true", "yes"), edge("which", "false", "no")]})
}

fn plan(graph: &Value) -> Plan {
    Plan::read(graph).expect("a sound graph")
}

fn at(node: &str, execution: &str) -> NodeRef {
    NodeRef { node_id: node.into(), exec_id: execution.into(), scope: Vec::new() }
}

fn done(source: &mut Source, node: &str, inputs: Value, from: OutputsFrom) {
    let inputs = inputs.as_object().cloned().unwrap_or_default();
    let place = at(node, node);
    source.apply(Some(&place), EventData::NodeStarted(NodeStarted { inputs, attempt: 1 }));
    let usage = Usage { input_tokens: 3, output_tokens: 4, ..Usage::default() };
    let finished = NodeFinished { from, usage, cost_nanos: 2, ..NodeFinished::default() };
    source.apply(Some(&place), EventData::NodeFinished(Box::new(finished)));
}

/// A run of `graph()` that has ended.
fn ended() -> Source {
    let mut source = Source::default();
    for node in ["start", "a", "b", "c", "d", "which", "yes"] {
        done(&mut source, node, json!({"text": "given"}), OutputsFrom::Run);
    }
    source.apply(Some(&at("no", "no")), EventData::NodeSkipped(NodeSkipped {}));
    source
}

#[derive(Default)]
struct SessionValues {
    pins: BTreeMap<String, Map<String, Value>>,
    overrides: BTreeMap<String, Value>,
}

fn frontier(source: &Source, old: &Value, new: &Value, from: Option<&str>, hand: &SessionValues) -> Frontier {
    let (old, new) = (plan(old), plan(new));
    let change = Change {
        source,
        old: &old,
        new: &new,
        from: from.map(|id| new.by_id[id]),
        keep: true,
        other_inputs: false,
        pins: &hand.pins,
        overrides: &hand.overrides,
    };
    change.frontier()
}

fn stale(source: &Source, from: Option<&str>) -> Vec<String> {
    frontier(source, &graph(), &graph(), from, &SessionValues::default()).stale
}

#[test]
fn frontier_is_empty_if_nothing_has_changed() {
    let frontier = frontier(&ended(), &graph(), &graph(), None, &SessionValues::default());
    assert!(frontier.stale.is_empty());
    assert_eq!(
        frontier.reuse,
        ["start", "a", "b", "c", "d", "which", "yes"],
        "what was skipped has no result"
    );
}

#[test]
fn frontier_contains_everything_behind_the_named_node_including_skipped_nodes() {
    assert_eq!(stale(&ended(), Some("d")), ["d", "which", "yes", "no"]);
    assert_eq!(stale(&ended(), Some("yes")), ["yes"]);
}

#[test]
fn frontier_contains_readers_of_a_variable_together_with_its_writers() {
    // No edge leads from `b`, which sets the variable, to `c`.
    assert_eq!(stale(&ended(), Some("b")), ["b", "c", "d", "which", "yes", "no"]);
    assert_eq!(stale(&ended(), Some("c")), ["c", "d", "which", "yes", "no"]);
}

#[test]
fn frontier_contains_nodes_that_failed_or_were_never_reached() {
    let mut source = ended();
    let failed = NodeFinished { status: NodeStatus::Failed, ..NodeFinished::default() };
    source.apply(Some(&at("which", "which")), EventData::NodeFinished(Box::new(failed)));
    assert_eq!(stale(&source, None), ["which", "yes", "no"]);
    let handled = NodeFinished { status: NodeStatus::ErrorHandled, ..NodeFinished::default() };
    source.apply(Some(&at("which", "which")), EventData::NodeFinished(Box::new(handled)));
    assert!(stale(&source, None).is_empty(), "the run went on from it");
    assert_eq!(stale(&Source::default(), None).len(), 8);
}

#[test]
fn frontier_contains_undone_nodes() {
    let mut source = ended();
    let undone = RunCompensating { executions: vec!["d".into()], error: None };
    source.apply(None, EventData::RunCompensating(undone));
    assert_eq!(stale(&source, None), ["d", "which", "yes", "no"]);
}

#[test]
fn frontier_contains_everything_behind_a_changed_node() {
    let mut new = graph();
    new["nodes"][3]["in"]["text"] = json!("other {{ vars.v }}");
    new["nodes"][1]["ui"] = json!({"x": 1});
    let frontier = frontier(&ended(), &graph(), &new, None, &SessionValues::default());
    assert_eq!(frontier.stale, ["c", "d", "which", "yes", "no"]);
    assert_eq!(frontier.reuse, ["start", "a", "b"]);
}

#[test]
fn frontier_contains_nodes_with_changed_pins_and_overrides() {
    let pin = |outputs: Value| SessionValues {
        pins: BTreeMap::from([("d".to_owned(), outputs.as_object().cloned().unwrap_or_default())]),
        ..SessionValues::default()
    };
    let with = |source: &Source, hand: &SessionValues| frontier(source, &graph(), &graph(), None, hand).stale;
    assert_eq!(
        with(&ended(), &pin(json!({"arrived": []}))),
        ["which", "yes", "no"],
        "it does not run itself"
    );
    assert!(with(&ended(), &pin(json!({}))).is_empty(), "it is what it gave");
    let mut pinned = ended();
    done(&mut pinned, "d", json!({}), OutputsFrom::Pinned);
    assert_eq!(with(&pinned, &SessionValues::default()), ["d", "which", "yes", "no"], "it is pinned no more");

    let edit = |value: &str| SessionValues {
        overrides: BTreeMap::from([("c.in.text".to_owned(), json!(value))]),
        ..SessionValues::default()
    };
    assert!(with(&ended(), &edit("given")).is_empty());
    assert_eq!(with(&ended(), &edit("else")), ["c", "d", "which", "yes", "no"]);
    let mut edited = ended();
    done(&mut edited, "c", json!({"text": "else"}), OutputsFrom::Edited);
    assert!(with(&edited, &edit("else")).is_empty());
    assert_eq!(
        with(&edited, &SessionValues::default()),
        ["c", "d", "which", "yes", "no"],
        "it is edited no more"
    );
}

#[test]
fn forecast_names_the_hosts_and_the_number_of_repeated_requests() {
    let http = |id: &str, effect: &str| {
        json!({"id": id, "type": "http", "in": {"url": "https://{{ start.x }}"}, "policy": {"effect": effect},
            "config": {"method": "POST"}})
    };
    let edge = |from: &str, to: &str| json!({"from": from, "port": "out", "to": to});
    let graph = json!({"schema": 1, "inputs": {"x": {"type": "string", "default": "x"}},
        "nodes": [{"id": "start", "type": "start"}, http("pay", "irreversible"), http("log", "once"),
            http("put", "idempotent")],
        "edges": [edge("start", "pay"), edge("pay", "log"), edge("log", "put")]});
    let mut source = Source::default();
    done(&mut source, "start", json!({}), OutputsFrom::Run);
    for (execution, url) in [("pay", "https://u:p@api.example.com/a?key=1"), ("pay~2", "https://b.example/")]
    {
        let inputs = json!({"url": url}).as_object().cloned().unwrap_or_default();
        let began = EventData::NodeStarted(NodeStarted { inputs, attempt: 1 });
        source.apply(Some(&NodeRef { exec_id: Arc::from(execution), ..at("pay", "pay") }), began);
    }
    done(&mut source, "log", json!({"url": "http://log.example:8080"}), OutputsFrom::Reused);
    done(&mut source, "put", json!({"url": "http://put.example"}), OutputsFrom::Run);
    let frontier = frontier(&source, &graph, &graph, Some("pay"), &SessionValues::default());
    let forecast = forecast(&source, &plan(&graph), &frontier);
    assert_eq!(forecast.irreversible.len(), 1);
    let pay = &forecast.irreversible[0];
    assert_eq!((pay.node.as_str(), pay.times), ("pay", 2));
    assert_eq!(pay.what, "sends 1 request to api.example.com and 1 request to b.example");
    assert_eq!(forecast.once[0].what, "sends 1 request to log.example:8080");
    assert_eq!(forecast.once.len(), 1);
    assert_eq!((forecast.tokens_again, forecast.tokens_reused), (14, 7));
    assert_eq!((forecast.cost_nanos_again, forecast.cost_nanos_reused), (4, 2));
}
