//! Tests of tool calls: results, progress and cancellation.

use std::time::Duration;

use providers::mcp::{McpErrorKind, McpLimits};
use serde_json::{Value, json};

use super::fake_mcp::FakeMcp;
use super::{ProgressLog, call, limits, object, open, open_with};

#[tokio::test]
async fn call_reports_progress() {
    let server = FakeMcp::start().await;
    let session = open(&server).await;
    let heard = ProgressLog::default();
    let ear = heard.ear();
    let called = session.call("steps", object(json!({"of": 3})), &ear);
    let walked = async {
        for step in 1..=3 {
            server.until("a step", || heard.0.lock().len() == step).await;
            server.go_on();
        }
    };
    let (given, ()) = tokio::join!(called, walked);
    assert_eq!(given.unwrap(), "3 steps");
    let heard = heard.0.lock();
    assert_eq!(heard.iter().map(|it| it.progress).collect::<Vec<_>>(), [1.0, 2.0, 3.0]);
    assert_eq!((heard[0].total, heard[0].message.as_deref()), (Some(3.0), Some("step 1")));
}

#[tokio::test]
async fn call_receives_only_its_own_progress() {
    let server = FakeMcp::start().await;
    let session = open(&server).await;
    let (one, other) = (ProgressLog::default(), ProgressLog::default());
    let (ear, another) = (one.ear(), other.ear());
    let walked = async {
        server.until("both", || one.0.lock().len() + other.0.lock().len() == 2).await;
        server.go_on();
        server.go_on();
    };
    let (first, second, (), third) = tokio::join!(
        session.call("steps", object(json!({"of": 1})), &ear),
        session.call("steps", object(json!({"of": 1})), &another),
        walked,
        call(&session, "echo", json!({"text": "concurrent"})),
    );
    assert_eq!(
        (first.unwrap(), second.unwrap(), third.unwrap()),
        (json!("1 steps"), json!("1 steps"), json!("concurrent"))
    );
    assert_eq!((one.0.lock().len(), other.0.lock().len()), (1, 1));
    server.no_complaints();
}

#[tokio::test]
async fn call_is_cancelled_at_the_server_when_dropped() {
    let server = FakeMcp::start().await;
    let session = open(&server).await;
    let called = call(&session, "stuck", json!({}));
    tokio::select! {
        _ = called => unreachable!("it never answers"),
        () = server.called("stuck", 1) => {}
    }
    drop(session);
    server.was_cancelled().await;
    let asked = server.seen().into_iter().find(|seen| seen.message["params"]["name"] == "stuck").unwrap();
    assert_eq!(server.cancelled(), [asked.message["id"].clone()]);
    server.idle().await;
    server.no_complaints();
}

#[tokio::test]
async fn call_timeout_is_extended_by_progress() {
    let server = FakeMcp::start().await;
    let short = McpLimits { call: Duration::from_millis(300), ..limits() };
    let session = open_with(&server, short).await.unwrap();
    let why = call(&session, "stuck", json!({})).await.unwrap_err();
    assert_eq!((why.kind, why.unsent), (McpErrorKind::Timeout, false), "{why:?}");
    server.was_cancelled().await;

    // The tool reports progress once and then stops; the total limit ends the call.
    let short = McpLimits { call: Duration::from_secs(30), longest: Duration::from_millis(300), ..limits() };
    let session = open_with(&server, short).await.unwrap();
    let why = call(&session, "steps", json!({"of": 9})).await.unwrap_err();
    assert_eq!(why.kind, McpErrorKind::Timeout, "{why:?}");
    server.until("both are cancelled", || server.cancelled().len() == 2).await;
}

#[tokio::test]
async fn call_resumes_a_broken_response() {
    let server = FakeMcp::start().await;
    let heard = ProgressLog::default();
    let session = open(&server).await;
    let given = session.call("broken", object(json!({})), &heard.ear()).await;
    assert_eq!(given.unwrap(), "whole after all");
    assert_eq!(server.calls("broken"), 1, "it is not called again");
    let resumed = server.seen().into_iter().find(|seen| seen.headers.contains_key("last-event-id")).unwrap();
    assert!(resumed.headers["last-event-id"].starts_with("mark-"));
    server.no_complaints();
}

#[tokio::test]
async fn call_reports_failures_and_unknown_content() {
    let server = FakeMcp::start().await;
    let session = open(&server).await;
    let why = call(&session, "fail", json!({})).await.unwrap_err();
    assert_eq!((why.kind, why.message.as_str()), (McpErrorKind::Tool, "the disk is on fire"));
    let why = call(&session, "nothing_of_the_kind", json!({})).await.unwrap_err();
    assert_eq!(why.kind, McpErrorKind::Denied);
    assert!(why.message.contains("Unknown tool"), "{why}");
    let given = call(&session, "picture", json!({})).await.unwrap();
    assert_eq!(given["text"], "a dot");
    assert_eq!(given["parts"].as_array().map(Vec::len), Some(1), "unknown parts are left out: {given}");
    assert_eq!(given["parts"][0]["media_type"], "image/png");
    assert!(!given.to_string().contains("iVBOR"), "{given}");
}

#[tokio::test]
async fn session_declines_server_requests_and_answers_pings() {
    let server = FakeMcp::start().await;
    let given = call(&open(&server).await, "ask", json!({})).await.unwrap();
    let Value::String(told) = given else { panic!("{given}") };
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines[0], "ping: {}");
    assert_eq!(lines[1], "sampling/createMessage: declined");
    assert!(lines[2].ends_with("declined") || lines[2].contains(r#""action":"decline""#), "{told}");
    assert!(lines[3].ends_with("declined") || lines[3].contains(r#""roots":[]"#), "{told}");
    server.no_complaints();
}
