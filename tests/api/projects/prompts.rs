//! A project's instructions in the prompts of models.

use serde_json::{Value, json};

use super::scene::{id, inside, let_in, member, project};
use crate::api::streams::reading::{asking, conversation, unlimited};
use crate::harness::fake_provider::FakeProvider;
use crate::harness::{Client, TestServer, hidden, text};

async fn server(provider: &FakeProvider) -> TestServer {
    let config = provider.config();
    let server = TestServer::start_with(move |settings| {
        unlimited(settings);
        settings.providers = vec![config];
        settings.models.default = Some("fake/echo".into());
    });
    server.await
}

/// Returns the text before the conversation in the prompt for a question, or `None` if there is none.
async fn told(provider: &FakeProvider, client: &Client, home: &str) -> Option<String> {
    Client::send(asking(client, home, json!({"message": "Hello", "stream": false}))).await.ok();
    let request = provider.requests().await.pop().expect("a request");
    let first = &request["messages"][0];
    (first["role"] == "system").then(|| text(&first["content"]))
}

async fn instruct(client: &Client, path: &str, instructions: &str) {
    client.put(path, json!({"name": "P", "instructions": instructions})).await.ok();
}

#[tokio::test]
async fn instructions_are_sent_while_the_conversation_is_in_the_project() {
    let provider = FakeProvider::start().await;
    let server = server(&provider).await;
    let user = server.user();
    let path = project(&user, "P").await;
    let home = conversation(&user).await;
    let at = format!("{path}/conversations/{home}");
    assert_eq!(told(&provider, &user, &home).await, None);
    user.post(&at, json!({})).await.ok();
    assert_eq!(told(&provider, &user, &home).await, None, "there are none");
    instruct(&user, &path, " Be brief. ").await;
    assert_eq!(told(&provider, &user, &home).await.as_deref(), Some("Be brief."));
    instruct(&user, &path, "Be long.").await;
    assert_eq!(told(&provider, &user, &home).await.as_deref(), Some("Be long."));
    user.delete(&at).await.ok();
    assert_eq!(told(&provider, &user, &home).await, None);
    user.post(&at, json!({})).await.ok();
    assert_eq!(told(&provider, &user, &home).await.as_deref(), Some("Be long."));
    user.delete(&path).await.ok();
    assert_eq!(told(&provider, &user, &home).await, None);
}

#[tokio::test]
async fn instructions_come_between_those_of_the_assistant_and_the_user() {
    let provider = FakeProvider::start().await;
    let server = server(&provider).await;
    let (user, editor) = (server.user(), server.editor());
    let body = json!({"name": "A", "system_prompt": "You are Ada.", "visibility": "tenant"});
    let assistant = editor.post("/api/assistants", body).await.created();
    user.put("/api/users/custom-prompt", json!({"custom_prompt": "I like rhymes."})).await.ok();
    user.post("/api/memories", json!({"content": "Likes tea."})).await.created();
    let path = project(&user, "P").await;
    instruct(&user, &path, "Be brief.").await;
    let home = text(
        &user
            .post("/api/conversations", json!({"project_id": id(&path), "assistant_id": assistant["id"]}))
            .await
            .created()["id"],
    );
    let told = told(&provider, &user, &home).await.expect("instructions");
    let places: Vec<_> =
        ["You are Ada.", "Be brief.", "I like rhymes.", "Likes tea."].map(|part| told.find(part)).into();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{told}");
    assert!(told.starts_with("You are Ada.\n\nBe brief.\n\nI like rhymes.\n\n"), "{told}");
}

#[tokio::test]
async fn instructions_are_not_sent_for_former_members() {
    let provider = FakeProvider::start().await;
    let server = server(&provider).await;
    let (user, editor) = (server.user(), server.editor());
    let path = project(&user, "P").await;
    instruct(&user, &path, "The plan is secret.").await;
    let of_editor = json!([member("user", &server.editor_person().id, "editor")]);
    let_in(&user, &path, of_editor.clone()).await;
    let home = inside(&editor, &path).await;
    assert_eq!(told(&provider, &editor, &home).await.as_deref(), Some("The plan is secret."));
    user.delete(&format!("{path}/members/{}", server.editor_person().id)).await.ok();
    assert_eq!(told(&provider, &editor, &home).await, None);
    let_in(&user, &path, of_editor).await;
    assert_eq!(told(&provider, &editor, &home).await.as_deref(), Some("The plan is secret."));
    let off = hidden();
    server.admin().put("/api/tenant-admin/features/projects/visibility", off).await.ok();
    assert_eq!(told(&provider, &editor, &home).await, None, "a disabled feature adds no instructions");
    // Outside of conversations no project applies.
    let answer =
        editor.post("/api/chat/completion", json!({"messages": [{"role": "user", "content": "Hi"}]})).await;
    answer.ok();
    let sent = provider.requests().await.pop().expect("a request");
    assert_eq!(sent["messages"].as_array().map(Vec::len), Some(1), "{sent}");
    assert_ne!(sent["messages"][0]["role"], Value::from("system"));
}
