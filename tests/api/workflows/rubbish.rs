//! Randomly damaged graphs are refused with a reason or run to an end, and never cause a server error.

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};

use super::scene::{Run, approval, greeting, runs};
use crate::api::streams::reading::{messages, server, terminal};
use crate::harness::random_graph::{GraphOptions, random_graph};
use crate::harness::{Client, text};

/// Returns a random value to put in the place of a valid one.
fn rubbish(dice: &mut StdRng) -> Value {
    let all = [
        json!(null),
        json!(true),
        json!(-1),
        json!(0),
        json!(1.5),
        json!(1e300),
        json!(u64::MAX),
        json!(""),
        json!("start"),
        json!("done"),
        json!("{{ start.seed }}"),
        json!("{{ nothing.at_all }}"),
        json!("{{ start.seed / 0 }}"),
        json!("{{ range(1000000)|list }}"),
        json!("{{ 'x' * 1000000 }}"),
        json!("{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}"),
        json!("{{"),
        json!("\u{0}\u{202e}\u{feff}"),
        json!("x".repeat(10_000)),
        json!([]),
        json!([[[[]]]]),
        json!({}),
        json!({"$blob": "0".repeat(64), "bytes": 3}),
        json!(["human", "wait"]),
        json!("human"),
        json!("wait"),
        json!("delay"),
        json!("each"),
        json!("loop"),
        json!("end"),
        json!("fail"),
        json!("join"),
        json!("code"),
        json!("retrieve"),
        json!("video"),
    ];
    all.choose(dice).cloned().unwrap_or_default()
}

/// Valid but absurd templates.
fn odd(dice: &mut StdRng) -> Value {
    let all = [
        "{{ start.seed / 0 }}",
        "{{ start.seed % 0 }}",
        "{{ range(100000000)|list }}",
        "{{ 'x' * 100000000 }}",
        "{{ ('x' * 1000)|upper * 1000000 }}",
        "{{ vars.v0.nothing.at.all }}",
        "{{ run.id[5000] }}",
        "{{ run.id|int }}",
        "{{ [1, 2, 3]|join('x' * 1000000) }}",
        "{{ none }}",
        "{{ -9223372036854775807 - 9223372036854775807 }}",
        "{{ 10 ** 1000 }}",
        "{{ 1.5 ** 100000 }}",
        "{{ 'a'|truncate(-5) }}",
        "{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}",
        "{{ {'a': start.seed} }}",
        "a {{ start.seed }} b",
        "",
    ];
    json!(all.choose(dice))
}

/// Collects the places of all values in a value.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, item)| places(item, &format!("{at}/{i}"), found));
        }
        Value::Object(members) => members.iter().for_each(|(name, member)| {
            let name = name.replace('~', "~0").replace('/', "~1");
            places(member, &format!("{at}/{name}"), found);
        }),
        _ => {}
    }
    found.push(at.to_owned());
}

/// Damages a random part of the graph.
fn spoil(graph: &mut Value, dice: &mut StdRng) {
    let mut all = Vec::new();
    places(graph, "", &mut all);
    // Most damage goes to the inputs of nodes, since the validation detects all other damage.
    let given: Vec<_> =
        all.iter().filter(|place| place.contains("/in/") || place.contains("/config/")).collect();
    let place = if dice.random_bool(0.7) { given.choose(dice).copied() } else { None };
    let Some(place) = place.or_else(|| all.choose(dice)) else { return };
    if dice.random_bool(0.6)
        && let Some(value @ Value::String(_)) = graph.pointer_mut(place)
    {
        *value = odd(dice);
        return;
    }
    let (parent, name) = place.rsplit_once('/').unwrap_or(("", ""));
    match (dice.random_range(0..4), graph.pointer_mut(parent)) {
        (0, Some(Value::Object(members))) => drop(members.remove(name)),
        (0, Some(Value::Array(items))) if !items.is_empty() => {
            drop(items.remove(dice.random_range(0..items.len())))
        }
        (1, Some(Value::Array(items))) if !items.is_empty() => {
            let again = items[dice.random_range(0..items.len())].clone();
            items.push(again);
        }
        (2, Some(Value::Object(members))) => {
            let name =
                ["in", "config", "policy", "parent", "id", "type", "from", "to", "port", "x"].choose(dice);
            members.insert(name.copied().unwrap_or("x").to_owned(), rubbish(dice));
        }
        _ => {
            if let Some(value) = graph.pointer_mut(place) {
                *value = rubbish(dice);
            }
        }
    }
}

#[tokio::test]
async fn damaged_graphs_are_refused_or_run_to_an_end() {
    let server = server().await;
    let editor = server.editor();
    let (mut refused, mut ended, mut waiting) = (0, 0, 0);
    for seed in 0..500 {
        let mut dice = StdRng::seed_from_u64(seed);
        let options = GraphOptions { nodes: 3 + seed as usize % 12, code: false, ..GraphOptions::default() };
        let mut graph = match seed % 10 {
            0 => approval(Some(1_000)),
            1 => greeting(),
            _ => random_graph(seed, &options),
        };
        for _ in 0..dice.random_range(1..3) {
            spoil(&mut graph, &mut dice);
        }
        if graph.is_object() {
            graph["limits"] = json!({"max_steps": 500, "run_timeout_ms": 5_000});
        }
        let body = json!({"name": "Flow", "type": "workflow", "workflow": graph});
        let saved = editor.post("/api/assistants", body).await;
        if saved.status == 422 {
            assert!(!saved.faults().is_empty(), "seed {seed}");
            refused += 1;
            continue;
        }
        let assistant = text(&saved.created()["id"]);
        let inputs = json!({"inputs": {}, "mode": "wait"});
        let answer = editor.post(&runs(&assistant), inputs).await;
        match answer.status {
            200 => {
                let body = answer.json();
                let run = Run::of(&assistant, &body);
                assert_ne!(body["error"]["code"], "panicked", "seed {seed}: {graph:#}");
                let events = run.events(&editor).await;
                assert_eq!(terminal(&events)["status"], body["state"], "seed {seed}");
                assert!(messages(&editor, &run.conversation).await.len() == 2, "seed {seed}");
                ended += 1;
            }
            202 => {
                let run = Run::of(&assistant, &answer.json());
                let receipt = editor.post(&run.path("cancel"), json!({})).await.ok();
                assert!(receipt["terminal"].is_object(), "seed {seed}: {receipt}");
                waiting += 1;
            }
            422 => assert!(!answer.faults().is_empty(), "seed {seed}"),
            status => panic!("seed {seed}: {status} {answer:?}\n{graph:#}"),
        }
    }
    println!("{refused} refused, {ended} ended, {waiting} waiting");
    assert!(refused > 100 && ended > 50, "{refused} refused, {ended} ended");
    server.stored().await;
}

#[tokio::test]
async fn damaged_requests_are_refused_and_change_nothing() {
    let server = server().await;
    let editor = server.editor();
    let assistant = super::scene::workflow(&editor, approval(None)).await;
    let (mut run, mut good) = ask(&editor, &assistant).await;
    let mut refused = 0;
    for seed in 0..400 {
        let mut dice = StdRng::seed_from_u64(seed);
        let (path, mut body) = match seed % 3 {
            0 => (
                runs(&assistant),
                json!({"inputs": {"what": "it"}, "mode": "async", "conversation_id": null}),
            ),
            _ => (run.path("resume"), good.clone()),
        };
        for _ in 0..dice.random_range(1..3) {
            spoil(&mut body, &mut dice);
        }
        let answer = editor.post(&path, body.clone()).await;
        match answer.status {
            // The damage was so small that the request was still valid.
            202 => {
                drop(editor.post(&Run::of(&assistant, &answer.json()).path("cancel"), json!({})).await.ok())
            }
            200 => {
                assert_eq!(
                    terminal(&run.events(&editor).await)["status"],
                    "succeeded",
                    "seed {seed}: {body}"
                );
                (run, good) = ask(&editor, &assistant).await;
            }
            400 | 404 | 409 | 410 | 422 => refused += 1,
            _ => panic!("seed {seed}: {answer:?} to {body}"),
        }
    }
    assert!(refused > 200, "{refused} refused");
    editor.post(&run.path("resume"), good).await.ok();
    assert_eq!(terminal(&run.events(&editor).await)["status"], "succeeded");
    server.stored().await;
}

/// Starts a run that shows a form, and returns the right answer to it.
async fn ask(editor: &Client, assistant: &str) -> (Run, Value) {
    let run = Run::start(editor, assistant, json!({})).await;
    let form = run.form(editor).await;
    run.until_state(editor, "waiting").await;
    let good =
        json!({"form_id": form["form_id"], "action": "approve", "fields": {"note": "fine", "stars": 3}});
    (run, good)
}
