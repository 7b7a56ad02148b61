//! Automations of workflows: their inputs, and the forms that they wait for.

use serde_json::{Value, json};

use super::acting::{make, path, start, until};
use crate::api::streams::reading::{messages, said};
use crate::api::workflows::scene::{Run, approval, greeting, workflow};
use crate::harness::{Client, TestServer, text};

fn of(assistant: &str, inputs: Value) -> Value {
    json!({"name": "Flow", "assistant_id": assistant, "inputs": inputs})
}

#[tokio::test]
async fn automation_inputs_are_validated_against_the_graph() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let flow = workflow(&editor, greeting()).await;
    let faults = async |body: Value| editor.post("/api/automations", body).await.faults();
    assert_eq!(faults(json!({"name": "Flow", "assistant_id": flow})).await, ["body.inputs.topic"]);
    assert_eq!(faults(of(&flow, json!({"topic": 5, "x": 1}))).await, ["body.inputs.topic", "body.inputs.x"]);
    let mut both = of(&flow, json!({"topic": "tides"}));
    both["prompt"] = json!("Tell me.");
    assert_eq!(faults(both).await, ["body.prompt"]);
    let made = make(&editor, of(&flow, json!({"topic": "tides"}))).await;
    let run = async |body: Value| editor.post(&format!("{}/run", path(&made)), body).await;
    assert_eq!(run(json!({"inputs": {"tone": "dry"}})).await.faults(), ["body.inputs.topic"]);
    let listed = editor.get("/api/automations?type=workflow").await.ok();
    assert_eq!(listed["items"][0]["id"], made["id"]);
}

#[tokio::test]
async fn automation_runs_the_graph_in_its_own_conversation() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let flow = workflow(&editor, greeting()).await;
    let made = make(&editor, of(&flow, json!({"topic": "tides"}))).await;
    let run = until(&editor, &start(&editor, &made).await, "succeeded").await;
    let kept = messages(&editor, &text(&run["conversation_id"])).await;
    assert_eq!(said(kept.last().expect("a message")), "On tides.");
    let other = editor.post(&format!("{}/run", path(&made)), json!({"inputs": {"topic": "ebbs"}})).await;
    let other = until(&editor, &other.expect(202).json(), "succeeded").await;
    let kept = messages(&editor, &text(&other["conversation_id"])).await;
    assert_eq!(said(kept.last().expect("a message")), "On ebbs.");
}

#[tokio::test]
async fn partial_run_reports_failed_items() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let within =
        |id: &str, inputs: Value| json!({"id": id, "type": "template", "parent": "all", "in": inputs});
    let graph = json!({"nodes": [
        {"id": "start", "type": "start"},
        {"id": "all", "type": "each", "in": {"items": [1, 0]}, "config": {"on_item_error": "drop"}},
        within("one", json!({"text": "{{ 1 / all.item }}"}))], "edges": [{"from": "start", "to": "all"}]});
    let flow = workflow(&editor, graph).await;
    let made = make(&editor, of(&flow, json!({}))).await;
    let run = until(&editor, &start(&editor, &made).await, "partial").await;
    assert_eq!(run["error"], json!({"code": "partial", "message": "1 item failed"}));
    assert_eq!(editor.get(&path(&made)).await.ok()["failures_in_row"], 0);
}

#[tokio::test]
async fn run_reports_that_it_waits_for_a_person_and_continues() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let flow = workflow(&editor, approval(None)).await;
    let made = make(&editor, of(&flow, json!({}))).await;
    let accepted = start(&editor, &made).await;
    let waiting = until(&editor, &accepted, "waiting").await;
    assert_eq!(editor.get(&path(&made)).await.ok()["last_run"]["state"], "waiting");
    let server = server.restart().await;
    let editor = server.editor();
    let waiting = until(&editor, &waiting, "waiting").await;
    let run = Run::of(&flow, &waiting);
    let form = run.form(&editor).await;
    Client::send(run.answering(&editor, &form, "approve", json!({"note": "fine"}))).await.ok();
    let done = until(&editor, &accepted, "succeeded").await;
    let kept = messages(&editor, &text(&done["conversation_id"])).await;
    assert_eq!(said(kept.last().expect("a message")), "Yes: fine");
}

#[tokio::test]
async fn deleting_an_automation_removes_its_waiting_run() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let flow = workflow(&editor, approval(None)).await;
    let made = make(&editor, of(&flow, json!({}))).await;
    let waiting = until(&editor, &start(&editor, &made).await, "waiting").await;
    editor.delete(&path(&made)).await.no_content();
    editor.get(&format!("/api/conversations/{}", text(&waiting["conversation_id"]))).await.not_found();
    editor.get(&super::acting::run_path(&waiting)).await.not_found();
}
