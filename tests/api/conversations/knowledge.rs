//! Answers that use documents as sources.

use crate::harness::fake_embedder::FakeEmbedder;
use crate::harness::fake_provider::FakeProvider;
use crate::harness::{Client, TestServer, text};
use reqwest::Method;
use serde_json::{Value, json};

/// Asks in a new conversation, waits for the answer and returns its parts.
async fn ask(client: &Client, body: Value) -> Vec<Value> {
    let conversation = text(&client.post("/api/conversations", json!({})).await.created()["id"]);
    let mut body = body;
    body["stream"] = json!(false);
    client.post(&format!("/api/conversations/{conversation}/completion"), body).await.ok();
    let whole = client.get(&format!("/api/conversations/{conversation}")).await.ok();
    let messages = whole["messages"].as_array().cloned().unwrap_or_default();
    let answers = messages.iter().filter(|message| message["role"] == "assistant");
    answers.flat_map(|message| message["parts"].as_array().cloned().unwrap_or_default()).collect()
}

fn sources(parts: &[Value]) -> Vec<&Value> {
    parts.iter().filter(|part| part["type"] == "source").collect()
}

fn said(parts: &[Value]) -> String {
    parts.iter().filter(|part| part["type"] == "text").map(|part| text(&part["text"])).collect()
}

/// Uploads `bytes` as a file and waits until it can be found.
async fn upload(client: &Client, path: &str, filename: &str, bytes: &[u8]) -> Value {
    let mut form = format!(
        "--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{filename}\"\r\n\
         content-type: application/octet-stream\r\n\r\n"
    )
    .into_bytes();
    form.extend_from_slice(bytes);
    form.extend_from_slice(b"\r\n--x--\r\n");
    let request = client.request(Method::POST, &format!("{path}?wait=true"));
    let answer =
        Client::send(request.header("content-type", "multipart/form-data; boundary=x").body(form)).await;
    let files = answer.expect(201).json();
    let file = files["items"].as_array().or(files["files"].as_array()).expect("files")[0].clone();
    assert_eq!(file["status"], "ready", "{file}");
    file
}

const LIGHTHOUSE: &[u8] =
    b"# Lighthouse\n\nThe lamp of Carrick Point burns whale oil.\n\n## Keeper\n\nThe keeper is \
Maud Ferris, who came in 1911.\n";

#[tokio::test]
async fn answer_uses_own_files_of_the_assistant_and_cites_them() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let made =
        editor.post("/api/assistants", json!({"name": "Keeper", "visibility": "tenant"})).await.created();
    let assistant = text(&made["id"]);
    let file =
        upload(&editor, &format!("/api/assistants/{assistant}/files"), "lighthouse.md", LIGHTHOUSE).await;

    // A user of the assistant gets answers from its knowledge, and not a list of its files.
    let user = server.user();
    let parts = ask(&user, json!({"message": "Who is the keeper?", "assistant_id": assistant})).await;
    let found = sources(&parts);
    let keeper = found.iter().find(|source| text(&source["snippet"]).contains("Maud Ferris"));
    let keeper = keeper.unwrap_or_else(|| panic!("{parts:#?}"));
    assert_eq!(keeper["document_id"], file["id"]);
    assert_eq!(keeper["title"], "lighthouse.md");
    assert_eq!(keeper["place"]["headings"][0], "Lighthouse");
    assert!(said(&parts).contains("Maud Ferris"), "{parts:#?}");
    user.get(&format!("/api/assistants/{assistant}/files")).await.expect(403);

    // Sources are numbered from one, in the order in which they are reported.
    let numbers: Vec<_> = found.iter().map(|source| source["place"]["number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=found.len() as u64).collect::<Vec<_>>());

    // A deleted file is no longer found at once.
    let id = text(&file["id"]);
    editor.delete(&format!("/api/assistants/{assistant}/files/{id}")).await.ok();
    let parts = ask(&user, json!({"message": "Who is the keeper?", "assistant_id": assistant})).await;
    assert_eq!(sources(&parts), Vec::<&Value>::new());
}

#[tokio::test]
async fn answer_searches_attached_bases_that_the_user_may_read() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let base = text(&editor.post("/api/knowledge-bases", json!({"name": "Points"})).await.created()["id"]);
    upload(&editor, &format!("/api/knowledge-bases/{base}/files"), "lighthouse.md", LIGHTHOUSE).await;
    let body = json!({"name": "Keeper", "visibility": "tenant", "knowledge_bases": [base]});
    let assistant = text(&editor.post("/api/assistants", body).await.created()["id"]);
    let question = json!({"message": "Who is the keeper?", "assistant_id": assistant});

    assert_ne!(sources(&ask(&editor, question.clone()).await).len(), 0);
    assert_eq!(sources(&ask(&server.user(), question.clone()).await).len(), 0, "a private base was used");
    // Naming the base in the request does not help.
    let mut named = question.clone();
    named["knowledge_base_ids"] = json!([base]);
    let user = server.user();
    let conversation = text(&user.post("/api/conversations", json!({})).await.created()["id"]);
    user.post(&format!("/api/conversations/{conversation}/completion"), named.clone()).await.expect(404);
    let stranger = server.stranger();
    let conversation = text(&stranger.post("/api/conversations", json!({})).await.created()["id"]);
    named.as_object_mut().unwrap().remove("assistant_id");
    stranger.post(&format!("/api/conversations/{conversation}/completion"), named).await.expect(404);

    let grants = json!([{"principal": {"kind": "user", "id": server.user_person().id}, "level": "viewer"}]);
    editor.patch(&format!("/api/knowledge-bases/{base}"), json!({"grants": grants})).await.ok();
    assert_ne!(sources(&ask(&server.user(), question.clone()).await).len(), 0);
    editor.patch(&format!("/api/knowledge-bases/{base}"), json!({"grants": []})).await.ok();
    assert_eq!(sources(&ask(&server.user(), question).await).len(), 0, "a revoked grant was still valid");
}

#[tokio::test]
async fn lost_index_is_rebuilt_from_stored_text() {
    let embedder = FakeEmbedder::start().await;
    let config = embedder.config();
    let server = TestServer::start_with(|settings| settings.providers = vec![config]).await;
    let editor = server.editor();
    let body = json!({"name": "Points", "embedding_model": "fake/embed"});
    let base = text(&editor.post("/api/knowledge-bases", body).await.created()["id"]);
    upload(&editor, &format!("/api/knowledge-bases/{base}/files"), "lighthouse.md", LIGHTHOUSE).await;
    let question = json!({"message": "Ferris", "knowledge_base_ids": [base]});
    let before = ask(&editor, question.clone()).await;
    assert_ne!(sources(&before).len(), 0);
    // Without the provider a question has no vector, so from here on only words can match.
    drop(embedder);
    let index = server.dir().join("index");
    let server = server.restart_with(|_| std::fs::remove_dir_all(&index).expect("the index goes")).await;
    let after = ask(&server.editor(), question).await;
    assert_eq!(sources(&after), sources(&before));
}

#[tokio::test]
async fn models_read_passages_and_attached_files() {
    let provider = FakeProvider::start().await;
    let config = provider.config();
    let server = TestServer::start_with(|settings| settings.providers = vec![config]).await;
    let editor = server.editor();
    let assistant = text(&editor.post("/api/assistants", json!({"name": "Keeper"})).await.created()["id"]);
    upload(&editor, &format!("/api/assistants/{assistant}/files"), "lighthouse.md", LIGHTHOUSE).await;
    let question = json!({"message": "Who is the keeper?", "assistant_id": assistant, "model": "fake/echo"});
    ask(&editor, question).await;
    let asked = provider.requests().await.pop().expect("a request").to_string();
    assert!(asked.contains("[1] lighthouse.md") && asked.contains("Maud Ferris"), "{asked}");
    assert!(asked.contains("cite each as its number"), "{asked}");

    // An attached PDF is read, not only named.
    let conversation = text(&editor.post("/api/conversations", json!({})).await.created()["id"]);
    let mut form = b"--x\r\ncontent-disposition: form-data; name=\"message\"\r\n\r\nWhat does it say?\r\n\
        --x\r\ncontent-disposition: form-data; name=\"model\"\r\n\r\nfake/echo\r\n\
        --x\r\ncontent-disposition: form-data; name=\"stream\"\r\n\r\nfalse\r\n\
        --x\r\ncontent-disposition: form-data; name=\"files\"; filename=\"a.pdf\"\r\n\
        content-type: application/pdf\r\n\r\n"
        .to_vec();
    form.extend_from_slice(include_bytes!("../../samples/handbook-libreoffice.pdf"));
    form.extend_from_slice(b"\r\n--x--\r\n");
    let request = editor.request(Method::POST, &format!("/api/conversations/{conversation}/completion"));
    let request = request.header("content-type", "multipart/form-data; boundary=x").body(form);
    Client::send(request).await.ok();
    let asked = provider.requests().await.pop().expect("a request").to_string();
    assert!(asked.contains("a.pdf") && asked.contains(PDF_SENTENCE), "{asked}");
}

/// A sentence of the sample.
const PDF_SENTENCE: &str = "Kilbrannan";
