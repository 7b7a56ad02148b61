//! What is counted and when, and that counts are permanent.

use serde_json::{Value, json};

use super::scene::{assistant, counts, line, report};
use crate::api::streams::reading::{Stream, ask, asking, conversation, messages};
use crate::api::workflows::scene::{Run, greeting, workflow};
use crate::harness::fake_provider::FakeProvider;
use crate::harness::{Client, TestServer, text};

async fn chat(client: &Client, assistant: &str) {
    let body = json!({"assistant_id": assistant, "messages": [{"role": "user", "content": "Hello?"}]});
    client.post("/api/chat/completion", body).await.ok();
}

async fn overview(server: &TestServer) -> Value {
    report(&server.admin(), "overview", "limit=200").await
}

#[tokio::test]
async fn questions_answers_and_conversations_are_counted_per_object() {
    let server = TestServer::start().await;
    let (editor, user) = (server.editor(), server.user());
    let ada = assistant(&editor, "Ada", json!({"length": 3})).await;
    let flow = workflow(&editor, greeting()).await;
    let home = conversation(&user).await;
    for question in ["Hello?", "And the moon?"] {
        ask(&user, &home, json!({"message": question, "assistant_id": ada})).await.events().await;
    }
    let answer = messages(&user, &home).await.pop().expect("an answer");
    let again = json!({"regenerate_message_id": answer["id"], "assistant_id": ada});
    ask(&user, &home, again).await.events().await;
    chat(&user, &ada).await;
    chat(&editor, &ada).await;
    Run::start(&editor, &flow, json!({"topic": "tides"})).await.events(&editor).await;
    let without = conversation(&editor).await;
    ask(&editor, &without, json!({"message": "Hello?", "model": "builtin/scribe"})).await.events().await;
    // A conversation that is created and never used.
    conversation(&user).await;

    let told = overview(&server).await;
    // Two questions with three answers, and two question-answer pairs outside of a conversation.
    assert_eq!(counts(&line(&told, "assistant_id", &ada)), [1, 5 + 4, 0]);
    assert_eq!(line(&told, "assistant_id", &ada)["users"], 2);
    assert_eq!(counts(&line(&told, "assistant_id", &flow)), [1, 2, 0]);
    let none = told["items"].as_array().expect("items").iter().find(|line| line["assistant_id"].is_null());
    assert_eq!(counts(none.expect("a line")), [1, 2, 0]);
    assert_eq!(counts(&told["totals"]), [3, 13, 0]);
    let models = report(&server.admin(), "models", "").await;
    assert_eq!(counts(&models["totals"]), [3, 13, 0]);
    let users = report(&server.admin(), "users", "").await;
    assert_eq!(counts(&line(&users, "user_id", &server.user_person().id)), [1, 7, 0]);
    assert_eq!(counts(&line(&users, "user_id", &server.editor_person().id)), [2, 6, 0]);
    let last = line(&users, "user_id", &server.user_person().id)["last_used_at"].clone();
    assert!(last.is_string());
    assert_eq!(line(&users, "user_id", &server.admin_person().id)["last_used_at"], Value::Null);

    // Counts stay after deletions and restarts.
    user.delete(&format!("/api/conversations/{home}")).await.no_content();
    editor.delete(&format!("/api/assistants/{ada}/permanent")).await.ok();
    server.stored().await;
    let server = server.restart().await;
    let after = overview(&server).await;
    assert_eq!(after["totals"], told["totals"]);
    let gone = line(&after, "assistant_id", &ada);
    assert_eq!((counts(&gone), &gone["name"], &gone["owner"]), ([1, 9, 0], &Value::Null, &Value::Null));
    server.admin().get(&format!("/api/control-tower/overview/{ada}")).await.not_found();
    let one = server.admin().get(&format!("/api/control-tower/overview/{flow}")).await.ok();
    assert_eq!(one, line(&after, "assistant_id", &flow));
}

#[tokio::test]
async fn failed_answers_count_as_errors_and_stopped_ones_do_not() {
    let provider = FakeProvider::start().await;
    let config = provider.config();
    let server = TestServer::start_with(move |settings| settings.providers = vec![config]).await;
    let user = server.user();
    let body = |model: &str| json!({"message": "Hello?", "model": model});
    for model in ["fake/refuse", "fake/echo"] {
        ask(&user, &conversation(&user).await, body(model)).await.events().await;
    }
    let home = conversation(&user).await;
    let mut live: Stream = ask(&user, &home, body("fake/slow")).await;
    live.until("text.delta").await;
    user.delete(&format!("/api/conversations/{home}/streams/{}", live.id)).await.ok();
    live.events().await;
    let told = report(&server.admin(), "models", "").await;
    assert_eq!(counts(&line(&told, "model", "fake/refuse")), [1, 2, 1]);
    assert_eq!(counts(&line(&told, "model", "fake/echo")), [1, 2, 0]);
    assert_eq!(counts(&line(&told, "model", "fake/slow")), [1, 2, 0]);
    let kpis = report(&server.admin(), "kpis", "").await;
    assert_eq!((&kpis["errors"]["value"], &kpis["messages"]["value"]), (&json!(1), &json!(6)));
    server.stored().await;
}

/// A repeated idempotency key counts as the same answer, and a refused request is not counted.
#[tokio::test]
async fn answer_is_counted_once() {
    let server = TestServer::start().await;
    let user = server.user();
    let home = conversation(&user).await;
    let request = || {
        asking(&user, &home, json!({"message": "Hello?", "model": "builtin/scribe"}))
            .header("idempotency-key", "one")
    };
    for _ in 0..3 {
        Stream::open(request()).await.events().await;
    }
    asking(&user, &home, json!({"message": "Hello?", "model": "no/such"})).send().await.expect("an answer");
    asking(&user, &home, json!({"message": " "})).send().await.expect("an answer");
    let told = report(&server.admin(), "users", "").await;
    assert_eq!(counts(&line(&told, "user_id", &server.user_person().id)), [1, 2, 0]);
    assert_eq!(text(&told["time_zone"]), "UTC");
}
