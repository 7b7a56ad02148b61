//! Tool calls in progress when the answer or the server was stopped.

use serde_json::{Value, json};

use super::reading::{Stream, address, answer, ask, attach, conversation, messages, server, terminal};
use crate::api::skills::scene::upload;
use crate::harness::{Client, text};

/// A function that never ends.
const STUCK: &str = r#"
const skill = { name: "Stuck", description: "Never ends." };
const functions = { stuck: { description: "Never ends.", run() { while (true) {} } } };
"#;

/// Asks for an answer that is about to call the function, and returns its conversation and the stream up to the call.
async fn in_the_midst(editor: &Client, recovery: &str) -> (String, Stream) {
    let skill = upload(editor, "stuck.js", STUCK.as_bytes()).await.created();
    let home = conversation(editor).await;
    let fields = json!({"message": "Please call stuck.", "skills": [skill["id"]], "recovery": recovery});
    let mut live = ask(editor, &home, fields).await;
    live.until("tool.call.ready").await;
    (home, live)
}

/// Returns the error that is reported in place of a result of the call.
fn told(events: &[Value]) -> String {
    let results: Vec<_> = events.iter().filter(|event| event["type"] == "tool.result").collect();
    assert_eq!(results.len(), 1, "{events:#?}");
    text(&results[0]["data"]["error"])
}

/// The call may have taken effect, so nothing may claim that it was not made.
fn assert_open(why: &str) {
    assert!(why.contains("before this gave a result"), "{why}");
}

#[tokio::test]
async fn stopped_tool_call_is_reported_as_possibly_made() {
    let server = server().await;
    let editor = server.editor();
    let (home, live) = in_the_midst(&editor, "keep").await;
    let receipt = editor.delete(&address(&home, &live.id)).await.ok();
    assert_eq!(receipt["status"], "cancelled");
    let events = attach(&editor, &home, &live.id, "").await.events().await;
    assert_open(&told(&events));
    let kept = messages(&editor, &home).await;
    assert_eq!(kept[1]["tool_calls"][0]["error"], told(&events));
}

#[tokio::test]
async fn interrupted_tool_call_is_settled_before_the_answer_continues() {
    for recovery in ["keep", "continue"] {
        let server = server().await;
        let (home, live) = in_the_midst(&server.editor(), recovery).await;
        let id = live.id.clone();
        let server = server.restart().await;
        let editor = server.editor();
        let events = attach(&editor, &home, &id, "").await.events().await;
        let why = told(&events);
        assert_open(&why);
        assert_eq!(messages(&editor, &home).await[1]["tool_calls"][0]["error"], why, "{recovery}");
        if recovery == "keep" {
            assert_eq!(terminal(&events)["status"], "interrupted");
            continue;
        }
        assert_eq!(terminal(&events)["status"], "succeeded");
        let place = |kind: &str| events.iter().position(|event| event["type"] == kind);
        assert!(place("run.recovered") < place("tool.result"), "{events:#?}");
        assert!(place("tool.result") < place("text.start"), "{events:#?}");
        assert!(
            answer(&events).contains("before this gave a result"),
            "the model received the error and quotes it"
        );
    }
}
