//! Usage under impersonation, and the statistics of a user.

use serde_json::{Value, json};

use super::scene::{COSTS, DAY, records, spend, tenant, within_one};
use crate::api::streams::reading::{ask, conversation};
use crate::harness::{Client, TestServer, text};

async fn chat(client: &Client) {
    let body = json!({"model": "builtin/scribe", "messages": [{"role": "user", "content": "Hello?"}]});
    client.post("/api/chat/completion", body).await.ok();
}

async fn requests(client: &Client) -> u64 {
    let costs = client.get(COSTS).await.ok();
    spend(&costs["total"]).requests
}

/// Usage of a service account belongs to it, even while an administrator acts as it.
#[tokio::test]
async fn usage_of_an_impersonated_service_account_is_its_own() {
    let server = TestServer::start().await;
    let body = json!({"display_name": "Nightly", "role": "user"});
    let program = server.admin().post("/api/tenant-admin/service-accounts", body).await.created();
    let path = format!("/api/tenant-admin/service-accounts/{}/login-as", text(&program["id"]));
    let acting = server.admin().post(&path, json!({})).await;
    assert!(acting.status < 300, "{acting:?}");
    let acting = server.client(&text(&acting.json()["access_token"]));
    chat(&acting).await;
    assert_eq!(requests(&acting).await, 1);
    assert_eq!(requests(&server.admin()).await, 0);
    let booked = records(&server, tenant(server.user_person()));
    assert!(booked.iter().all(|record| record.user.to_string() == text(&program["id"])));
}

#[tokio::test]
async fn stats_count_the_objects_of_the_user() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let none = editor.get("/api/users/stats").await.ok();
    for name in
        ["conversations", "messages", "assistants", "knowledge_bases", "automations", "memories", "requests"]
    {
        assert_eq!(none[name], 0, "{name}");
    }
    assert_eq!(none["first_used_at"], Value::Null);
    for client in [&editor, &server.user()] {
        for _ in 0..2 {
            let home = conversation(client).await;
            ask(client, &home, json!({"message": "Hello?", "model": "builtin/scribe"})).await.events().await;
        }
    }
    let away = conversation(&editor).await;
    editor.put(&format!("/api/conversations/{away}"), json!({"title": "away", "archived": true})).await.ok();
    editor.post("/api/assistants", json!({"name": "Ada"})).await.created();
    editor.post("/api/memories", json!({"content": "Likes tides."})).await.created();
    let stats = editor.get("/api/users/stats").await.ok();
    let told = ["conversations", "archived_conversations", "messages", "assistants", "memories"]
        .map(|name| stats[name].as_u64().expect("a number"));
    assert_eq!(told, [3, 1, 4, 1, 1]);
    assert_eq!(stats["requests"], requests(&editor).await);
    assert!(stats["tokens"].as_u64() > Some(0) && stats["first_used_at"].is_string());
    let user = server.user().get("/api/users/stats").await.ok();
    assert_eq!((&user["conversations"], &user["assistants"]), (&json!(2), &json!(0)));
}

#[tokio::test]
async fn usage_names_assistants_that_the_caller_can_see() {
    let server = TestServer::start().await;
    let ada = text(&server.editor().post("/api/assistants", json!({"name": "Ada"})).await.created()["id"]);
    let user = &server.user_person().id;
    let grants = |grants: Value| json!({"visibility": "private", "grants": grants});
    let shared = grants(json!([{"principal": {"kind": "user", "id": user}, "level": "viewer"}]));
    server.editor().patch(&format!("/api/assistants/{ada}"), shared).await.ok();
    let client = server.user();
    within_one(DAY).await;
    let body = json!({"assistant_id": ada, "messages": [{"role": "user", "content": "Hello?"}]});
    client.post("/api/chat/completion", body).await.ok();
    let month = &storage::Timestamp::now().to_string()[..7];
    let detail = async || client.get(&format!("/api/users/usage-detail?month={month}")).await.ok();
    let named = detail().await["by_assistant"][0].clone();
    assert_eq!((&named["assistant_id"], &named["name"]), (&json!(ada), &json!("Ada")));
    server.editor().patch(&format!("/api/assistants/{ada}"), grants(json!([]))).await.ok();
    let unnamed = detail().await["by_assistant"][0].clone();
    assert_eq!((&unnamed["assistant_id"], &unnamed["name"]), (&json!(ada), &Value::Null));
}
