//! Files in knowledge bases.

use super::scene::{form, kept, post_form, private, shown, until, upload};
use crate::harness::parts::is_sent_in_parts;
use crate::harness::{Client, TestServer, text};
use reqwest::Method;
use serde_json::json;

#[tokio::test]
async fn uploaded_file_is_stored_extracted_and_found() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let id = private(&editor).await;
    let words = "# Tides\n\nThe moon pulls the sea. Ebb follows flood.";
    let made = upload(&editor, &id, "tides.md", words).await.created()["items"][0].clone();
    assert_eq!((&made["title"], &made["source"]), (&json!("tides.md"), &json!("file")));
    assert_eq!((&made["status"], &made["existing"]), (&json!("ready"), &json!(false)));
    assert_eq!((&made["error"], &made["progress"]), (&json!(null), &json!(null)));
    assert!(made["chunks"].as_u64() > Some(0) && made["tokens"].as_u64() > Some(0), "{made}");
    assert_eq!(made["size"].as_u64(), Some(words.len() as u64));
    let path = format!("/api/knowledge-bases/{id}/documents/{}", text(&made["id"]));
    let content = editor.get(&format!("{path}/content")).await;
    assert_eq!(content.expect(200).body, words.as_bytes());
    assert_eq!(content.header("x-content-type-options"), Some("nosniff"));
    assert!(content.header("content-disposition").unwrap().starts_with("attachment"));
    is_sent_in_parts(&editor, &format!("{path}/content"), words.as_bytes()).await;
    let read = editor.get(&format!("{path}/text")).await.ok();
    assert!(text(&read["pages"][0]["text"]).contains("The moon pulls the sea."), "{read}");
    editor.get(&format!("{path}/text?page=9")).await.not_found();
    let alone = editor.get(&path).await.ok();
    assert_eq!((&alone["id"], &alone["version"]), (&made["id"], &made["version"]));
}

#[tokio::test]
async fn upload_of_the_same_bytes_returns_the_same_document() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let (id, other) = (private(&editor).await, private(&editor).await);
    let first = upload(&editor, &id, "a.md", "The moon pulls the sea.").await.created();
    let again = upload(&editor, &id, "b.md", "The moon pulls the sea.").await.ok();
    assert_eq!(again["items"][0]["id"], first["items"][0]["id"]);
    assert_eq!((&again["items"][0]["existing"], &again["items"][0]["title"]), (&json!(true), &json!("a.md")));
    // In another base the same bytes are another document.
    let elsewhere = upload(&editor, &other, "a.md", "The moon pulls the sea.").await.created();
    assert_ne!(elsewhere["items"][0]["id"], first["items"][0]["id"]);
}

#[tokio::test]
async fn concurrent_uploads_of_the_same_bytes_create_one_document() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let id = private(&editor).await;
    let uploads = (0..12).map(|_| upload(&editor, &id, "a.md", "The moon pulls the sea."));
    let answers = futures::future::join_all(uploads).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1, "{answers:?}");
    let ids: std::collections::HashSet<_> =
        answers.iter().map(|answer| text(&answer.json()["items"][0]["id"])).collect();
    assert_eq!(ids.len(), 1);
    let base = shown(&editor, &id).await;
    assert_eq!((&base["counts"]["documents"], &base["documents"]), (&json!(1), &json!(1)));
}

#[tokio::test]
async fn upload_accepts_several_files_in_one_form() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let id = private(&editor).await;
    let path = format!("/api/knowledge-bases/{id}/files?wait=true");
    let files = [("a.md", "text/markdown", b"One moon.".as_slice()), ("b.txt", "text/plain", b"Two seas.")];
    let made = post_form(&editor, &path, form(&[("description", "Of the sea")], &files)).await.created();
    let titles: Vec<_> = made["items"].as_array().unwrap().iter().map(|item| text(&item["title"])).collect();
    assert_eq!(titles, ["a.md", "b.txt"]);
    assert_eq!(made["items"][1]["description"], "Of the sea");
    let named = form(&[("title", "Suns")], &[("c.md", "text/markdown", b"Three suns.")]);
    assert_eq!(post_form(&editor, &path, named).await.created()["items"][0]["title"], "Suns");
    assert_eq!(post_form(&editor, &path, form(&[("title", "x")], &files)).await.faults(), ["body.title"]);
}

#[tokio::test]
async fn upload_with_faults_changes_nothing() {
    let server = TestServer::start_with(|config| config.limits.upload_bytes = 1_000).await;
    let editor = server.editor();
    let id = private(&editor).await;
    let path = format!("/api/knowledge-bases/{id}/files");
    let before = server.stored().await;
    assert_eq!(post_form(&editor, &path, form(&[("title", " ")], &[])).await.faults(), ["body.title"]);
    assert_eq!(post_form(&editor, &path, form(&[("title", "x")], &[])).await.faults(), ["body.file"]);
    let empty = form(&[], &[("a.md", "text/markdown", b"")]);
    assert_eq!(post_form(&editor, &path, empty).await.faults(), ["body.file"]);
    let large = form(&[], &[("a.md", "text/markdown", &[b'a'; 1_001])]);
    post_form(&editor, &path, large).await.problem(413, "too_large");
    editor.post(&path, json!({})).await.problem(415, "wrong_content_type");
    assert_eq!(server.stored().await, before);
}

#[tokio::test]
async fn unreadable_document_reports_the_reason_and_can_be_retried() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let id = private(&editor).await;
    let path = format!("/api/knowledge-bases/{id}/files?wait=true");
    let picture =
        || form(&[], &[("a.png", "image/png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\xff\xff".as_slice())]);
    let failed = post_form(&editor, &path, picture()).await.created()["items"][0].clone();
    assert_eq!(failed["status"], "failed", "{failed}");
    assert!(text(&failed["error"]["code"]).starts_with("file_"), "{failed}");
    assert!(!text(&failed["error"]["message"]).is_empty());
    let base = shown(&editor, &id).await;
    assert_eq!((&base["status"], &base["counts"]["failed"]), (&json!("degraded"), &json!(1)));
    let again = post_form(&editor, &path, picture()).await.ok()["items"][0].clone();
    assert_eq!((&again["id"], &again["status"]), (&failed["id"], &json!("failed")));
    assert_ne!(again["run_id"], failed["run_id"], "it was tried again");
    let list = |status: &str| format!("/api/knowledge-bases/{id}/documents?status={status}");
    assert_eq!(editor.get(&list("failed")).await.ok()["items"][0]["id"], failed["id"]);
    assert_eq!(editor.get(&list("ready")).await.ok()["items"], json!([]));
    editor.get(&list("lost")).await.expect(422);
}

#[tokio::test]
async fn files_are_renamed_and_deleted() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let id = private(&editor).await;
    let made = upload(&editor, &id, "a.md", "The moon pulls the sea.").await.created()["items"][0].clone();
    let file = text(&made["id"]);
    let path = format!("/api/knowledge-bases/{id}/files/{file}");
    let named = editor.put(&path, json!({"title": "Tides", "description": "Of the moon"})).await.ok();
    assert_eq!((&named["title"], &named["description"]), (&json!("Tides"), &json!("Of the moon")));
    assert_eq!(editor.put(&path, json!({"title": "Tides"})).await.ok()["description"], "");
    assert_eq!(editor.put(&path, json!({"description": "x"})).await.faults(), ["body.title"]);
    editor.put(&path, json!({"title": "x", "version": made["version"]})).await.problem(412, "stale");
    let stale = editor.request(Method::PUT, &path).header("if-match", "\"1\"").json(&json!({"title": "x"}));
    Client::send(stale).await.problem(412, "stale");
    // The file is not a link, and belongs to no other base.
    editor.delete(&format!("/api/knowledge-bases/{id}/links/{file}")).await.not_found();
    let other = private(&editor).await;
    editor.delete(&format!("/api/knowledge-bases/{other}/files/{file}")).await.not_found();
    editor.delete(&path).await.no_content();
    editor.delete(&path).await.not_found();
    editor.get(&format!("/api/knowledge-bases/{id}/documents/{file}")).await.not_found();
    assert_eq!(shown(&editor, &id).await["status"], "empty");
}

#[tokio::test]
async fn document_can_be_deleted_during_ingest() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let id = private(&editor).await;
    for number in 0..5 {
        let words = format!("Number {number}. {}", "The moon pulls the sea. ".repeat(20_000));
        let path = format!("/api/knowledge-bases/{id}/files");
        let made = post_form(&editor, &path, form(&[], &[("a.md", "text/markdown", words.as_bytes())])).await;
        let file = text(&made.created()["items"][0]["id"]);
        editor.delete(&format!("/api/knowledge-bases/{id}/files/{file}")).await.no_content();
        editor.get(&format!("/api/knowledge-bases/{id}/documents/{file}")).await.not_found();
    }
    let now = until(&editor, &format!("/api/knowledge-bases/{id}"), |base| base["status"] == "empty").await;
    assert_eq!((&now["counts"]["documents"], &now["documents"]), (&json!(0), &json!(0)));
    assert_eq!(kept(&server).await, (0, 0, 0));
}

#[tokio::test]
async fn ingest_resumes_after_a_restart() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let id = private(&editor).await;
    let words = "The moon pulls the sea. ".repeat(20_000);
    let path = format!("/api/knowledge-bases/{id}/files");
    let made = post_form(&editor, &path, form(&[], &[("a.md", "text/markdown", words.as_bytes())])).await;
    let file = text(&made.created()["items"][0]["id"]);
    let server = server.restart().await;
    let path = format!("/api/knowledge-bases/{id}/documents/{file}");
    let done = until(&server.editor(), &path, |document| document["progress"].is_null()).await;
    assert_eq!(done["status"], "ready", "{done}");
}
