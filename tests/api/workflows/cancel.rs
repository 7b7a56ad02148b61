//! Cancelling runs.

use serde_json::{Value, json};

use super::scene::{
    Run, approval, graph, greeting, node, nodes_of, of_type, runs, workflow, workflow_for, writing,
};
use crate::api::streams::reading::{answer, messages, said, server, terminal, unlimited};
use crate::harness::{Client, PATIENCE, TestServer};

/// Asserts the receipt of a run that was cancelled.
fn stopped(receipt: &Value, run: &Run) {
    assert_eq!(receipt["stream_id"], json!(run.stream));
    assert_eq!(
        (&receipt["status"], &receipt["terminal"]["status"]),
        (&json!("cancelled"), &json!("cancelled"))
    );
    assert!(receipt["tokens_after_cancel"].is_u64());
}

async fn cancel(client: &Client, run: &Run) -> Value {
    client.post(&run.path("cancel"), json!({})).await.ok()
}

#[tokio::test]
async fn cancel_keeps_and_bills_the_partial_answer() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, writing(5_000, 5)).await;
    let run = Run::start(&editor, &assistant, json!({})).await;
    let mut live = run.watch(&editor).await;
    for _ in 0..5 {
        live.until("text.delta").await;
    }
    let receipt = cancel(&editor, &run).await;
    stopped(&receipt, &run);
    assert_eq!(receipt["terminal"]["cancelled_by"], json!(server.editor_person().id));
    let events = run.events(&editor).await;
    assert_eq!(terminal(&events), receipt["terminal"]);
    assert!(!of_type(&events, "run.cancelling").is_empty());
    let kept = messages(&editor, &run.conversation).await;
    let last = kept.last().expect("a message");
    assert_eq!((last["status"].as_str(), said(last)), (Some("stopped"), answer(&events)));
    assert!(receipt["terminal"]["usage"]["output_tokens"].as_u64().expect("tokens") > 0);
}

#[tokio::test]
async fn cancel_ends_a_run_that_waits_for_a_form_a_timer_or_an_event() {
    let server = server().await;
    let editor = server.editor();
    let through = |waits: Value| {
        let nodes = vec![
            node("start", "start", json!({}), json!({})),
            waits,
            node("done", "end", json!({}), json!({})),
        ];
        graph(json!({}), nodes, &["start hold", "hold done"])
    };
    let config = json!({"config": {"event": "never"}});
    let graphs = [
        approval(None),
        through(node("hold", "delay", json!({"ms": 3_600_000}), json!({}))),
        through(node("hold", "wait", json!({}), config)),
    ];
    for graph in graphs {
        let assistant = workflow(&editor, graph).await;
        let run = Run::start(&editor, &assistant, json!({})).await;
        run.until_state(&editor, "waiting").await;
        stopped(&cancel(&editor, &run).await, &run);
        let events = run.events(&editor).await;
        assert!(!nodes_of(&events, "node.finished").contains(&"done".to_owned()));
        editor.post(&run.path("resume"), json!({"action": "approve"})).await.problem(409, "not_waiting");
        let active = format!("/api/conversations/{}/streams/active", run.conversation);
        editor.get(&active).await.no_content();
    }
}

#[tokio::test]
async fn cancel_is_idempotent_across_clients_and_after_the_end() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, approval(None)).await;
    let run = Run::start(&editor, &assistant, json!({})).await;
    run.until_state(&editor, "waiting").await;
    let other = server.editor();
    let (one, two) = tokio::join!(cancel(&editor, &run), cancel(&other, &run));
    stopped(&one, &run);
    assert_eq!(one["terminal"], two["terminal"]);
    assert_eq!(cancel(&editor, &run).await["terminal"], one["terminal"], "it never changes");

    let quick = workflow(&editor, greeting()).await;
    let run = Run::start(&editor, &quick, json!({"topic": "tides"})).await;
    let ended = terminal(&run.events(&editor).await);
    let receipt = cancel(&editor, &run).await;
    assert_eq!((&receipt["status"], &receipt["terminal"]), (&json!("succeeded"), &ended));
}

#[tokio::test]
async fn cancel_before_the_start_dequeues_the_run() {
    let server = TestServer::start_with(|config| {
        unlimited(config);
        config.runs.per_user = 1;
    });
    let server = server.await;
    let editor = server.editor();
    let assistant = workflow(&editor, writing(5_000, 5)).await;
    let busy = Run::start(&editor, &assistant, json!({})).await;
    busy.watch(&editor).await.until("text.delta").await;
    let queued = Run::start(&editor, &assistant, json!({})).await;
    queued.until_state(&editor, "queued").await;
    let receipt = cancel(&editor, &queued).await;
    stopped(&receipt, &queued);
    assert_eq!(receipt["terminal"]["started_at"], Value::Null);
    assert!(of_type(&queued.events(&editor).await, "node.started").is_empty());
    cancel(&editor, &busy).await;
}

#[tokio::test]
async fn waiting_runs_do_not_count_against_the_limit_of_live_runs() {
    let server = TestServer::start_with(|config| {
        unlimited(config);
        config.runs.per_user = 1;
    });
    let server = server.await;
    let editor = server.editor();
    let asking = workflow(&editor, approval(None)).await;
    let quick = workflow(&editor, greeting()).await;
    for _ in 0..5 {
        let waits = Run::start(&editor, &asking, json!({})).await;
        waits.until_state(&editor, "waiting").await;
    }
    let run = Run::start(&editor, &quick, json!({"topic": "tides"})).await;
    assert_eq!(terminal(&run.events(&editor).await)["status"], "succeeded");
}

#[tokio::test]
async fn cancel_affects_the_live_run_or_the_latest() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, approval(None)).await;
    let first = Run::start(&editor, &assistant, json!({})).await;
    stopped(&cancel(&editor, &first).await, &first);
    let again = json!({"conversation_id": first.conversation});
    let second = Run::of(&assistant, &editor.post(&runs(&assistant), again).await.expect(202).json());
    assert_eq!(second.conversation, first.conversation);
    stopped(&cancel(&editor, &second).await, &second);
    stopped(&cancel(&editor, &second).await, &second);
}

#[tokio::test]
async fn cancel_requires_the_owner_of_the_run() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow_for(&editor, approval(None), "tenant").await;
    let user = server.user();
    let run = Run::start(&user, &assistant, json!({})).await;
    run.until_state(&user, "waiting").await;
    for other in [server.stranger(), server.admin(), editor.clone()] {
        other.post(&run.path("cancel"), json!({})).await.not_found();
    }
    let another = workflow_for(&editor, approval(None), "tenant").await;
    let misled = Run { assistant: another, ..run.clone() };
    user.post(&misled.path("cancel"), json!({})).await.not_found();
    let nonsense = format!("/api/workflows/nonsense/runs/{}/cancel", run.conversation);
    assert_eq!(user.post(&nonsense, json!({})).await.faults(), ["path.assistant_id"]);
    stopped(&cancel(&user, &run).await, &run);
}

#[tokio::test]
async fn cancel_also_cancels_the_child_that_the_run_waits_for() {
    let server = server().await;
    let editor = server.editor();
    let inner = workflow(&editor, approval(None)).await;
    let nodes = vec![
        node("start", "start", json!({}), json!({})),
        node("sub", "workflow", json!({}), json!({"config": {"assistant_id": inner}})),
        node("done", "end", json!({}), json!({})),
    ];
    let outer = workflow(&editor, graph(json!({}), nodes, &["start sub", "sub done"])).await;
    let run = Run::start(&editor, &outer, json!({})).await;
    let waiting = run.watch(&editor).await.until("node.waiting").await["data"].clone();
    assert_eq!(waiting["on"], "child");
    let child = Run::of(
        &inner,
        &json!({"conversation_id": waiting["conversation_id"], "stream_id": waiting["run_id"]}),
    );
    child.until_state(&editor, "waiting").await;
    let receipt = cancel(&editor, &run).await;
    stopped(&receipt, &run);
    let events = run.events(&editor).await;
    assert_eq!(receipt["children_stopped"], json!([child.stream]), "{events:#?}");
    tokio::time::timeout(PATIENCE, child.events(&editor)).await.expect("the child ends");
    assert_eq!(cancel(&editor, &child).await["status"], "cancelled");
}
