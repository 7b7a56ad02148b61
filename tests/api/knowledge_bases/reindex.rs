//! Rebuilding an index.

use super::scene::{form, post_form, private, shown, until, upload};
use crate::harness::{TestServer, text};
use serde_json::json;

#[tokio::test]
async fn change_of_passage_size_builds_a_new_index_beside_the_old() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let id = private(&editor).await;
    let path = format!("/api/knowledge-bases/{id}");
    let words: String =
        (0..400).map(|number| format!("Sentence {number} tells of the moon and the sea. ")).collect();
    upload(&editor, &id, "a.md", &words).await.created();
    let before = shown(&editor, &id).await;
    let asked = editor.patch(&path, json!({"name": "Short", "chunk_tokens": 64, "overlap": 0})).await.ok();
    // Searches use the old index until the new one is complete.
    assert_eq!(asked["name"], "Short");
    let done = until(&editor, &path, |base| base["rebuild"].is_null()).await;
    assert_eq!((&done["chunk_tokens"], &done["overlap"]), (&json!(64), &json!(0)));
    assert!(done["index_version"].as_u64() > before["index_version"].as_u64(), "{done}");
    assert!(done["counts"]["chunks"].as_u64() > before["counts"]["chunks"].as_u64(), "{done}");
    assert_eq!(done["status"], "ready");
}

#[tokio::test]
async fn reindex_returns_its_run_and_runs_one_at_a_time() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let id = private(&editor).await;
    for number in 0..3 {
        upload(&editor, &id, &format!("{number}.md"), &format!("Moon number {number}.")).await.created();
    }
    let path = format!("/api/knowledge-bases/{id}/reindex");
    let ask = || editor.post(&path, json!({}));
    let answers = futures::future::join_all((0..6).map(|_| ask())).await;
    let taken: Vec<_> = answers.iter().filter(|answer| answer.status == 202).collect();
    assert!(!taken.is_empty(), "{answers:?}");
    for answer in answers.iter().filter(|answer| answer.status != 202) {
        answer.problem(409, "reindexing");
    }
    assert_eq!(taken[0].json()["knowledge_base_id"], json!(id));
    assert!(taken[0].json()["run_id"].is_string());
    let base = format!("/api/knowledge-bases/{id}");
    let done = until(&editor, &base, |base| base["rebuild"].is_null()).await;
    assert_eq!(done["index_version"].as_u64(), Some(1 + taken.len() as u64));
    assert_eq!(done["counts"]["ready"], 3);
}

#[tokio::test]
async fn documents_added_during_a_reindex_are_in_the_new_index() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let id = private(&editor).await;
    let words = |number: u32| format!("Moon number {number}. {}", "It pulls the sea. ".repeat(300));
    for number in 0..5 {
        upload(&editor, &id, "a.md", &words(number)).await.created();
    }
    editor.post(&format!("/api/knowledge-bases/{id}/reindex"), json!({})).await.expect(202);
    let path = format!("/api/knowledge-bases/{id}/files");
    let files: Vec<_> = (5..15).map(words).collect();
    let uploads = files
        .iter()
        .map(|words| post_form(&editor, &path, form(&[], &[("b.md", "text/markdown", words.as_bytes())])));
    for answer in futures::future::join_all(uploads).await {
        answer.created();
    }
    let done =
        until(&editor, &format!("/api/knowledge-bases/{id}"), |base| base["status"] != "indexing").await;
    assert_eq!((&done["status"], &done["counts"]["ready"]), (&json!("ready"), &json!(15)), "{done}");
    assert_eq!(done["index_version"], 2);
    let documents = editor.get(&format!("/api/knowledge-bases/{id}/documents")).await.ok();
    for document in documents["items"].as_array().unwrap() {
        assert!(document["chunks"].as_u64() > Some(0), "{document}");
        assert_eq!(text(&document["status"]), "ready");
    }
}
