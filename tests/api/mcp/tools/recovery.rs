//! What becomes of a call that was under way when the server stopped.

use serde_json::{Value, json};

use super::{asked, connected, one, server};
use crate::api::streams::reading::{attach, messages, terminal};
use crate::harness::fake_mcp::FakeMcp;
use crate::harness::until;

/// The events of an answer in whose midst, while it called a tool, the server was stopped.
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
async fn starting_over_does_not_call_once_more_what_may_have_taken_effect() {
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
async fn continuing_tells_the_model_that_the_outcome_is_unknown() {
    let fake = FakeMcp::start().await;
    let (events, _) = cut_off("stuck", "continue", &fake).await;
    assert_eq!(terminal(&events)["status"], "succeeded", "{events:#?}");
    assert!(one(&events, "tool.result")["error"].as_str().expect("words").starts_with("uncertain_effect"));
    assert_eq!(fake.calls("stuck"), 1);
}

#[tokio::test]
async fn what_its_server_says_can_be_called_again_is_called_again() {
    let fake = FakeMcp::start().await;
    let (waits, over) = (cut_off("wait", "retry", &fake), std::sync::atomic::AtomicBool::new(false));
    let waits = async {
        let waited = waits.await;
        over.store(true, std::sync::atomic::Ordering::SeqCst);
        waited
    };
    // Again and again: the call that was cut off may still be heard at first.
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
