//! Partial restarts of debugged runs, and clearing the debugger's setup.

use serde_json::{Value, json};

use super::debug::{at, chain, halted, play};
use super::scene::{Run, graph, in_node, node, nodes_of, of_type, outputs, workflow, writing};
use crate::api::streams::reading::{answer, messages, said, server, terminal, unlimited};
use crate::harness::{Client, TestServer};

async fn restart(client: &Client, assistant: &str, body: Value) -> Value {
    client.post(&at(assistant, "restart"), body).await.expect(202).json()
}

async fn played(client: &Client, assistant: &str, body: Value) -> Run {
    let run = Run::of(assistant, &play(client, assistant, body).await);
    assert_eq!(terminal(&run.events(client).await)["status"], "succeeded");
    run
}

/// The graph `chain`, in which `b` has this effect.
fn chain_with(effect: &str) -> Value {
    let mut graph = chain();
    graph["nodes"][2]["policy"] = json!({"effect": effect});
    graph
}

#[tokio::test]
async fn restart_reuses_results_that_do_not_depend_on_the_node() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, chain()).await;
    editor.post(&at(&assistant, "restart"), json!({})).await.problem(409, "no_run");
    let first = played(&editor, &assistant, json!({"inputs": {"x": "1"}})).await;
    let before = first.events(&editor).await;
    let told = restart(&editor, &assistant, json!({"from_node": "b"})).await;
    assert_eq!(told["forked_from"], json!(first.stream));
    assert_eq!((&told["reused"], &told["stale"]), (&json!(["start", "a"]), &json!(["b", "c", "done"])));
    let second = Run::of(&assistant, &told);
    assert_ne!(second.stream, first.stream);
    let events = second.events(&editor).await;
    assert_eq!(of_type(&events, "graph")[0]["data"]["forked_from"], json!(first.stream));
    assert_eq!(of_type(&events, "nodes.stale")[0]["data"]["ids"], json!(["b", "c", "done"]));
    assert_eq!(in_node(&events, "node.finished", "a")["from"], "reused");
    assert_eq!(in_node(&events, "node.finished", "b")["from"], "run");
    assert_eq!(outputs(&events), outputs(&before));
    assert_eq!(first.events(&editor).await, before, "the first run is unchanged");

    let third = restart(&editor, &assistant, json!({"from_node": "c"})).await;
    assert_eq!(
        (&third["forked_from"], &third["reused"]),
        (&json!(second.stream), &json!(["start", "a", "b"]))
    );
    assert_eq!(
        outputs(&Run::of(&assistant, &third).events(&editor).await),
        outputs(&before),
        "a fork of a fork"
    );

    for all in [
        json!({}),
        json!({"from_node": "c", "keep_upstream": false}),
        json!({"inputs": {"x": "9"}, "from_node": "c"}),
    ] {
        let told = restart(&editor, &assistant, all).await;
        assert_eq!(
            (&told["reused"], told["stale"].as_array().map(Vec::len)),
            (&json!([]), Some(5)),
            "{told}"
        );
        Run::of(&assistant, &told).events(&editor).await;
    }
}

#[tokio::test]
async fn restart_on_the_latest_graph_runs_changed_nodes_again() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, chain()).await;
    played(&editor, &assistant, json!({})).await;
    let mut changed = chain();
    changed["nodes"][3]["in"]["text"] = json!("New {{ b.text }}");
    changed["nodes"][0]["ui"] = json!({"x": 5});
    editor.patch(&format!("/api/assistants/{assistant}"), json!({"workflow": changed})).await.ok();

    let pinned = restart(&editor, &assistant, json!({"from_node": "c"})).await;
    assert_eq!(outputs(&Run::of(&assistant, &pinned).events(&editor).await), json!({"text": "C B A x"}));
    let latest = restart(&editor, &assistant, json!({"graph": "latest"})).await;
    assert_eq!((&latest["reused"], &latest["stale"]), (&json!(["start", "a", "b"]), &json!(["c", "done"])));
    assert_eq!(outputs(&Run::of(&assistant, &latest).events(&editor).await), json!({"text": "New B A x"}));
    let again = restart(&editor, &assistant, json!({"graph": "latest"})).await;
    assert_eq!(again["stale"], json!(["done"]), "nothing was changed since");
    assert_eq!(outputs(&Run::of(&assistant, &again).events(&editor).await), json!({"text": "New B A x"}));

    let faults = editor.post(&at(&assistant, "restart"), json!({"from_node": "zz", "graph": "newest"})).await;
    assert_eq!(faults.faults(), ["body.graph"]);
    assert_eq!(
        editor.post(&at(&assistant, "restart"), json!({"from_node": "zz"})).await.faults(),
        ["body.from_node"]
    );
}

#[tokio::test]
async fn restart_reuses_large_values() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, chain()).await;
    let long = "x".repeat(100_000);
    let first = played(&editor, &assistant, json!({"inputs": {"x": long}})).await;
    let whole = outputs(&first.events(&editor).await);
    assert_eq!(whole["text"]["bytes"], 100_000 + "\"C B A \"".len(), "{whole}");
    for from in ["c", "start", "done"] {
        let told = restart(&editor, &assistant, json!({"from_node": from})).await;
        let events = Run::of(&assistant, &told).events(&editor).await;
        assert_eq!(
            (terminal(&events)["status"].as_str(), outputs(&events)),
            (Some("succeeded"), whole.clone())
        );
    }
}

#[tokio::test]
async fn restart_keeps_edited_values_across_forks() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, chain()).await;
    played(&editor, &assistant, json!({"overrides": {"a.in.text": "by hand"}})).await;
    for _ in 0..3 {
        let told = restart(&editor, &assistant, json!({"from_node": "c"})).await;
        assert_eq!(told["reused"], json!(["start", "a", "b"]), "the edit is kept");
        let events = Run::of(&assistant, &told).events(&editor).await;
        assert_eq!(outputs(&events), json!({"text": "C B by hand"}));
    }
    let told = restart(&editor, &assistant, json!({"from_node": "c", "overrides": {}})).await;
    assert_eq!(told["reused"], json!(["start"]), "the edit is removed");
    assert_eq!(outputs(&Run::of(&assistant, &told).events(&editor).await), json!({"text": "C B A x"}));
}

#[tokio::test]
async fn restart_requires_confirmation_of_irreversible_effects() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, chain_with("irreversible")).await;
    played(&editor, &assistant, json!({})).await;
    let before = server.stored().await;
    let refused = editor.post(&at(&assistant, "restart"), json!({"from_node": "a"})).await;
    let refused = refused.problem(409, "confirm_effects");
    assert_eq!(refused["effects"][0]["node"], "b");
    assert_eq!(
        (&refused["effects"][0]["times"], &refused["effects"][0]["what"]),
        (&json!(1), &json!("runs the node b once"))
    );
    assert_eq!(server.stored().await, before);
    let unaffected = restart(&editor, &assistant, json!({"from_node": "c"})).await;
    assert_eq!(unaffected["forecast"]["irreversible"], json!([]));
    Run::of(&assistant, &unaffected).events(&editor).await;
    let told = restart(&editor, &assistant, json!({"from_node": "a", "confirm_effects": true})).await;
    assert_eq!(told["forecast"]["irreversible"][0]["node"], "b");
    Run::of(&assistant, &told).events(&editor).await;
    let pinned = json!({"from_node": "a", "pins": {"b": {"text": "kept"}}});
    let told = restart(&editor, &assistant, pinned).await;
    assert_eq!(outputs(&Run::of(&assistant, &told).events(&editor).await), json!({"text": "C kept"}));

    let once = workflow(&editor, chain_with("once")).await;
    played(&editor, &once, json!({})).await;
    let told = restart(&editor, &once, json!({"from_node": "a"})).await;
    assert_eq!(told["forecast"]["once"][0]["node"], "b", "a warning");
}

#[tokio::test]
async fn restart_forecast_counts_tokens() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, writing(15, 0)).await;
    let first = played(&editor, &assistant, json!({})).await;
    let events = first.events(&editor).await;
    let usage = &terminal(&events)["usage"];
    let spent = usage["input_tokens"].as_u64().unwrap() + usage["output_tokens"].as_u64().unwrap();
    assert!(spent > 15);
    let kept = restart(&editor, &assistant, json!({"from_node": "done"})).await;
    let forecast = &kept["forecast"];
    assert_eq!((&forecast["tokens_reused"], &forecast["tokens_again"]), (&json!(spent), &json!(0)));
    let run = Run::of(&assistant, &kept);
    let again = run.events(&editor).await;
    assert_eq!(answer(&again), answer(&events), "the answer is repeated");
    assert_eq!(terminal(&again)["usage"]["output_tokens"], 0, "repeating costs nothing");
    assert_eq!(said(messages(&editor, &run.conversation).await.last().expect("a message")), answer(&events));
    let all = restart(&editor, &assistant, json!({"from_node": "write"})).await;
    let forecast = &all["forecast"];
    assert_eq!((&forecast["tokens_reused"], &forecast["tokens_again"]), (&json!(0), &json!(spent)));
    assert!(
        terminal(&Run::of(&assistant, &all).events(&editor).await)["usage"]["output_tokens"].as_u64()
            > Some(0)
    );
}

#[tokio::test]
async fn restart_stops_a_live_run_first() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, chain()).await;
    let told = play(&editor, &assistant, json!({"breakpoints": [{"node": "c"}]})).await;
    let first = Run::of(&assistant, &told);
    halted(&editor, &first, 0).await;
    let told = restart(&editor, &assistant, json!({"from_node": "b", "breakpoints": []})).await;
    assert_eq!((&told["forked_from"], &told["reused"]), (&json!(first.stream), &json!(["start", "a"])));
    assert_eq!(outputs(&Run::of(&assistant, &told).events(&editor).await), json!({"text": "C B A x"}));
    assert_eq!(terminal(&first.events(&editor).await)["status"], "cancelled");
}

#[tokio::test]
async fn restart_treats_a_container_as_a_unit() {
    let server = server().await;
    let editor = server.editor();
    let inside = json!({"parent": "all"});
    let nodes = vec![
        node("start", "start", json!({}), json!({})),
        node(
            "all",
            "each",
            json!({"items": "{{ start.items }}"}),
            json!({"config": {"result": "{{ two.text }}"}}),
        ),
        node("one", "template", json!({"text": "{{ all.item }}!"}), inside.clone()),
        node("two", "template", json!({"text": "<{{ one.text }}>"}), inside),
        node("done", "end", json!({"items": "{{ all.items }}"}), json!({})),
    ];
    let inputs = json!({"items": {"type": "array", "default": ["p", "q", "r"]}});
    let flow = graph(inputs, nodes, &["start all", "one two", "all done"]);
    let assistant = workflow(&editor, flow.clone()).await;
    let first = played(&editor, &assistant, json!({})).await;
    let whole = outputs(&first.events(&editor).await);
    assert_eq!(whole, json!({"items": ["<p!>", "<q!>", "<r!>"]}));
    let kept = restart(&editor, &assistant, json!({"from_node": "done"})).await;
    assert_eq!((&kept["reused"], &kept["stale"]), (&json!(["start", "all"]), &json!(["done"])));
    let events = Run::of(&assistant, &kept).events(&editor).await;
    assert_eq!(outputs(&events), whole);
    assert!(
        of_type(&events, "node.finished")
            .iter()
            .filter(|event| event["node_id"] == "one")
            .all(|event| event["data"]["from"] == "reused")
    );
    let within = restart(&editor, &assistant, json!({"from_node": "two"})).await;
    assert_eq!(within["stale"], json!(["all", "one", "two", "done"]));
    let events = Run::of(&assistant, &within).events(&editor).await;
    assert_eq!(
        (outputs(&events), nodes_of(&events, "node.started").iter().filter(|id| *id == "one").count()),
        (whole, 3)
    );

    let mut changed = flow;
    changed["nodes"][3]["in"]["text"] = json!("({{ one.text }})");
    editor.patch(&format!("/api/assistants/{assistant}"), json!({"workflow": changed})).await.ok();
    let latest = restart(&editor, &assistant, json!({"graph": "latest"})).await;
    assert_eq!(latest["reused"], json!(["start"]));
    assert_eq!(
        outputs(&Run::of(&assistant, &latest).events(&editor).await),
        json!({"items": ["(p!)", "(q!)", "(r!)"]})
    );
}

#[tokio::test]
async fn clear_removes_the_setup_of_the_debugger() {
    let server = server().await;
    let assistant = workflow(&server.editor(), chain()).await;
    let setup = json!({"breakpoints": [{"node": "b"}], "pins": {"a": {"text": "p"}}, "overrides": {"c.in.text": "o"}});
    let told = play(&server.editor(), &assistant, setup).await;
    let run = Run::of(&assistant, &told);
    halted(&server.editor(), &run, 0).await;
    let server = server.restart().await;
    let editor = server.editor();
    let clear = async |scope: Value| editor.post(&at(&assistant, "clear"), scope).await;
    let left = clear(json!({"scope": "breakpoints"})).await.ok();
    assert_eq!((&left["breakpoints"], &left["stopped"]), (&json!([]), &Value::Null));
    assert_eq!((&left["pins"]["a"]["text"], &left["overrides"]["c.in.text"]), (&json!("p"), &json!("o")));
    let left = clear(json!({"scope": "outputs"})).await.ok();
    assert_eq!((&left["stopped"], &left["overrides"]), (&json!(run.stream), &json!({})));
    assert_eq!(left["pins"]["a"]["text"], "p");
    assert_eq!(terminal(&run.events(&editor).await)["status"], "cancelled");
    editor.post(&at(&assistant, "restart"), json!({})).await.problem(409, "no_run");
    let next = play(&editor, &assistant, json!({})).await;
    assert_ne!(next["conversation_id"], json!(run.conversation));
    assert_eq!(outputs(&Run::of(&assistant, &next).events(&editor).await), json!({"text": "C B p"}));
    let left = clear(json!({})).await.ok();
    assert_eq!((&left["scope"], &left["pins"], &left["stopped"]), (&json!("all"), &json!({}), &Value::Null));
    assert_eq!(clear(json!({"scope": "everything"})).await.faults(), ["body.scope"]);
    clear(json!({"scope": "pins"})).await.ok();
}

#[tokio::test]
async fn restart_is_refused_for_an_expired_or_removed_run() {
    let server = TestServer::start_with(|config| {
        unlimited(config);
        config.runs.stream_ttl_hours = 0.0;
    });
    let server = server.await;
    let editor = server.editor();
    let assistant = workflow(&editor, chain()).await;
    let told = play(&editor, &assistant, json!({"mode": "step"})).await;
    let run = Run::of(&assistant, &told);
    halted(&editor, &run, 0).await;
    editor.post(&run.path("cancel"), json!({})).await.ok();
    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    editor.post(&at(&assistant, "restart"), json!({})).await.problem(410, "stream_expired");
    editor.delete(&format!("/api/conversations/{}", run.conversation)).await.no_content();
    editor.post(&at(&assistant, "restart"), json!({})).await.problem(409, "no_run");
    let next = play(&editor, &assistant, json!({"mode": "step"})).await;
    assert_ne!(next["conversation_id"], json!(run.conversation));
}
