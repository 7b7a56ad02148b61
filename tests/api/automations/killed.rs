//! `kill -9` of the real binary while a tick of an automation is being processed.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::acting::{assistant, make_once, path};
use crate::crash::server::{EMAIL, PASSWORD, Server};
use crate::harness::{Client, comes, text};

/// Logs in on a server that has just started.
async fn log_in(server: &Server) -> Client {
    let anonymous = Client::new(server.url.clone(), None);
    let answer = anonymous.post("/api/auth/login/", json!({"email": EMAIL, "password": PASSWORD})).await.ok();
    Client::new(server.url.clone(), Some(text(&answer["access_token"])))
}

async fn runs(client: &Client, automation: &Value) -> Vec<Value> {
    let runs = client.get(&format!("{}/runs", path(automation))).await.ok();
    runs["items"].as_array().expect("items").clone()
}

#[tokio::test]
async fn ticks_interrupted_by_a_kill_run_once() {
    let mut server = Server::install().await;
    let mut client = log_in(&server).await;
    let ada = assistant(&client, json!({"length": 20, "pace_ms": 10})).await;
    client.patch(&format!("/api/assistants/{ada}"), json!({"recovery": "retry"})).await.ok();
    let mut made = Vec::new();
    // Delays so close together that the kills cover the time before and after each step of a run.
    let first = Instant::now() + Duration::from_millis(900);
    for at in 0..12 {
        let at = first + Duration::from_millis(120 * at);
        let body = json!({"name": "Once", "assistant_id": ada, "prompt": "Tell me of the tides."});
        let lead = at.saturating_duration_since(Instant::now()).max(Duration::from_millis(50));
        made.push(make_once(&client, body, lead).await);
    }
    // A run that was interrupted more often is not restarted and keeps its partial answer, since it may be the cause of
    // the crashes.
    for _ in 0..3 {
        tokio::time::sleep(Duration::from_millis(450)).await;
        server.kill();
        server.spawn();
        server.ready().await;
        client = log_in(&server).await;
    }
    for automation in &made {
        let mut lines = Vec::new();
        comes(async || {
            lines = runs(&client, automation).await;
            lines.len() == 1 && lines[0]["state"] == "succeeded"
        })
        .await;
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert_eq!(lines[0]["state"], "succeeded", "{lines:?}");
        assert_eq!(lines[0]["tick"], automation["trigger"]["at"]);
        let home =
            client.get(&format!("/api/conversations/{}", text(&lines[0]["conversation_id"]))).await.ok();
        assert_eq!(home["messages"].as_array().map(Vec::len), Some(2), "asked once, answered once");
    }
    let homes = client.get("/api/automations/runs").await.ok();
    let homes: HashSet<_> =
        homes["items"].as_array().expect("items").iter().map(|run| text(&run["conversation_id"])).collect();
    assert_eq!(homes.len(), 12);
}
