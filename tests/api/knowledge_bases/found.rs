//! What a search finds at the time of the answer.

use super::scene::{private, upload};
use crate::harness::counting_server::{CountingServer, Reply};
use crate::harness::{Client, TestServer, text};
use serde_json::{Value, json};

/// An assistant with a knowledge base, to which questions are put.
struct Asked {
    client: Client,
    assistant: String,
}

impl Asked {
    async fn with(client: &Client, base: &str) -> Self {
        let body = json!({"name": "Ada", "knowledge_bases": [base]});
        let assistant = text(&client.post("/api/assistants", body).await.created()["id"]);
        Self { client: client.clone(), assistant }
    }

    /// Returns the passages that an answer cites, as one text.
    async fn sources(&self, question: &str) -> String {
        let home = text(&self.client.post("/api/conversations", json!({})).await.created()["id"]);
        let body = json!({"message": question, "assistant_id": self.assistant, "stream": false});
        self.client.post(&format!("/api/conversations/{home}/completion"), body).await.ok();
        let whole = self.client.get(&format!("/api/conversations/{home}")).await.ok();
        let parts = whole["messages"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|message| message["parts"].as_array().cloned().unwrap_or_default());
        let sources: Vec<Value> = parts.filter(|part| part["type"] == "source").collect();
        sources.iter().map(|source| source["snippet"].to_string()).collect()
    }
}

#[tokio::test]
async fn deleted_document_is_not_cited_by_a_later_answer() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let base = private(&editor).await;
    let asked = Asked::with(&editor, &base).await;
    let made = upload(&editor, &base, "a.md", "Maud Ferris keeps the lighthouse.").await.created();
    upload(&editor, &base, "b.md", "Ivo Renn keeps the lighthouse, too.").await.created();
    let before = asked.sources("Who keeps the lighthouse?").await;
    assert!(before.contains("Maud Ferris") && before.contains("Ivo Renn"), "{before}");
    let file = text(&made["items"][0]["id"]);
    editor.delete(&format!("/api/knowledge-bases/{base}/files/{file}")).await.no_content();
    let after = asked.sources("Who keeps the lighthouse?").await;
    assert!(!after.contains("Maud Ferris") && after.contains("Ivo Renn"), "{after}");
    editor.delete(&format!("/api/knowledge-bases/{base}?force=true")).await.no_content();
    assert_eq!(asked.sources("Who keeps the lighthouse?").await, "");
}

#[tokio::test]
async fn changed_page_is_cited_with_its_current_text() {
    let (server, web) = (TestServer::start().await, CountingServer::start().await);
    let editor = server.editor();
    let base = private(&editor).await;
    let asked = Asked::with(&editor, &base).await;
    web.always("/robots.txt", Reply::status(404));
    let page = |words: &str| Reply::body("text/plain", words);
    web.script(
        "/keeper",
        [page("Maud Ferris keeps the lighthouse."), page("Ivo Renn keeps the lighthouse.")],
    );
    let path = format!("/api/knowledge-bases/{base}/links?wait=true");
    editor.post(&path, json!({"url": web.url("/keeper")})).await.created();
    assert!(asked.sources("Who keeps the lighthouse?").await.contains("Maud Ferris"));
    editor.post(&path, json!({"url": web.url("/keeper")})).await.ok();
    let after = asked.sources("Who keeps the lighthouse?").await;
    assert!(!after.contains("Maud Ferris") && after.contains("Ivo Renn"), "{after}");
}
