//! Stopping a stream before its start, while it runs, twice, from two clients, and after its end.

use serde_json::{Value, json};

use super::reading::{
    Stream, address, answer, ask, ask_words, attach, conversation, messages, said, server, terminal,
    unlimited,
};
use crate::harness::TestServer;

/// Asserts the receipt of a stream that was stopped.
fn stopped(receipt: &Value, stream: &str) {
    assert_eq!(receipt["stream_id"], stream);
    assert_eq!(receipt["status"], "cancelled");
    assert_eq!(receipt["terminal"]["status"], "cancelled");
    assert!(receipt["tokens_after_cancel"].is_u64());
    assert_eq!(receipt["children_stopped"], json!([]));
}

#[tokio::test]
async fn cancel_keeps_and_bills_the_partial_answer() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let mut live = ask_words(&user, &home, 5000, 5).await;
    let stream = live.id.clone();
    for _ in 0..5 {
        live.until("text.delta").await;
    }
    let receipt = user.delete(&address(&home, &stream)).await.ok();
    stopped(&receipt, &stream);
    assert_eq!(receipt["terminal"]["cancelled_by"], server.user_person().id);
    live.events().await;
    let read = attach(&user, &home, &stream, "").await.events().await;
    assert_eq!(terminal(&read), receipt["terminal"]);
    assert!(read.iter().any(|event| event["type"] == "run.cancelling"));
    let kept = messages(&user, &home).await;
    assert_eq!(kept[1]["status"], "stopped");
    assert_eq!(said(&kept[1]), answer(&read));
    assert!(kept[1]["usage"]["output_tokens"].as_u64().expect("tokens") > 0);
}

#[tokio::test]
async fn cancel_is_idempotent_across_clients_and_after_the_end() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let mut live = ask_words(&user, &home, 5000, 5).await;
    live.until("text.delta").await;
    let path = address(&home, &live.id);
    let other = server.user();
    let (one, two) = tokio::join!(user.delete(&path), other.delete(&path));
    let (one, two) = (one.ok(), two.ok());
    stopped(&one, &live.id);
    assert_eq!(one["terminal"], two["terminal"]);
    let again = user.delete(&path).await.ok();
    assert_eq!(again["terminal"], one["terminal"], "a terminal record never changes");

    let done = ask_words(&user, &home, 3, 0).await;
    let path = address(&home, &done.id);
    let ended = terminal(&done.events().await);
    let receipt = user.delete(&path).await.ok();
    assert_eq!(receipt["status"], "succeeded", "a cancel does not overwrite a success");
    assert_eq!(receipt["terminal"], ended);
}

#[tokio::test]
async fn cancel_before_the_start_dequeues_the_answer() {
    let server = TestServer::start_with(|config| {
        unlimited(config);
        config.runs.per_user = 1;
    });
    let server = server.await;
    let user = server.user();
    let (busy, waiting) = (conversation(&user).await, conversation(&user).await);
    let mut live = ask_words(&user, &busy, 5000, 5).await;
    live.until("text.delta").await;
    let queued = ask_words(&user, &waiting, 5, 0).await;
    let active = user.get(&format!("/api/conversations/{waiting}/streams/active")).await.ok();
    assert_eq!(active["state"], "queued");
    let receipt = user.delete(&address(&waiting, &queued.id)).await.ok();
    stopped(&receipt, &queued.id);
    assert_eq!(receipt["terminal"]["started_at"], Value::Null);
    let events = queued.events().await;
    assert_eq!(terminal(&events), receipt["terminal"]);
    assert!(answer(&events).is_empty());
    assert_eq!(messages(&user, &waiting).await[1]["status"], "stopped");
    user.delete(&address(&busy, &live.id)).await.ok();
    assert_eq!(terminal(&live.events().await)["status"], "cancelled");
}

#[tokio::test]
async fn cancel_requires_the_write_scope() {
    let server = server().await;
    let reader = server.token(&["conversations:read"]).await;
    let writer = server.token(&["conversations:read", "conversations:write"]).await;
    let home = conversation(&writer).await;
    let live = ask_words(&writer, &home, 5000, 5).await;
    reader.delete(&address(&home, &live.id)).await.problem(403, "scope_missing");
    attach(&reader, &home, &live.id, "").await.until("text.delta").await;
    writer.delete(&address(&home, &live.id)).await.ok();
}

#[tokio::test]
async fn new_question_can_cancel_or_wait_for_the_live_answer() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let first = ask_words(&user, &home, 5000, 5).await;
    let refused = super::reading::asking(&user, &home, json!({"message": "Another."})).send().await;
    let refused = crate::harness::Answer::read(refused.expect("an answer")).await;
    assert_eq!(refused.problem(409, "stream_active")["stream_id"], first.id);

    let second =
        json!({"message": "Instead.", "on_active": "cancel", "parameters": {"length": 300, "pace_ms": 2}});
    let second = ask(&user, &home, second).await;
    assert_eq!(terminal(&first.events().await)["status"], "cancelled");

    let third = json!({"message": "And then.", "on_active": "queue", "parameters": {"length": 5}});
    let third = ask(&user, &home, third).await;
    let (second, third) = tokio::join!(second.events(), third.events());
    assert_eq!(terminal(&second)["status"], "succeeded");
    assert_eq!(terminal(&third)["status"], "succeeded");
    let ended = |events: &[Value]| terminal(events)["finished_at"].as_str().expect("a time").to_owned();
    let begun = terminal(&third)["started_at"].as_str().expect("a time").to_owned();
    assert!(begun >= ended(&second), "one after the other: {begun} and {}", ended(&second));
}

#[tokio::test]
async fn concurrent_questions_are_accepted_once() {
    let server = server().await;
    let user = server.user();
    for _ in 0..20 {
        let home = conversation(&user).await;
        let fields = json!({"message": "x", "parameters": {"length": 5000, "pace_ms": 5}});
        let asked = || Stream::try_open(super::reading::asking(&user, &home, fields.clone()));
        let (live, refused) = match tokio::join!(asked(), asked()) {
            (Ok(live), Err(refused)) | (Err(refused), Ok(live)) => (live, refused),
            (one, two) => panic!("{} and {} were accepted", one.is_ok(), two.is_ok()),
        };
        assert_eq!(refused.problem(409, "stream_active")["stream_id"], live.id);
        user.delete(&address(&home, &live.id)).await.ok();
        assert_eq!(messages(&user, &home).await.len(), 2, "the refused question stored nothing");
    }
}
