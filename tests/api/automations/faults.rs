//! Faults of a definition are reported all at once, and nothing is stored.

use serde_json::{Value, json};

use super::acting::{assistant, by_hand, make, make_once, path, quick};
use crate::harness::{TestServer, text, until};

fn with(assistant: &str, trigger: Value) -> Value {
    let mut body = by_hand(assistant);
    body["trigger"] = trigger;
    body
}

#[tokio::test]
async fn create_reports_faults_of_triggers() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let ada = assistant(&editor, quick()).await;
    let before = server.stored().await;
    for (trigger, places) in [
        (json!({"kind": "cron"}), vec!["body.trigger.cron"]),
        (json!({"kind": "cron", "cron": "61 * * * *"}), vec!["body.trigger.cron"]),
        (json!({"kind": "cron", "cron": "0 0 * * * *"}), vec!["body.trigger.cron"]),
        (json!({"kind": "cron", "cron": "@daily"}), vec!["body.trigger.cron"]),
        (json!({"kind": "cron", "cron": "0 0 31 2 *"}), vec!["body.trigger.cron"]),
        (
            json!({"kind": "cron", "cron": "x", "timezone": "Europe/Atlantis"}),
            vec!["body.trigger.cron", "body.trigger.timezone"],
        ),
        (json!({"kind": "cron", "cron": "0 0 * * *", "timezone": "+01:00"}), vec!["body.trigger.timezone"]),
        (json!({"kind": "interval"}), vec!["body.trigger.every_s"]),
        (json!({"kind": "interval", "every_s": 59}), vec!["body.trigger.every_s"]),
        (json!({"kind": "once"}), vec!["body.trigger.at"]),
        (json!({"kind": "once", "at": "2020-01-01T00:00:00Z"}), vec!["body.trigger.at"]),
        (json!({"kind": "once", "at": "tomorrow"}), vec!["body.trigger.at"]),
        (json!({"kind": "manual", "every_s": 60}), vec!["body.trigger.every_s"]),
        (
            json!({"kind": "interval", "every_s": 60, "cron": "* * * * *", "timezone": "Nowhere"}),
            vec!["body.trigger.cron", "body.trigger.timezone"],
        ),
        (json!({"kind": "hourly"}), vec!["body.trigger.kind"]),
        (json!({"kind": "manual", "hour": 1}), vec!["body.trigger.hour"]),
    ] {
        assert_eq!(
            editor.post("/api/automations", with(&ada, trigger.clone())).await.faults(),
            places,
            "{trigger}"
        );
    }
    assert_eq!(server.stored().await, before);
}

#[tokio::test]
async fn create_describes_faults_of_cron_expressions() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let ada = assistant(&editor, quick()).await;
    let wrong = with(&ada, json!({"kind": "cron", "cron": "0 0 * * FRY"}));
    let problem = editor.post("/api/automations", wrong).await.expect(422).json();
    assert!(!text(&problem["errors"][0]["msg"]).is_empty(), "{problem}");
    for (cron, given, field) in [
        ("60 9 * * *", "\"60\"", "minute"),
        ("0 9-25 * * *", "\"9-25\"", "hour"),
        ("0 9 0 * *", "\"0\"", "day of the month"),
        ("0 9 * 1,13 *", "\"1,13\"", "month"),
        ("0 9 * * FRY", "\"FRY\"", "day of the week"),
    ] {
        let problem =
            editor.post("/api/automations", with(&ada, json!({"kind": "cron", "cron": cron}))).await;
        let problem = problem.expect(422).json();
        let told = text(&problem["errors"][0]["msg"]);
        assert!(told.starts_with(&format!("{given} is not a valid {field}: use ")), "{cron}: {told}");
    }
    assert_eq!(problem["errors"][0]["type"], "malformed");
}

#[tokio::test]
async fn create_reports_faults_of_other_fields() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let ada = assistant(&editor, quick()).await;
    let faults = async |body: Value| editor.post("/api/automations", body).await.faults();
    assert_eq!(faults(json!({})).await, ["body.assistant_id", "body.name"]);
    let unknown = "01890000-0000-7000-8000-000000000000";
    assert_eq!(faults(by_hand(unknown)).await, ["body.assistant_id"]);
    let body = json!({"name": "", "assistant_id": ada, "prompt": "", "pause_after_failures": 1001,
        "catch_up": {"window_s": 604801}});
    assert_eq!(
        faults(body).await,
        ["body.catch_up.window_s", "body.name", "body.pause_after_failures", "body.prompt"]
    );
    assert_eq!(faults(json!({"name": "x", "assistant_id": ada})).await, ["body.prompt"]);
    let body = json!({"name": "x", "assistant_id": ada, "inputs": {"topic": "tides"}});
    assert_eq!(faults(body).await, ["body.inputs", "body.prompt"]);

    let made = make(&editor, by_hand(&ada)).await;
    let run = async |body: Value| editor.post(&format!("{}/run", path(&made)), body).await.faults();
    assert_eq!(run(json!({"inputs": {}})).await, ["body.inputs"]);
    assert_eq!(run(json!({"prompt": ""})).await, ["body.prompt"]);
    assert_eq!(run(json!({"tick": 1})).await, ["body.tick"]);
    assert_eq!(editor.get("/api/automations/runs?state=sleeping").await.faults(), ["query.state"]);
    assert_eq!(
        editor.get("/api/automations?limit=0&type=robot").await.faults(),
        ["query.limit", "query.type"]
    );
}

#[tokio::test]
async fn rename_is_allowed_when_the_scheduled_time_has_passed() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let ada = assistant(&editor, quick()).await;
    let made = make_once(&editor, by_hand(&ada), std::time::Duration::from_millis(700)).await;
    let soon = made["trigger"]["at"].clone();
    assert_eq!(made["next_ticks"], json!([soon]));
    let runs = async || editor.get(&format!("{}/runs", path(&made))).await.ok();
    until("it ran", async || runs().await["items"][0]["state"] == "succeeded").await;
    assert_eq!(runs().await["items"][0]["tick"], soon);
    let mut body = with(&ada, json!({"kind": "once", "at": soon}));
    body["name"] = json!("Another name");
    let renamed = editor.put(&path(&made), body).await.ok();
    assert_eq!((&renamed["next_run_at"], &renamed["name"]), (&Value::Null, &json!("Another name")));
}
