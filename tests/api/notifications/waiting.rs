//! Notifications about workflows that wait for a person.

use serde_json::{Value, json};

use super::{listed, quick, unread, until};
use crate::api::automations::acting;
use crate::api::streams::reading::Stream;
use crate::api::workflows::scene::{Run, approval, graph, node, runs, workflow};
use crate::harness::counting_server::{CountingServer, Reply};
use crate::harness::{Client, TestServer, text};

const KIND: &str = "workflow.waiting";

async fn server() -> TestServer {
    TestServer::start_with(quick).await
}

/// Returns a user's notifications about waiting workflows, oldest first.
async fn told(client: &Client) -> Vec<Value> {
    let mut all = listed(client, "").await;
    all.retain(|one| one["type"] == KIND);
    all.reverse();
    all
}

/// Waits for this many notifications, and returns them. The server may detect only at the second heartbeat, half a
/// minute later, that a reader has disconnected.
async fn told_times(client: &Client, times: usize) -> Vec<Value> {
    until("enough told", async || Some(told(client).await).filter(|all| all.len() >= times)).await
}

/// Waits until no notification is unread.
async fn all_read(client: &Client) {
    until("it to be read", async || (unread(client).await == 0).then_some(())).await;
}

/// `start` → both `one` and `two` (forms) → `done`.
fn two_forms() -> Value {
    let ask = |id: &str| {
        let config = json!({"config": {"fields": [], "actions": [{"name": "go", "label": "Go"}]}});
        node(id, "human", json!({"title": id}), config)
    };
    let plain = |id: &str, kind: &str| node(id, kind, json!({}), json!({}));
    let nodes = vec![
        plain("start", "start"),
        plain("split", "parallel"),
        ask("one"),
        ask("two"),
        plain("meet", "join"),
        plain("done", "end"),
    ];
    let edges = ["start split", "split one", "split two", "one.go meet", "two.go meet", "meet done"];
    graph(json!({}), nodes, &edges)
}

#[tokio::test]
async fn each_waiting_form_notifies_and_its_answer_marks_it_read() {
    let server = server().await;
    let editor = server.editor();
    let flow = workflow(&editor, two_forms()).await;
    let run = Run::start(&editor, &flow, json!({})).await;
    let all = told_times(&editor, 2).await;
    let mut asked: Vec<_> = all.iter().map(|one| text(&one["body"])).collect();
    asked.sort_unstable();
    assert_eq!(asked, ["one", "two"]);
    assert_eq!(unread(&editor).await, 2);
    let first = all.iter().find(|one| one["body"] == "one").expect("told");
    let form = json!({"form_id": first["data"]["form_id"]});
    Client::send(run.answering(&editor, &form, "go", json!({}))).await.ok();
    let left = until("the first to be read", async || {
        let left = listed(&editor, "?status=unread").await;
        (left.len() == 1).then_some(left)
    });
    assert_eq!(left.await[0]["body"], "two");
    // The end of the run settles everything that it asked.
    editor.post(&run.path("cancel"), json!({})).await.ok();
    all_read(&editor).await;
    assert_eq!(told(&editor).await.len(), 2);
}

#[tokio::test]
async fn reader_of_the_stream_is_notified_after_disconnecting() {
    let server = server().await;
    let editor = server.editor();
    let flow = workflow(&editor, approval(None)).await;
    let asked = editor.request(reqwest::Method::POST, &runs(&flow));
    let asked = asked.header("accept", "text/event-stream").json(&json!({"inputs": {}}));
    let mut reading = Stream::open(asked).await;
    let form = reading.until("form.required").await["data"].clone();
    reading.until("run.waiting").await;
    assert_eq!(told(&editor).await, Vec::<Value>::new());
    // The user closes the laptop.
    drop(reading);
    let all = told_times(&editor, 1).await;
    assert_eq!(all[0]["data"]["form_id"], form["form_id"]);
    let run = Run::of(
        &flow,
        &json!({"conversation_id": all[0]["data"]["conversation_id"], "stream_id": all[0]["data"]["run_id"]}),
    );
    let server = server.restart().await;
    let editor = server.editor();
    run.until_state(&editor, "waiting").await;
    assert_eq!(told(&editor).await.len(), 1, "a restart does not notify again");
    Client::send(run.answering(&editor, &form, "approve", json!({"note": "fine"}))).await.ok();
    run.events(&editor).await;
    all_read(&editor).await;
}

#[tokio::test]
async fn reader_of_the_stream_is_notified_after_a_restart() {
    let server = server().await;
    let editor = server.editor();
    let flow = workflow(&editor, approval(None)).await;
    let asked = editor.request(reqwest::Method::POST, &runs(&flow));
    let asked = asked.header("accept", "text/event-stream").json(&json!({"inputs": {}}));
    let mut reading = Stream::open(asked).await;
    reading.until("run.waiting").await;
    assert_eq!(told(&editor).await, Vec::<Value>::new());
    let server = server.restart().await;
    drop(reading);
    told_times(&server.editor(), 1).await;
}

#[tokio::test]
async fn uncertain_effect_in_an_automation_notifies_its_owner() {
    let (server, web) = (server().await, CountingServer::start().await);
    web.script("/pay", [Reply::hang()]);
    let editor = server.editor();
    let nodes = vec![
        node("start", "start", json!({}), json!({})),
        node("pay", "http", json!({"url": web.url("/pay")}), json!({"config": {"method": "POST"}})),
        node("done", "end", json!({}), json!({})),
    ];
    let flow = workflow(&editor, graph(json!({}), nodes, &["start pay", "pay done"])).await;
    let made = acting::make(&editor, json!({"name": "Pay", "assistant_id": flow, "inputs": {}})).await;
    let line = acting::start(&editor, &made).await;
    web.wait_for("/pay", 1).await;
    let server = server.restart().await;
    let editor = server.editor();
    let one = told_times(&editor, 1).await.remove(0);
    assert_eq!((&one["data"]["reason"], &one["data"]["node"]), (&json!("uncertain_effect"), &json!("pay")));
    assert_eq!(one["data"]["actions"], json!(["continue", "retry", "skip", "fail"]));
    let shown = until("the reason", async || {
        let line = editor.get(&acting::run_path(&line)).await.ok();
        (line["reason"] == "uncertain_effect").then_some(line)
    });
    let shown = shown.await;
    assert_eq!(shown["state"], "waiting");
    let run = Run::of(&flow, &shown);
    let paused = run.watch(&editor).await.until("run.paused").await;
    assert_eq!(paused["data"]["actions"], one["data"]["actions"]);
    editor.post(&run.path("resume"), json!({"action": "skip"})).await.ok();
    let done = acting::until(&editor, &line, "succeeded").await;
    assert_eq!(done["reason"], Value::Null);
    all_read(&editor).await;
    assert_eq!(web.count("/pay"), 1);
}
