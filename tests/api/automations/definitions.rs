//! Creating, reading, replacing and deleting automations.

use serde_json::{Value, json};

use super::acting::{
    assistant, by_hand, daily, failing, make, path, quick, run_path, run_to, slow, start, until,
};
use crate::harness::{Client, TestServer, text};
use reqwest::Method;

#[tokio::test]
async fn new_automation_has_defaults_and_upcoming_ticks() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let ada = assistant(&editor, quick()).await;
    let made = make(&editor, daily(&ada)).await;
    assert_eq!(made["owner"], server.editor_person().id);
    assert_eq!((&made["enabled"], &made["notify"]), (&json!(true), &json!(true)));
    assert_eq!((&made["overlap"], &made["pause_after_failures"]), (&json!("skip"), &json!(5)));
    assert_eq!(made["catch_up"], json!({"window_s": 3600, "policy": "latest"}));
    assert_eq!((&made["paused_reason"], &made["last_run"]), (&Value::Null, &Value::Null));
    let ticks = made["next_ticks"].as_array().expect("ticks");
    assert_eq!(ticks.len(), 5);
    assert_eq!(made["next_run_at"], ticks[0]);
    assert!(ticks.iter().all(|tick| text(tick).ends_with(":30:00.000Z")), "{ticks:?}");
    assert!(ticks.is_sorted_by(|a, b| text(a) < text(b)));
    assert_eq!(editor.get(&path(&made)).await.ok(), made);

    let idle = make(&editor, by_hand(&ada)).await;
    assert_eq!(idle["trigger"]["kind"], "manual");
    assert_eq!((&idle["next_run_at"], &idle["next_ticks"]), (&Value::Null, &json!([])));
    let twin = editor.post("/api/automations/", by_hand(&ada)).await.created();
    assert_eq!(editor.get("/api/automations/").await.ok()["items"], json!([made, idle, twin]));
}

#[tokio::test]
async fn replace_checks_versions_and_restarts_the_schedule() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let ada = assistant(&editor, quick()).await;
    let made = make(&editor, daily(&ada)).await;
    let mut body = by_hand(&ada);
    body["name"] = json!("  Ebb  ");
    body["trigger"] = json!({"kind": "interval", "every_s": 3_600});
    body["version"] = json!(made["version"]);
    let answer = editor.put(&path(&made), body.clone()).await;
    assert_eq!(answer.header("etag"), Some("\"2\""));
    let now = answer.ok();
    assert_eq!((&now["name"], &now["version"]), (&json!("Ebb"), &json!(2)));
    assert_ne!(now["next_run_at"], made["next_run_at"]);
    editor.put(&path(&made), body.clone()).await.problem(412, "stale");
    body["version"] = Value::Null;
    let stale = editor.request(Method::PUT, &path(&made)).header("if-match", "\"1\"").json(&body);
    Client::send(stale).await.problem(412, "stale");
    let unchanged = editor.put(&path(&made), body.clone()).await.ok();
    assert_eq!(unchanged["next_run_at"], now["next_run_at"], "an unchanged trigger keeps its schedule");

    body["enabled"] = json!(false);
    let off = editor.put(&path(&made), body.clone()).await.ok();
    assert_eq!(off["next_run_at"], Value::Null);
    assert_eq!(off["next_ticks"].as_array().map(Vec::len), Some(5), "the next ticks if it were enabled");
    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    body["enabled"] = json!(true);
    let on = editor.put(&path(&made), body).await.ok();
    assert!(text(&on["next_run_at"]) > text(&now["next_run_at"]), "the schedule starts when it is enabled");
}

#[tokio::test]
async fn delete_stops_live_runs_and_removes_all_runs() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let slow = assistant(&editor, slow()).await;
    let before = server.stored().await;
    let made = make(&editor, daily(&slow)).await;
    let run = start(&editor, &made).await;
    let live = until(&editor, &run, "running").await;
    let home = format!("/api/conversations/{}", text(&live["conversation_id"]));
    editor.get(&home).await.ok();
    editor.delete(&path(&made)).await.no_content();
    editor.get(&path(&made)).await.not_found();
    editor.get(&run_path(&run)).await.not_found();
    editor.get(&home).await.not_found();
    editor.delete(&path(&made)).await.not_found();
    // The cost stays on record: the usage record, its index entry, the four sums that include it, and the key of the
    // request. Activity also stays counted: in nine keys, or in ten if a quarter of an hour ended during the test.
    assert!(server.stored().await <= before + 9 + 10, "something was left behind");
}

#[tokio::test]
async fn deleting_an_assistant_pauses_its_automations() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let ada = assistant(&editor, quick()).await;
    let made = make(&editor, daily(&ada)).await;
    editor.delete(&format!("/api/assistants/{ada}")).await.ok();
    let paused = editor.get(&path(&made)).await.ok();
    assert_eq!((&paused["enabled"], &paused["paused_reason"]), (&json!(false), &json!("assistant_deleted")));
    editor.post(&format!("{}/run", path(&made)), json!({})).await.not_found();
    assert_eq!(editor.put(&path(&made), daily(&ada)).await.faults(), ["body.assistant_id"]);
    let mut renamed = daily(&ada);
    (renamed["name"], renamed["enabled"]) = (json!("Once"), json!(false));
    let renamed = editor.put(&path(&made), renamed).await.ok();
    assert_eq!(renamed["paused_reason"], "assistant_deleted");
    let other = assistant(&editor, quick()).await;
    let back = editor.put(&path(&made), daily(&other)).await.ok();
    assert_eq!((&back["enabled"], &back["paused_reason"]), (&json!(true), &Value::Null));
}

#[tokio::test]
async fn consecutive_failures_pause_the_automation_until_it_is_enabled() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let ada = assistant(&editor, failing()).await;
    let mut body = daily(&ada);
    body["pause_after_failures"] = json!(2);
    let made = make(&editor, body.clone()).await;
    let failed = run_to(&editor, &made, "failed").await;
    assert!(text(&failed["error"]["message"]).contains("length"), "{failed}");
    let shown = editor.get(&path(&made)).await.ok();
    assert_eq!((&shown["failures_in_row"], &shown["enabled"]), (&json!(1), &json!(true)));
    assert_eq!(shown["last_run"]["id"], failed["id"]);
    assert_eq!(shown["last_run"]["state"], "failed");
    assert_eq!(shown["version"], 1, "runs do not change the definition");
    run_to(&editor, &made, "failed").await;
    let paused = editor.get(&path(&made)).await.ok();
    assert_eq!((&paused["enabled"], &paused["paused_reason"]), (&json!(false), &json!("failures")));
    assert_eq!(paused["next_run_at"], Value::Null);
    let on = editor.put(&path(&made), body).await.ok();
    assert_eq!((&on["paused_reason"], &on["failures_in_row"]), (&Value::Null, &json!(0)));
    assert_ne!(on["next_run_at"], Value::Null);
}

#[tokio::test]
async fn cron_without_a_time_zone_uses_the_time_zone_of_the_tenant() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let ada = assistant(&editor, quick()).await;
    let mut body = by_hand(&ada);
    body["trigger"] = json!({"kind": "cron", "cron": "30 7 * * *"});
    let utc = make(&editor, body.clone()).await;
    assert_eq!(utc["trigger"]["timezone"], Value::Null);
    assert!(text(&utc["next_run_at"]).contains("T07:30:00"), "{utc}");

    let settings = "/api/tenant-admin/settings";
    server.admin().patch(settings, json!({"time_zone": "Asia/Tokyo"})).await.ok();
    let made = make(&editor, body.clone()).await;
    assert_eq!(made["trigger"]["timezone"], "Asia/Tokyo");
    assert!(text(&made["next_run_at"]).contains("T22:30:00"), "{made}");
    // An expression that is written back unchanged keeps its schedule; a new one uses the tenant's current time zone.
    let renamed = editor.put(&path(&utc), body.clone()).await.ok();
    assert_eq!((&renamed["trigger"], &renamed["next_run_at"]), (&utc["trigger"], &utc["next_run_at"]));
    body["trigger"] = json!({"kind": "cron", "cron": "0 9 * * *"});
    let moved = editor.put(&path(&utc), body).await.ok();
    assert!(text(&moved["next_run_at"]).contains("T00:00:00"), "{moved}");
}
