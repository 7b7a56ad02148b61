//! Rights on knowledge bases.

use super::scene::{base, form, post_form, private, upload};
use crate::harness::{Answer, Client, TestServer, text};
use reqwest::Method;
use serde_json::{Value, json};

const FILE: &[u8] = b"The moon pulls the sea.";

/// Calls every operation on a base and its documents, and returns the name and the response of each.
async fn all(client: &Client, base: &str, file: &str) -> Vec<(&'static str, Answer)> {
    let at = |path: &str| format!("/api/knowledge-bases/{base}{path}");
    let upload = form(&[], &[("b.md", "text/markdown", FILE)]);
    vec![
        ("get", client.get(&at("")).await),
        ("documents", client.get(&at("/documents")).await),
        ("document", client.get(&at(&format!("/documents/{file}"))).await),
        ("content", client.get(&at(&format!("/documents/{file}/content"))).await),
        ("text", client.get(&at(&format!("/documents/{file}/text"))).await),
        ("patch", client.patch(&at(""), json!({"description": "x"})).await),
        ("upload", post_form(client, &at("/files"), upload).await),
        ("rename", client.put(&at(&format!("/files/{file}")), json!({"title": "x"})).await),
        ("link", client.post(&at("/links"), json!({"url": "http://127.0.0.1:1/x"})).await),
        (
            "reindex",
            client.request(Method::POST, &at("/reindex")).send().await.map(Answer::read).unwrap().await,
        ),
        ("delete link", client.delete(&at(&format!("/links/{file}"))).await),
        ("delete file", client.delete(&at(&format!("/files/{file}"))).await),
        ("delete", client.delete(&at("")).await),
    ]
}

/// Asserts that the first `reading` operations succeed and the others are refused with 403.
fn allowed(answers: &[(&str, Answer)], reading: usize) {
    for (at, (name, answer)) in answers.iter().enumerate() {
        match at < reading {
            true => assert_eq!(answer.status, 200, "{name}: {answer:?}"),
            false => drop(answer.problem(403, "not_allowed")),
        }
    }
}

async fn with_file(client: &Client, body: Value) -> (String, String) {
    let id = base(client, body).await;
    let made = upload(client, &id, "a.md", "The moon pulls the sea, and the sea the moon.").await.created();
    (id, text(&made["items"][0]["id"]))
}

#[tokio::test]
async fn private_base_is_hidden_from_others() {
    let server = TestServer::start().await;
    let (id, file) = with_file(&server.editor(), json!({"name": "Mine"})).await;
    for client in [server.user(), server.admin(), server.stranger()] {
        for (name, answer) in all(&client, &id, &file).await {
            assert_eq!(answer.status, 404, "{name}: {answer:?}");
        }
        assert_eq!(client.get("/api/knowledge-bases").await.ok()["items"], json!([]));
    }
}

#[tokio::test]
async fn viewers_can_read_and_not_change() {
    let server = TestServer::start().await;
    let (id, file) = with_file(&server.editor(), json!({"name": "Ours", "visibility": "tenant"})).await;
    let user = server.user();
    let answers = all(&user, &id, &file).await;
    allowed(&answers, 5);
    let shown = answers[0].1.json();
    assert_eq!((&shown["permissions"]["level"], &shown["grants"]), (&json!("viewer"), &json!([])));
    assert_eq!(user.get("/api/knowledge-bases").await.ok()["items"][0]["id"], json!(id));
    for (name, answer) in all(&server.stranger(), &id, &file).await {
        assert_eq!(answer.status, 404, "{name}: {answer:?}");
    }
}

#[tokio::test]
async fn editors_can_change_documents_and_neither_share_nor_delete() {
    let server = TestServer::start().await;
    let grants = json!([{"principal": {"kind": "user", "id": server.user_person().id}, "level": "editor"}]);
    let (id, file) = with_file(&server.editor(), json!({"name": "Ours", "grants": grants})).await;
    let user = server.user();
    let path = format!("/api/knowledge-bases/{id}");
    upload(&user, &id, "b.md", "Cats sleep.").await.created();
    assert_eq!(user.patch(&path, json!({"name": "Theirs"})).await.ok()["name"], "Theirs");
    user.put(&format!("{path}/files/{file}"), json!({"title": "Tides"})).await.ok();
    user.patch(&path, json!({"grants": []})).await.problem(403, "not_allowed");
    user.patch(&path, json!({"visibility": "tenant"})).await.problem(403, "not_allowed");
    user.delete(&format!("{path}?force=true")).await.problem(403, "not_allowed");
    user.delete(&format!("{path}/files/{file}")).await.no_content();
    // Administrators of the tenant manage what is shared in it.
    server.admin().delete(&path).await.no_content();
}

#[tokio::test]
async fn knowledge_base_operations_require_scopes_and_roles() {
    let server = TestServer::start().await;
    server.user().post("/api/knowledge-bases", json!({"name": "x"})).await.problem(403, "role_missing");
    let id = private(&server.admin()).await;
    let reading = server.token(&["knowledge:read"]).await;
    reading.get(&format!("/api/knowledge-bases/{id}")).await.ok();
    reading.post("/api/knowledge-bases", json!({"name": "x"})).await.problem(403, "scope_missing");
    let path = format!("/api/knowledge-bases/{id}/files");
    let refused = post_form(&reading, &path, form(&[], &[("a.md", "text/markdown", FILE)])).await;
    refused.problem(403, "scope_missing");
    let writing = server.token(&["knowledge:write"]).await;
    writing.get(&format!("/api/knowledge-bases/{id}")).await.problem(403, "scope_missing");
    post_form(&writing, &path, form(&[], &[("a.md", "text/markdown", FILE)])).await.created();
    let other = server.token(&["assistants:read", "assistants:write"]).await;
    other.get("/api/knowledge-bases").await.problem(403, "scope_missing");
}

#[tokio::test]
async fn base_with_grants_is_not_reported_as_private() {
    let server = TestServer::start().await;
    let (editor, user) = (server.editor(), server.user());
    let grants = json!([{"principal": {"kind": "user", "id": server.user_person().id}, "level": "viewer"}]);
    let id = base(&editor, json!({"name": "Ours", "grants": grants})).await;
    let path = format!("/api/knowledge-bases/{id}");
    assert_eq!(editor.get(&path).await.ok()["visibility"], "shared");
    assert_eq!(editor.patch(&path, json!({"visibility": "private"})).await.faults(), ["body.visibility"]);
    user.get(&path).await.ok();
    let mine = editor.patch(&path, json!({"visibility": "private", "grants": []})).await.ok();
    assert_eq!((&mine["visibility"], &mine["grants"]), (&json!("private"), &json!([])));
    user.get(&path).await.not_found();
}
