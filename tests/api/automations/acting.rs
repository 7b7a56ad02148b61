//! Creating automations and waiting for their runs.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Client, comes, text};

/// Creates a chat assistant with the built-in model and these parameters.
pub async fn assistant(client: &Client, parameters: Value) -> String {
    let body = json!({"name": "Ada", "model": "builtin/scribe", "model_parameters": parameters});
    text(&client.post("/api/assistants", body).await.created()["id"])
}

/// Parameters for a short answer, a slow answer, and an input that the built-in model refuses.
pub fn quick() -> Value {
    json!({"length": 3})
}

pub fn slow() -> Value {
    json!({"length": 5_000, "pace_ms": 20})
}

pub fn failing() -> Value {
    json!({"length": 0})
}

/// An automation that is started manually.
pub fn by_hand(assistant: &str) -> Value {
    json!({"name": "Tides", "assistant_id": assistant, "prompt": "Tell me of the tides."})
}

/// An automation with a daily schedule.
pub fn daily(assistant: &str) -> Value {
    let mut body = by_hand(assistant);
    body["trigger"] = json!({"kind": "cron", "cron": "30 7 * * *", "timezone": "Europe/Berlin"});
    body
}

pub async fn make(client: &Client, body: Value) -> Value {
    client.post("/api/automations", body).await.created()
}

pub fn path(automation: &Value) -> String {
    format!("/api/automations/{}", text(&automation["id"]))
}

pub fn run_path(run: &Value) -> String {
    format!("/api/automations/runs/{}", text(&run["id"]))
}

/// Starts a manual run.
pub async fn start(client: &Client, automation: &Value) -> Value {
    client.post(&format!("{}/run", path(automation)), json!({})).await.expect(202).json()
}

/// Creates an automation that runs once after `lead`. Retries with a longer lead if the time has passed before the
/// server validates it.
pub async fn make_once(client: &Client, mut body: Value, mut lead: Duration) -> Value {
    loop {
        let at = storage::Timestamp::now() + lead;
        body["trigger"] = json!({"kind": "once", "at": at.to_string()});
        let answer = client.post("/api/automations", body.clone()).await;
        if answer.status == 201 {
            return answer.json();
        }
        assert_eq!(answer.faults(), ["body.trigger.at"]);
        lead *= 2;
    }
}

/// Waits until a run is in this state.
pub async fn until(client: &Client, run: &Value, state: &str) -> Value {
    let mut shown = Value::Null;
    let becomes = comes(async || {
        shown = client.get(&run_path(run)).await.ok();
        shown["state"] == state
    });
    assert!(becomes.await, "the run does not become {state}: {shown}");
    shown
}

/// Starts a manual run and waits until it has ended.
pub async fn run_to(client: &Client, automation: &Value, state: &str) -> Value {
    let run = start(client, automation).await;
    until(client, &run, state).await
}
