//! Limits on conversations, and on what is stored for a user and a tenant.

use serde_json::{Value, json};

use crate::api::streams::reading::{ask, ask_words, conversation, messages};
use crate::harness::{Answer, Client, TestServer, text};

/// Starts a server with small limits on conversations.
async fn small() -> TestServer {
    TestServer::start_with(|config| {
        config.limits.conversation_messages = 6;
        config.limits.conversation_mib = 1;
    })
    .await
}

async fn edit(client: &Client, home: &str, message: &str, content: &str) -> Answer {
    let body = json!({"message_id": message, "content": content});
    client.put(&format!("/api/conversations/{home}/message"), body).await
}

#[track_caller]
fn refused(answer: &Answer, unit: &str, setting: &str) -> Value {
    let problem = answer.problem(409, "limit_reached");
    assert_eq!((&problem["limit_of"], &problem["unit"]), (&json!("conversation"), &json!(unit)));
    assert_eq!(problem["setting"], setting);
    assert!(text(&problem["detail"]).contains(setting), "{problem}");
    assert!(problem["current"].is_u64() && problem["limit"].is_u64(), "{problem}");
    problem
}

#[tokio::test]
async fn conversation_refuses_messages_beyond_its_limit() {
    let server = small().await;
    let user = server.user();
    let home = conversation(&user).await;
    ask_words(&user, &home, 3, 0).await.rest().await;
    let question = text(&messages(&user, &home).await[0]["id"]);
    for number in 0..4 {
        edit(&user, &home, &question, &format!("Version {number}.")).await.ok();
    }
    let limit = "limits.conversation_messages";
    let problem = refused(&edit(&user, &home, &question, "One more.").await, "messages", limit);
    assert_eq!((&problem["limit"], &problem["current"]), (&json!(6), &json!(6)));
    let path = format!("/api/conversations/{home}");
    let asked = user.post(&format!("{path}/completion"), json!({"message": "And now?"})).await;
    refused(&asked, "messages", limit);
    let seven: Vec<_> = (0..7).map(|_| json!({"role": "user", "content": "x"})).collect();
    let replaced = user.put(&format!("{path}/payload"), json!({"messages": seven})).await;
    refused(&replaced, "messages", limit);
    assert_eq!(messages(&user, &home).await.len(), 6, "nothing was stored");
    // Feedback and titles do not count as messages, and other conversations have their own limit.
    let praise = json!({"message_id": question, "feedback": {"rating": "up"}});
    user.put(&format!("{path}/message"), praise).await.ok();
    user.patch(&path, json!({"title": "Full"})).await.ok();
    let other = conversation(&user).await;
    ask_words(&user, &other, 3, 0).await.rest().await;
    // A payload that reduces the size is accepted.
    user.put(&format!("{path}/payload"), json!({"messages": []})).await.ok();
    ask(&user, &home, json!({"message": "Again.", "parameters": {"length": 2}})).await.rest().await;
}

#[tokio::test]
async fn conversation_refuses_bytes_beyond_its_limit() {
    let server = small().await;
    let user = server.user();
    let home = conversation(&user).await;
    ask_words(&user, &home, 3, 0).await.rest().await;
    let question = text(&messages(&user, &home).await[0]["id"]);
    let long = "x".repeat(600_000);
    edit(&user, &home, &question, &long).await.ok();
    let limit = "limits.conversation_mib";
    let problem = refused(&edit(&user, &home, &question, &long).await, "bytes", limit);
    assert_eq!(problem["limit"], 1 << 20);
    let path = format!("/api/conversations/{home}");
    refused(&user.post(&format!("{path}/completion"), json!({"message": long})).await, "bytes", limit);
    let two = json!([{"role": "user", "content": long}, {"role": "user", "content": long}]);
    refused(&user.put(&format!("{path}/payload"), json!({"messages": two})).await, "bytes", limit);
    assert_eq!(messages(&user, &home).await.len(), 3);
    // The counter survives a restart.
    let server = server.restart().await;
    refused(&edit(&server.user(), &home, &question, &long).await, "bytes", limit);
}

#[tokio::test]
async fn user_and_tenant_refuse_bytes_beyond_their_quota() {
    let server = TestServer::start_with(|config| config.limits.stored_mib_per_user = 1).await;
    let (user, editor) = (server.user(), server.editor());
    let long = "x".repeat(400_000);
    let home = conversation(&user).await;
    let path = format!("/api/conversations/{home}");
    let payload = |text: &str| json!({"messages": [{"role": "user", "content": text}]});
    user.put(&format!("{path}/payload"), payload(&long)).await.ok();
    let other = conversation(&user).await;
    user.put(&format!("/api/conversations/{other}/payload"), payload(&long)).await.ok();
    let third = conversation(&user).await;
    let full = user.put(&format!("/api/conversations/{third}/payload"), payload(&long)).await;
    let problem = full.problem(409, "storage_quota_reached");
    assert_eq!((&problem["limit_of"], &problem["limit"]), (&json!("user"), &json!(1 << 20)));
    assert_eq!(problem["setting"], "limits.stored_mib_per_user");
    let stats = user.get("/api/users/stats").await.ok();
    let held = stats["stored_bytes"].as_u64().expect("a number");
    assert!((800_000..1 << 20).contains(&held), "{stats}");
    assert_eq!(stats["stored_bytes_limit"], 1 << 20);
    let report = server.admin().get("/api/control-tower/users").await.ok();
    let items = report["items"].as_array().expect("items");
    let line = items.iter().find(|item| item["user_id"] == json!(server.user_person().id)).expect("a line");
    assert_eq!(line["stored_bytes"], held);
    // Each user has a quota of their own, and deleting frees space.
    let theirs = conversation(&editor).await;
    editor.put(&format!("/api/conversations/{theirs}/payload"), payload(&long)).await.ok();
    user.delete(&path).await.no_content();
    user.put(&format!("/api/conversations/{third}/payload"), payload(&long)).await.ok();

    let server = server.restart_with(|config| config.limits.stored_mib_per_tenant = 1).await;
    let editor = server.editor();
    let full = editor.put(&format!("/api/conversations/{theirs}/payload"), payload(&long.repeat(2))).await;
    assert_eq!(full.problem(409, "storage_quota_reached")["limit_of"], "tenant");
    let document = json!({"name": "A base"});
    let refused = editor.post("/api/knowledge-bases", document).await;
    refused.problem(409, "storage_quota_reached");
}

#[tokio::test]
async fn read_of_a_conversation_is_refused_when_no_turn_becomes_available() {
    let server = TestServer::start_with(|config| config.limits.conversation_reads = 0).await;
    let user = server.user();
    let home = conversation(&user).await;
    let refused = user.get(&format!("/api/conversations/{home}")).await;
    let problem = refused.problem(503, "overloaded");
    assert!(text(&problem["detail"]).contains("limits.conversation_reads"), "{problem}");
    assert_eq!(refused.header("retry-after"), Some("1"));
    let metrics = server.anonymous().get("/metrics").await.text();
    assert!(
        metrics.contains("understudy_stored_limit_refusals_total{limit=\"limits.conversation_reads\"}"),
        "{metrics}"
    );
}
