//! The outcome of a call that was in progress when the server stopped.

use serde_json::{Value, json};

use super::{asked, connected, one, server};
use crate::api::streams::reading::{attach, messages, terminal};
use crate::harness::fake_mcp::FakeMcp;
use crate::harness::until;

/// Stops the server during a tool call of an answer, and returns the events before and after the restart.
async fn cut_off(tool: &str, recovery: &str, fake: &FakeMcp) -> (Vec<Value>, Vec<Value>) {
    let server = server().await;
    let id = connected(&server.editor(), fake, json!({})).await;
    let user = server.user();
    let question = format!("Please call tracker_{tool}");
    let (home, stream) = asked(&user, &id, &question, json!({"recovery": recovery})).await;
    let id = stream.id.clone();
    fake.called(tool, 1).await;
    let server = server.restart().await;
    let user = server.user();
    let events = attach(&user, &home, &id, "").await.events().await;
    (events, messages(&user, &home).await)
}

#[tokio::test]
async fn restarted_answer_does_not_repeat_a_call_that_may_have_taken_effect() {
    for recovery in ["retry", "keep"] {
        let fake = FakeMcp::start().await;
        let (events, messages) = cut_off("stuck", recovery, &fake).await;
        let end = terminal(&events);
        let reason = if recovery == "retry" { "uncertain_effect" } else { "crashed" };
        assert_eq!((&end["status"], &end["reason"]), (&json!("interrupted"), &json!(reason)), "{recovery}");
        assert_eq!(fake.calls("stuck"), 1, "{recovery}");
        let error = messages[1]["tool_calls"][0]["error"].as_str().expect("words").to_owned();
        assert!(error.starts_with("uncertain_effect"), "{recovery}: {error}");
    }
}

#[tokio::test]
async fn continued_answer_tells_the_model_that_the_outcome_is_unknown() {
    let fake = FakeMcp::start().await;
    let (events, _) = cut_off("stuck", "continue", &fake).await;
    assert_eq!(terminal(&events)["status"], "succeeded", "{events:#?}");
    assert!(one(&events, "tool.result")["error"].as_str().expect("words").starts_with("uncertain_effect"));
    assert_eq!(fake.calls("stuck"), 1);
}

#[tokio::test]
async fn call_that_the_tool_server_declares_idempotent_is_repeated() {
    let fake = FakeMcp::start().await;
    let (waits, over) = (cut_off("wait", "retry", &fake), std::sync::atomic::AtomicBool::new(false));
    let waits = async {
        let waited = waits.await;
        over.store(true, std::sync::atomic::Ordering::SeqCst);
        waited
    };
    // Signals repeatedly, since the interrupted call may still consume the first signals.
    let walked = async {
        fake.called("wait", 2).await;
        until("the second one is answered", async || {
            fake.go_on();
            over.load(std::sync::atomic::Ordering::SeqCst)
        })
        .await;
    };
    let ((events, _), ()) = tokio::join!(waits, walked);
    assert_eq!(terminal(&events)["status"], "succeeded", "{events:#?}");
    assert_eq!(fake.calls("wait"), 2);
    assert!(events.iter().any(|event| event["type"] == "run.reset"));
}
