//! Rights to read reports and to change assistants.

use serde_json::{Value, json};

use super::scene::{TOWER, assistant, at};
use crate::harness::{Client, TestServer};

const READS: [&str; 8] = [
    "kpis",
    "overview",
    "models",
    "users",
    "overview/export",
    "models/export",
    "users/export",
    "ownership-candidates",
];

fn writes(assistant: &str, owner: &str) -> Vec<(String, Value)> {
    let ids = json!([assistant]);
    vec![
        (at(assistant, "disable"), json!({"reason": "x"})),
        (at(assistant, "enable"), json!({})),
        (at(assistant, "transfer-ownership"), json!({"new_owner_id": owner})),
        (format!("{TOWER}/overview/bulk/disable"), json!({"assistant_ids": ids, "reason": "x"})),
        (format!("{TOWER}/overview/bulk/enable"), json!({"assistant_ids": ids})),
        (
            format!("{TOWER}/overview/bulk/transfer-ownership"),
            json!({"assistant_ids": ids, "new_owner_id": owner}),
        ),
    ]
}

async fn refused(client: &Client, reads: bool, writes: &[(String, Value)], code: &str) {
    for name in READS.into_iter().filter(|_| reads) {
        client.get(&format!("{TOWER}/{name}")).await.problem(403, code);
    }
    for (path, body) in writes {
        client.post(path, body.clone()).await.problem(403, code);
    }
}

#[tokio::test]
async fn control_tower_requires_an_administrator_with_the_scope() {
    let server = TestServer::start().await;
    let ada = assistant(&server.editor(), "Ada", json!({})).await;
    let owner = server.editor_person().id.clone();
    let writes = writes(&ada, &owner);
    for client in [server.user(), server.editor()] {
        refused(&client, true, &writes, "role_missing").await;
        client.get(&format!("{TOWER}/overview/{ada}")).await.problem(403, "role_missing");
        client.get(&format!("{TOWER}/users/{owner}/usage?month=2026-06")).await.problem(403, "role_missing");
    }
    let reader = server.token(&["admin:read"]).await;
    for name in READS {
        reader.get(&format!("{TOWER}/{name}")).await.expect(200);
    }
    refused(&reader, false, &writes, "scope_missing").await;
    refused(&server.token(&["usage:read", "assistants:write"]).await, true, &writes, "scope_missing").await;
    let writer = server.token(&["admin:write"]).await;
    for (path, body) in &writes {
        writer.post(path, body.clone()).await.ok();
    }
}

#[tokio::test]
async fn control_tower_hides_other_tenants() {
    let server = TestServer::start().await;
    let ada = assistant(&server.editor(), "Ada", json!({})).await;
    let stranger = server.stranger();
    let me = server.stranger_person().id.clone();
    for (path, body) in writes(&ada, &me) {
        let answer = stranger.post(&path, body).await;
        match path.contains("/bulk/") {
            true => assert_eq!(answer.ok()["results"], json!([{"assistant_id": ada, "status": "not_found"}])),
            false => answer.not_found(),
        }
    }
    stranger.get(&format!("{TOWER}/overview/{ada}")).await.not_found();
    for name in ["overview", "models"] {
        assert_eq!(stranger.get(&format!("{TOWER}/{name}")).await.ok()["total"], 0);
    }
    let shown = server.editor().get(&format!("/api/assistants/{ada}")).await.ok();
    assert_eq!((&shown["enabled"], &shown["owner"]), (&json!(true), &json!(server.editor_person().id)));
}
