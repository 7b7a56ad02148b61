//! Tools of tool servers in workflows.

use serde_json::{Value, json};

use super::{approve, connected, server};
use crate::api::streams::reading::{answer, terminal};
use crate::api::workflows::scene::{Run, graph, in_node, node, of_type, outputs};
use crate::harness::Client;
use crate::harness::fake_mcp::FakeMcp;

async fn flow(owner: &Client, fake: &FakeMcp, work: Value) -> String {
    let nodes = vec![
        node("start", "start", json!({}), json!({})),
        work,
        node("done", "end", json!({"given": "{{ work.result }}"}), json!({})),
    ];
    let graph = graph(json!({}), nodes, &["start work", "work done"]);
    connected(owner, fake, json!({"type": "workflow", "workflow": graph})).await
}

fn tool(tool: &str, inputs: Value, policy: Value) -> Value {
    node("work", "tool", inputs, json!({"config": {"tool": tool}, "policy": policy}))
}

#[tokio::test]
async fn node_calls_a_tool_and_reports_its_progress() {
    let (server, fake) = (server().await, FakeMcp::start().await);
    let id = flow(&server.editor(), &fake, tool("tracker/steps", json!({"of": 2}), json!({}))).await;
    let user = server.editor();
    let run = Run::start(&user, &id, json!({})).await;
    let mut watched = run.watch(&user).await;
    assert!(
        watched.until("node.log").await["data"].to_string().contains("tracker/steps is at 1 of 2: step 1")
    );
    fake.go_on();
    watched.until("node.log").await;
    fake.go_on();
    let events = run.events(&user).await;
    assert_eq!(outputs(&events), json!({"given": "2 steps"}));
    fake.idle().await;
    fake.no_complaints();
}

#[tokio::test]
async fn tool_failure_is_a_failure_of_the_node() {
    let (server, fake) = (server().await, FakeMcp::start().await);
    let user = server.user();
    for (name, code) in [("tracker/fail", "tool"), ("tracker/nothing", "not_found")] {
        let id = flow(&server.editor(), &fake, tool(name, json!({}), json!({}))).await;
        let events = Run::start(&user, &id, json!({})).await.events(&user).await;
        assert_eq!(terminal(&events)["error"]["code"], code, "{name}");
    }
    let id = flow(&server.editor(), &fake, tool("tracker/add", json!({}), json!({}))).await;
    approve(&server.editor(), &id, &[]).await;
    let events = Run::start(&user, &id, json!({})).await.events(&user).await;
    assert_eq!(terminal(&events)["error"]["code"], "not_approved");
    *fake.state.tokens.lock() = vec!["a-token-of-another".into()];
    let id = flow(&server.editor(), &fake, tool("tracker/add", json!({}), json!({}))).await;
    let other = server.admin();
    let events = Run::start(&other, &id, json!({})).await.events(&other).await;
    let error = &terminal(&events)["error"];
    assert_eq!(error["code"], "login_required", "{error}");
    assert!(error["message"].as_str().expect("words").contains("tracker"), "{error}");
    assert_eq!(fake.calls("add"), 0);
}

#[tokio::test]
async fn agent_node_has_the_tools_that_it_names() {
    let (server, fake) = (server().await, FakeMcp::start().await);
    let ask = |tools: Value| {
        let config = json!({"config": {"model": "builtin/scribe", "tools": tools, "answer": true}});
        let prompt = json!({"prompt": "Please call tracker_add {\"a\": 20, \"b\": 22}"});
        vec![
            node("start", "start", json!({}), json!({})),
            node("work", "agent", prompt, config),
            node("done", "end", json!({"calls": "{{ work.calls }}"}), json!({})),
        ]
    };
    let user = server.user();
    for (tools, calls) in
        [(json!(["tracker/add"]), 1), (json!(["tracker/*"]), 1), (json!(["tracker/echo"]), 0)]
    {
        let graph = graph(json!({}), ask(tools.clone()), &["start work", "work done"]);
        let id = connected(&server.editor(), &fake, json!({"type": "workflow", "workflow": graph})).await;
        let events = Run::start(&user, &id, json!({})).await.events(&user).await;
        let given = outputs(&events);
        assert_eq!(given["calls"].as_array().map(Vec::len), Some(calls), "{tools}: {given}");
        if calls > 0 {
            assert_eq!(given["calls"][0]["output"], json!({"sum": 42.0}));
            assert!(answer(&events).contains("42"));
        }
    }
}

#[tokio::test]
async fn stopping_a_run_cancels_the_call_at_the_tool_server() {
    let (server, fake) = (server().await, FakeMcp::start().await);
    let id = flow(&server.editor(), &fake, tool("tracker/stuck", json!({}), json!({}))).await;
    let user = server.user();
    let run = Run::start(&user, &id, json!({})).await;
    fake.called("stuck", 1).await;
    user.post(&run.path("cancel"), json!({})).await.ok();
    fake.was_cancelled().await;
    // So does the node's own timeout, unless it ends before the call has started, which may happen on a slow machine.
    let mut calls = 1;
    for timeout_ms in [300, 3_000, 30_000] {
        let short = tool("tracker/stuck", json!({}), json!({"timeout_ms": timeout_ms}));
        let id = flow(&server.editor(), &fake, short).await;
        let events = Run::start(&user, &id, json!({})).await.events(&user).await;
        assert_eq!(terminal(&events)["error"]["code"], "timeout");
        calls = fake.calls("stuck");
        if calls > 1 {
            break;
        }
    }
    assert!(calls > 1, "it was never called");
    fake.until("all are cancelled", || fake.cancelled().len() == fake.calls("stuck")).await;
}

#[tokio::test]
async fn call_interrupted_by_a_crash_is_asked_about_and_not_repeated() {
    let (server, fake) = (server().await, FakeMcp::start().await);
    let id = flow(&server.editor(), &fake, tool("tracker/stuck", json!({}), json!({}))).await;
    let run = Run::start(&server.user(), &id, json!({})).await;
    fake.called("stuck", 1).await;
    let server = server.restart().await;
    let user = server.user();
    run.until_state(&user, "paused").await;
    assert_eq!(fake.calls("stuck"), 1, "whether it took effect is unknown");
    let held = json!({"action": "continue", "node_id": "work", "fields": {"result": "it did"}});
    user.post(&run.path("resume"), held).await.ok();
    let events = run.events(&user).await;
    assert_eq!(outputs(&events), json!({"given": "it did"}));
    assert_eq!(in_node(&events, "node.finished", "work")["status"], "succeeded");
    assert!(!of_type(&events, "run.recovered").is_empty());
    assert_eq!(fake.calls("stuck"), 1);
}
