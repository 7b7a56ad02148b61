//! Workflows in user interfaces that are made for chats.

use serde_json::{Value, json};

use super::scene::{Run, approval, greeting, workflow, workflow_for};
use crate::api::streams::reading::{asking, server};
use crate::harness::{Client, text};

#[tokio::test]
async fn form_is_a_part_of_the_message_and_is_replaced_by_its_answer() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, approval(None)).await;
    let run = Run::start(&editor, &assistant, json!({})).await;
    let form = run.form(&editor).await;
    Client::send(run.answering(&editor, &form, "approve", json!({"note": "fine"}))).await.ok();
    let path = format!("/api/conversations/{}/streams/{}?wire=ui-message", run.conversation, run.stream);
    let told = editor.get(&path).await.text();
    let parts =
        told.lines().filter_map(|line| serde_json::from_str::<Value>(line.strip_prefix("data: ")?).ok());
    let parts: Vec<Value> = parts.filter(|part| part["type"] == "data-form").collect();
    let states: Vec<_> = parts.iter().map(|part| text(&part["data"]["state"])).collect();
    assert_eq!(states, ["open", "answered"], "{told}");
    assert!(parts.iter().all(|part| part["id"] == form["form_id"]), "{parts:?}");
    assert_eq!(parts[0]["data"]["fields"], form["fields"]);
    assert_eq!(
        (&parts[1]["data"]["action"], &parts[1]["data"]["fields"]["note"]),
        (&json!("approve"), &json!("fine"))
    );
}

#[tokio::test]
async fn client_that_waits_for_the_message_returns_when_the_run_waits_for_a_person() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, approval(None)).await;
    let made = editor.post("/api/conversations", json!({"assistant_id": assistant})).await.created();
    let conversation = text(&made["id"]);
    let asked = asking(&editor, &conversation, json!({"message": "the poster", "stream": false}));
    let answer = Client::send(asked).await;
    answer.expect(202);
    let stream = answer.header("x-stream-id").expect("a stream").to_owned();
    let message = answer.json();
    assert_eq!(
        (&message["role"], &message["status"]),
        (&json!("assistant"), &json!("streaming")),
        "{message}"
    );
    let run = Run { assistant, conversation, stream };
    let form = run.form(&editor).await;
    Client::send(run.answering(&editor, &form, "reject", json!({"note": "not yet"}))).await.ok();
    run.events(&editor).await;
    let whole = editor.get(&format!("/api/conversations/{}", run.conversation)).await.json();
    let said = whole["messages"].as_array().expect("messages").iter().find(|row| row["id"] == message["id"]);
    assert_eq!(said.expect("the message")["parts"][0]["text"], "No: not yet");
}

#[tokio::test]
async fn inputs_of_a_workflow_are_visible_to_its_users() {
    let server = server().await;
    let assistant = workflow_for(&server.editor(), greeting(), "tenant").await;
    let user = server.user();
    let seen = user.get(&format!("/api/assistants/{assistant}")).await.ok();
    assert_eq!(seen["workflow_inputs"], greeting()["inputs"]);
    assert_eq!(seen["workflow"], Value::Null, "the graph itself is visible to editors only");
    let all = user.get("/api/assistants").await.ok();
    assert_eq!(all["items"][0]["workflow_inputs"], greeting()["inputs"]);
    let edited = server.editor().get(&format!("/api/assistants/{assistant}")).await.ok();
    assert_eq!(edited["workflow_inputs"], edited["workflow"]["inputs"]);
}
