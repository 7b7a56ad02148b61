//! Creating, changing, listing and deleting knowledge bases.

use super::scene::{base, kept, private, shown, upload};
use crate::harness::{Client, TestServer, text};
use reqwest::Method;
use serde_json::json;

#[tokio::test]
async fn knowledge_base_is_created_with_defaults_and_read() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let made = editor.post("/api/knowledge-bases", json!({"name": " Handbook "})).await.created();
    assert_eq!(made["name"], "Handbook");
    assert_eq!((made["chunk_tokens"].as_u64(), made["overlap"].as_u64()), (Some(512), Some(64)));
    assert_eq!((&made["embedding_model"], &made["status"]), (&json!("builtin/hash"), &json!("empty")));
    assert_eq!((&made["visibility"], &made["index_version"]), (&json!("private"), &json!(1)));
    assert_eq!(made["permissions"], json!({"level": "owner", "edit": true, "share": true, "delete": true}));
    assert_eq!(shown(&editor, &text(&made["id"])).await, made);
    upload(&editor, &text(&made["id"]), "a.md", "# Tides\n\nThe moon pulls the sea.").await.created();
    let now = shown(&editor, &text(&made["id"])).await;
    assert_eq!(now["status"], "ready");
    assert_eq!((&now["counts"]["documents"], &now["counts"]["ready"]), (&json!(1), &json!(1)));
    assert!(now["counts"]["chunks"].as_u64() > Some(0) && now["counts"]["tokens"].as_u64() > Some(0));
}

#[tokio::test]
async fn create_reports_every_fault() {
    let server = TestServer::start().await;
    let unknown = json!({"principal": {"kind": "user", "id": "01890000-0000-7000-8000-000000000000"}, "level": "viewer"});
    let body = json!({"name": " ", "chunk_tokens": 63, "unknown": 1});
    let answer = server.editor().post("/api/knowledge-bases", body).await;
    assert_eq!(answer.faults(), ["body.chunk_tokens", "body.name", "body.unknown"]);
    let body = json!({"name": "x", "embedding_model": "no/such", "chunk_tokens": 100, "overlap": 50, "grants": [unknown]});
    let answer = server.editor().post("/api/knowledge-bases", body).await;
    assert_eq!(answer.faults(), ["body.embedding_model", "body.grants.0", "body.overlap"]);
    assert_eq!(server.editor().get("/api/knowledge-bases").await.ok()["items"], json!([]));
    // The default overlap would not fit into short passages.
    let short = server.editor().post("/api/knowledge-bases", json!({"name": "x", "chunk_tokens": 64})).await;
    assert!(short.created()["overlap"].as_u64() < Some(32));
}

#[tokio::test]
async fn update_keeps_other_fields_and_checks_the_version() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let id = base(&editor, json!({"name": "Old", "description": "Words", "chunk_tokens": 256})).await;
    let path = format!("/api/knowledge-bases/{id}");
    let now = editor.patch(&path, json!({"name": "New", "chunk_tokens": null})).await.ok();
    assert_eq!((&now["name"], &now["description"]), (&json!("New"), &json!("Words")));
    // The base is still empty, so nothing has to be indexed again.
    assert_eq!((&now["chunk_tokens"], &now["rebuild"]), (&json!(512), &json!(null)));
    assert_eq!(editor.patch(&path, json!({"name": null})).await.faults(), ["body.name"]);
    editor.patch(&path, json!({"name": "x", "version": 1})).await.problem(412, "stale");
    let request =
        editor.request(Method::PATCH, &path).header("if-match", "\"1\"").json(&json!({"name": "x"}));
    Client::send(request).await.problem(412, "stale");
    let tag = editor.get(&path).await.header("etag").unwrap().to_owned();
    let request =
        editor.request(Method::PATCH, &path).header("if-match", tag).json(&json!({"description": null}));
    assert_eq!(Client::send(request).await.ok()["description"], "");
    assert_eq!(editor.patch(&path, json!({"overlap": 256})).await.faults(), ["body.overlap"]);
}

#[tokio::test]
async fn knowledge_base_list_is_paged() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let mut made = Vec::new();
    for number in 0..5 {
        made.push(base(&editor, json!({"name": format!("Base {number}")})).await);
        private(&server.admin()).await;
    }
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = editor.get(&format!("/api/knowledge-bases?limit=2{cursor}")).await.ok();
        seen.extend(page["items"].as_array().unwrap().iter().map(|item| text(&item["id"])));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(seen, made);
    assert_eq!(
        editor.get("/api/knowledge-bases?limit=0&cursor=zz").await.faults(),
        ["query.cursor", "query.limit"]
    );
}

#[tokio::test]
async fn delete_of_a_base_in_use_requires_force() {
    let server = TestServer::start().await;
    let (editor, admin) = (server.editor(), server.admin());
    let tenant =
        json!([{"principal": {"kind": "tenant", "id": server.editor_person().tenant}, "level": "viewer"}]);
    let id = base(&editor, json!({"name": "Shared", "grants": tenant})).await;
    let path = format!("/api/knowledge-bases/{id}");
    let mut assistants = Vec::new();
    for client in [&editor, &admin] {
        let assistant = text(&client.post("/api/assistants", json!({"name": "Ada"})).await.created()["id"]);
        let attach = format!("/api/assistants/{assistant}/knowledge-bases");
        client.post(&attach, json!({"knowledge_base_id": id})).await.created();
        assistants.push(assistant);
    }
    let problem = editor.delete(&path).await.problem(409, "in_use");
    // The administrator's assistant is private: the editor learns only that it exists.
    assert_eq!(problem["assistants"], json!([{"id": assistants[0], "name": "Ada"}]));
    assert_eq!(problem["others"], 1);
    upload(&editor, &id, "a.md", "The moon pulls the sea.").await.created();
    editor.delete(&format!("{path}?force=true")).await.no_content();
    editor.get(&path).await.not_found();
    let left = admin.get(&format!("/api/assistants/{}", assistants[1])).await.ok();
    assert_eq!(left["knowledge_bases"], json!([]));
    assert_eq!(kept(&server).await, (0, 0, 0));
}

#[tokio::test]
async fn delete_removes_exactly_the_contents_of_the_base() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let (one, other) = (private(&editor).await, private(&editor).await);
    for id in [&one, &other] {
        upload(&editor, id, "a.md", "The moon pulls the sea.").await.created();
    }
    assert_eq!(kept(&server).await, (2, 2, 2));
    editor.delete(&format!("/api/knowledge-bases/{one}")).await.no_content();
    assert_eq!(kept(&server).await, (1, 1, 1));
    let kept = editor.get(&format!("/api/knowledge-bases/{other}/documents")).await.ok();
    assert_eq!(kept["items"][0]["status"], "ready");
    let server = server.restart().await;
    server.editor().get(&format!("/api/knowledge-bases/{one}")).await.not_found();
    assert_eq!(shown(&server.editor(), &other).await["counts"]["ready"], 1);
}
