//! Manual runs: starting, reading, stopping and deleting them.

use serde_json::{Value, json};
use storage::TenantId;
use storage::records::{Assistant, AutomationRun};
use uuid::Uuid;

use super::acting::{assistant, by_hand, make, path, quick, run_path, run_to, slow, start, until};
use crate::api::streams::reading::{address, attach, messages, said, terminal};
use crate::harness::{TestServer, text};

#[tokio::test]
async fn manual_run_is_stored_in_a_conversation() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let ada = assistant(&editor, quick()).await;
    let made = make(&editor, by_hand(&ada)).await;
    let accepted = start(&editor, &made).await;
    assert_eq!((&accepted["tick"], &accepted["automation_id"]), (&Value::Null, &made["id"]));
    let run = until(&editor, &accepted, "succeeded").await;
    assert!(run["usage"]["output_tokens"].as_u64() > Some(0));
    assert_eq!(run["cost"], "0.000000000");
    let home = text(&run["conversation_id"]);
    let events = attach(&editor, &home, &text(&run["stream_id"]), "").await.events().await;
    assert_eq!(terminal(&events)["status"], "succeeded");
    let kept = messages(&editor, &home).await;
    assert_eq!(said(&kept[0]), "Tell me of the tides.");
    assert_eq!(said(&kept[1]), crate::api::streams::reading::answer(&events));
    let shown = editor.get(&format!("/api/conversations/{home}")).await.ok();
    assert_eq!(shown["is_system"], true);
    assert!(text(&shown["title"]).starts_with("Tides · "));
    let last = editor.get(&path(&made)).await.ok()["last_run"].clone();
    assert_eq!((&last["id"], &last["state"]), (&run["id"], &json!("succeeded")));
}

#[tokio::test]
async fn manual_run_can_use_another_prompt() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let ada = assistant(&editor, quick()).await;
    let made = make(&editor, by_hand(&ada)).await;
    let asked = editor.post(&format!("{}/run", path(&made)), json!({"prompt": "And of the moon?"})).await;
    let run = until(&editor, &asked.expect(202).json(), "succeeded").await;
    assert_eq!(said(&messages(&editor, &text(&run["conversation_id"])).await[0]), "And of the moon?");
    assert_eq!(editor.get(&path(&made)).await.ok()["prompt"], "Tell me of the tides.");
}

#[tokio::test]
async fn run_is_cancelled_when_its_stream_is_stopped() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let ada = assistant(&editor, slow()).await;
    let made = make(&editor, by_hand(&ada)).await;
    let run = start(&editor, &made).await;
    let live = until(&editor, &run, "running").await;
    let (home, stream) = (text(&live["conversation_id"]), text(&live["stream_id"]));
    let active = editor.get(&format!("/api/conversations/{home}/streams/active")).await.ok();
    assert_eq!((&active["stream_id"], &active["kind"]), (&live["stream_id"], &json!("completion")));
    editor.delete(&address(&home, &stream)).await.ok();
    let cancelled = until(&editor, &run, "cancelled").await;
    assert_eq!(cancelled["error"], Value::Null);
    assert_eq!(editor.get(&path(&made)).await.ok()["failures_in_row"], 0, "a cancelled run is not a failure");
}

#[tokio::test]
async fn concurrent_runs_continue_when_one_is_deleted() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let ada = assistant(&editor, slow()).await;
    let made = make(&editor, by_hand(&ada)).await;
    let (one, two) = tokio::join!(start(&editor, &made), start(&editor, &made));
    let live = until(&editor, &one, "running").await;
    until(&editor, &two, "running").await;
    editor.delete(&run_path(&one)).await.no_content();
    editor.get(&run_path(&one)).await.not_found();
    editor.get(&format!("/api/conversations/{}", text(&live["conversation_id"]))).await.not_found();
    editor.delete(&run_path(&one)).await.not_found();
    let left = editor.get(&format!("{}/runs", path(&made))).await.ok();
    assert_eq!(left["items"].as_array().map(Vec::len), Some(1));
    assert_eq!(left["items"][0]["state"], "running");
}

#[tokio::test]
async fn deleting_an_ended_run_deletes_its_conversation() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let ada = assistant(&editor, quick()).await;
    let made = make(&editor, by_hand(&ada)).await;
    let run = run_to(&editor, &made, "succeeded").await;
    editor.delete(&run_path(&run)).await.no_content();
    editor.get(&format!("/api/conversations/{}", text(&run["conversation_id"]))).await.not_found();
    assert_eq!(editor.get(&path(&made)).await.ok()["last_run"], Value::Null);
    server.stored().await;
}

#[tokio::test]
async fn deleting_a_conversation_cancels_its_run_and_keeps_the_record() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let ada = assistant(&editor, slow()).await;
    let made = make(&editor, by_hand(&ada)).await;
    let live = until(&editor, &start(&editor, &made).await, "running").await;
    editor.delete(&format!("/api/conversations/{}", text(&live["conversation_id"]))).await.no_content();
    until(&editor, &live, "cancelled").await;
    editor.delete(&run_path(&live)).await.no_content();
}

#[tokio::test]
async fn run_is_cancelled_when_its_stream_was_deleted_before_it_is_watched() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let ada = assistant(&editor, slow()).await;
    let made = make(&editor, by_hand(&ada)).await;
    let live = until(&editor, &start(&editor, &made).await, "running").await;
    let tenant = TenantId(server.editor_person().tenant.parse().unwrap());
    let id = text(&live["id"]).parse::<Uuid>().unwrap();
    let deleted = server.store().run(move |tx| {
        let mut run = tx.require::<AutomationRun>(tenant, &id)?;
        run.stream_id = Some(Uuid::now_v7());
        tx.update(tenant, run).map(drop)
    });
    deleted.await.map_err(|why: storage::Error| why).unwrap();
    let server = server.restart().await;
    let run = until(&server.editor(), &live, "cancelled").await;
    assert_eq!(run["error"], Value::Null);
}

#[tokio::test]
async fn run_is_refused_for_a_disabled_assistant() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let ada = assistant(&editor, quick()).await;
    let made = make(&editor, by_hand(&ada)).await;
    let (tenant, id) = (TenantId(server.editor_person().tenant.parse().unwrap()), ada.parse().unwrap());
    let disabled = server.store().run(move |tx| {
        let mut row = tx.require::<Assistant>(tenant, &id)?;
        row.enabled = false;
        tx.update(tenant, row).map(drop)
    });
    disabled.await.map_err(|why: storage::Error| why).unwrap();
    editor.post(&format!("{}/run", path(&made)), json!({})).await.problem(403, "assistant_disabled");
    assert_eq!(editor.get("/api/automations/runs").await.ok()["items"], json!([]));
}

#[tokio::test]
async fn run_interrupted_by_a_restart_runs_once() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let ada = assistant(&editor, json!({"length": 80, "pace_ms": 20})).await;
    editor.patch(&format!("/api/assistants/{ada}"), json!({"recovery": "retry"})).await.ok();
    let made = make(&editor, by_hand(&ada)).await;
    let live = until(&editor, &start(&editor, &made).await, "running").await;
    let server = server.restart().await;
    let editor = server.editor();
    let run = until(&editor, &live, "succeeded").await;
    assert_eq!(run["stream_id"], live["stream_id"]);
    assert_eq!(messages(&editor, &text(&run["conversation_id"])).await.len(), 2);
    let all = editor.get("/api/automations/runs").await.ok();
    assert_eq!(all["items"].as_array().map(Vec::len), Some(1));
}
