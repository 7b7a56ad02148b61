//! Rights on automations.

use serde_json::{Value, json};

use super::acting::{assistant, by_hand, daily, make, path, quick, run_path, run_to};
use crate::harness::{TestServer, text};

#[tokio::test]
async fn automations_can_be_created_by_editors_only() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let ada = assistant(&editor, quick()).await;
    editor.patch(&format!("/api/assistants/{ada}"), json!({"visibility": "tenant"})).await.ok();
    server.user().post("/api/automations", by_hand(&ada)).await.problem(403, "role_missing");
    let reader = server.token(&["automations:read"]).await;
    reader.post("/api/automations", by_hand(&ada)).await.problem(403, "scope_missing");
    reader.get("/api/automations").await.ok();
    server.token(&["assistants:read"]).await.get("/api/automations").await.problem(403, "scope_missing");
}

#[tokio::test]
async fn automations_are_hidden_from_colleagues() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let made = make(&editor, by_hand(&assistant(&editor, quick()).await)).await;
    let run = run_to(&editor, &made, "succeeded").await;
    for other in [server.user(), server.stranger()] {
        other.get(&path(&made)).await.not_found();
        other.put(&path(&made), by_hand(&text(&made["assistant_id"]))).await.not_found();
        other.delete(&path(&made)).await.not_found();
        other.post(&format!("{}/run", path(&made)), json!({})).await.not_found();
        other.get(&format!("{}/runs", path(&made))).await.not_found();
        other.get(&run_path(&run)).await.not_found();
        other.delete(&run_path(&run)).await.not_found();
        assert_eq!(other.get("/api/automations").await.ok()["items"], json!([]));
    }
    editor.get(&run_path(&run)).await.ok();
}

#[tokio::test]
async fn administrators_can_disable_and_delete_automations_without_reading_runs() {
    let server = TestServer::start().await;
    let (editor, admin) = (server.editor(), server.admin());
    let ada = assistant(&editor, quick()).await;
    let made = make(&editor, daily(&ada)).await;
    let run = run_to(&editor, &made, "succeeded").await;
    let seen = admin.get(&path(&made)).await.ok();
    assert_eq!(
        (&seen["name"], &seen["prompt"], &seen["last_run"]),
        (&made["name"], &Value::Null, &Value::Null)
    );
    assert_eq!(admin.get("/api/automations").await.ok()["items"][0]["prompt"], Value::Null);
    admin.get(&run_path(&run)).await.not_found();
    assert_eq!(admin.get(&format!("{}/runs", path(&made))).await.ok()["items"], json!([]));
    admin.post(&format!("{}/run", path(&made)), json!({})).await.problem(403, "not_allowed");
    let mut body = daily(&ada);
    body["name"] = json!("Mine now");
    admin.put(&path(&made), body.clone()).await.problem(403, "not_allowed");
    body["enabled"] = json!(false);
    let off = admin.put(&path(&made), body).await.ok();
    assert_eq!((&off["enabled"], &off["paused_reason"]), (&json!(false), &json!("administrator")));
    let shown = editor.get(&path(&made)).await.ok();
    assert_eq!((&shown["name"], &shown["prompt"]), (&made["name"], &made["prompt"]));
    admin.delete(&path(&made)).await.no_content();
    editor.get(&path(&made)).await.not_found();
    editor.get(&run_path(&run)).await.not_found();
}
