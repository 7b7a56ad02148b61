//! The message tree: siblings, feedback, and replacement.

use serde_json::{Value, json};

use crate::api::streams::reading::{address, ask, ask_words, conversation, messages, said, server};
use crate::harness::{Answer, Client, TestServer, text};

async fn put(client: &Client, home: &str, what: &str, body: Value) -> Answer {
    client.put(&format!("/api/conversations/{home}/{what}"), body).await
}

#[tokio::test]
async fn edit_and_regenerate_create_siblings() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    ask_words(&user, &home, 3, 0).await.rest().await;
    let before = messages(&user, &home).await;
    let (question, first) = (text(&before[0]["id"]), text(&before[1]["id"]));

    let again = json!({"regenerate_message_id": first, "parameters": {"length": 4}});
    ask(&user, &home, again).await.rest().await;
    let now = messages(&user, &home).await;
    assert_eq!(now.len(), 3);
    assert_eq!((&now[2]["parent_id"], &now[2]["role"]), (&json!(question), &json!("assistant")));

    let edit = json!({"message_id": question, "content": "Tell me of the moon."});
    let edited = put(&user, &home, "message", edit).await.ok();
    assert_eq!((&edited["parent_id"], &edited["role"]), (&Value::Null, &json!("user")));
    assert_ne!(edited["id"], question);
    assert_eq!(said(&edited), "Tell me of the moon.");
    let shown = user.get(&format!("/api/conversations/{home}")).await.ok();
    assert_eq!(shown["current_message_id"], edited["id"]);
    assert_eq!(shown["message_count"], 4);
    assert_eq!(shown["messages"][0], before[0], "the old one stays as it was");

    let answer = json!({"regenerate_message_id": edited["id"], "parameters": {"length": 2}});
    ask(&user, &home, answer).await.rest().await;
    let last = &messages(&user, &home).await[4];
    assert_eq!(last["parent_id"], edited["id"]);

    let branch = json!({"message": "And then?", "parent_message_id": first, "parameters": {"length": 2}});
    ask(&user, &home, branch).await.rest().await;
    assert_eq!(messages(&user, &home).await[5]["parent_id"], first);
    let nowhere = json!({"message": "x", "parent_message_id": "01980000-0000-7000-8000-000000000001"});
    let path = format!("/api/conversations/{home}/completion");
    assert_eq!(user.post(&path, nowhere).await.faults(), ["body.parent_message_id"]);
}

#[tokio::test]
async fn edit_reports_faults_and_sets_feedback() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let mut live = ask_words(&user, &home, 5000, 5).await;
    live.until("text.delta").await;
    let answer = text(&messages(&user, &home).await[1]["id"]);
    let busy = put(&user, &home, "message", json!({"message_id": answer, "content": "x"})).await;
    assert_eq!(busy.problem(409, "stream_active")["stream_id"], live.id);
    user.delete(&address(&home, &live.id)).await.ok();

    let praise = json!({"message_id": answer, "feedback": {"rating": "up", "comment": "Clear."}});
    let praised = put(&user, &home, "message", praise).await.ok();
    assert_eq!((&praised["id"], &praised["feedback"]["rating"]), (&json!(answer), &json!("up")));
    let cleared = put(&user, &home, "message", json!({"message_id": answer, "feedback": null})).await.ok();
    assert_eq!(cleared["feedback"], Value::Null);

    let unknown = json!({"message_id": "01980000-0000-7000-8000-000000000001", "content": "x"});
    assert_eq!(put(&user, &home, "message", unknown).await.faults(), ["body.message_id"]);
    assert_eq!(put(&user, &home, "message", json!({"message_id": answer})).await.faults(), ["body.content"]);
    let faulty = json!({"message_id": 1, "content": "", "feedback": {"rating": "sideways"}});
    let want = ["body.content", "body.feedback.rating", "body.message_id"];
    assert_eq!(put(&user, &home, "message", faulty).await.faults(), want);
}

#[tokio::test]
async fn tree_replacement_is_atomic() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    ask_words(&user, &home, 3, 0).await.rest().await;
    let old = messages(&user, &home).await;
    let id = |n: u128| format!("01980000-0000-7000-8000-{n:012}");
    let message =
        |n: u128, parent: Value| json!({"id": id(n), "parent_id": parent, "role": "user", "content": "x"});

    for (faulty, want) in [
        (json!([message(1, Value::Null), message(1, Value::Null)]), vec!["body.messages.1.id"]),
        (json!([message(1, json!(id(9)))]), vec!["body.messages.0.parent_id"]),
        (
            json!([message(1, json!(id(2))), message(2, json!(id(1)))]),
            vec!["body.messages.0.parent_id", "body.messages.1.parent_id"],
        ),
        (json!([{"role": "user"}]), vec!["body.messages.0.parts"]),
        (
            json!([{"role": "judge", "content": "x", "hat": 1}]),
            vec!["body.messages.0.hat", "body.messages.0.role"],
        ),
    ] {
        assert_eq!(put(&user, &home, "payload", json!({"messages": faulty})).await.faults(), want);
    }
    let elsewhere = json!({"messages": [message(1, Value::Null)], "current_message_id": id(7)});
    assert_eq!(put(&user, &home, "payload", elsewhere).await.faults(), ["body.current_message_id"]);
    let file =
        json!({"type": "file", "blob_id": "0".repeat(64), "media_type": "text/plain", "filename": null});
    let stolen = json!({"messages": [{"role": "user", "parts": [file]}]});
    assert_eq!(put(&user, &home, "payload", stolen).await.faults(), ["body.messages.0.attachments"]);
    assert_eq!(messages(&user, &home).await, old, "nothing has changed");

    // The messages as they were read can be sent back with an additional branch.
    let mut sent = old.clone();
    sent.push(message(5, old[0]["id"].clone()));
    let replaced = put(&user, &home, "payload", json!({"messages": sent})).await.ok();
    assert_eq!(replaced["current_message_id"], id(5));
    assert_eq!(replaced["message_count"], 3);
    let now = messages(&user, &home).await;
    assert_eq!(now.len(), 3);
    for key in ["parts", "usage", "run_id", "status", "created_at", "cost_nanos", "model"] {
        assert_eq!(now[1][key], old[1][key], "{key} is kept as it was");
    }
    let list = json!([{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]);
    let listed = put(&user, &home, "payload", json!({"messages": list})).await.ok();
    assert_eq!(listed["messages"][1]["parent_id"], listed["messages"][0]["id"]);
    assert_eq!(messages(&user, &home).await.len(), 2, "the others are gone");
    let emptied = put(&user, &home, "payload", json!({"messages": []})).await.ok();
    assert_eq!((&emptied["current_message_id"], &emptied["message_count"]), (&Value::Null, &json!(0)));
    // Runs whose answers are gone no longer refer to them.
    server.stored().await;
}

#[tokio::test]
async fn tree_replacement_is_refused_while_streaming_or_stale() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let live = ask_words(&user, &home, 5000, 5).await;
    let new = json!({"messages": [{"role": "user", "content": "x"}]});
    assert_eq!(
        put(&user, &home, "payload", new.clone()).await.problem(409, "stream_active")["stream_id"],
        live.id
    );
    user.delete(&address(&home, &live.id)).await.ok();
    let stale = json!({"messages": [], "version": 1});
    put(&user, &home, "payload", stale).await.problem(412, "stale");
    put(&user, &home, "payload", new).await.ok();
}

#[tokio::test]
async fn tree_with_3000_messages_can_be_stored() {
    let server = TestServer::start().await;
    let user = server.user();
    let home = conversation(&user).await;
    let list: Vec<_> =
        (0..3000).map(|n| json!({"role": "user", "content": format!("message {n}")})).collect();
    let replaced = put(&user, &home, "payload", json!({"messages": list})).await.ok();
    assert_eq!(replaced["message_count"], 3000);
    let shown = messages(&user, &home).await;
    assert_eq!(said(&shown[2999]), "message 2999");
    user.delete(&format!("/api/conversations/{home}")).await.no_content();
}
