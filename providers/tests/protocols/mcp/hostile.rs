//! Tests of malicious servers.

use std::time::Duration;

use providers::mcp::{McpErrorKind, McpLimits, McpSession};
use serde_json::json;

use super::fake_mcp::FakeMcp;
use super::{Login, call, limits, open, open_with, web};

#[tokio::test]
async fn session_times_out_without_a_response() {
    let server = FakeMcp::start().await;
    server.state.silent.lock().insert("initialize".into());
    let short = McpLimits { connect: Duration::from_millis(300), ..limits() };
    let why = open_with(&server, short).await.unwrap_err();
    assert_eq!(why.kind, McpErrorKind::Timeout, "{why:?}");
    server.state.silent.lock().clear();
    server.state.silent.lock().insert("tools/list".into());
    // The handshake is answered and must complete within that time.
    let short = McpLimits { connect: Duration::from_secs(3), ..limits() };
    let why = open_with(&server, short).await.unwrap().tools().await.unwrap_err();
    assert_eq!(why.kind, McpErrorKind::Timeout, "{why:?}");
}

#[tokio::test]
async fn call_limits_the_size_of_responses() {
    for plain in [false, true] {
        let server = FakeMcp::start().await;
        *server.state.plain.lock() = plain;
        let session = open(&server).await;
        let given = call(&session, "giant", json!({})).await.unwrap();
        let given = given.as_str().unwrap();
        assert!(given.len() < 140_000 && given.ends_with("[cut: the tool gave 3145728 bytes]"));
        let small = McpLimits { answer_bytes: 1 << 20, ..limits() };
        let session = open_with(&server, small).await.unwrap();
        let why = call(&session, "giant", json!({})).await.unwrap_err();
        assert_eq!(why.kind, McpErrorKind::TooLarge, "{why:?}");
        assert!(call(&session, "echo", json!({"text": "on"})).await.is_ok(), "the session goes on");
    }
}

#[tokio::test]
async fn call_rejects_a_response_to_another_request() {
    let server = FakeMcp::start().await;
    let session = open(&server).await;
    for body in [
        json!({"jsonrpc": "2.0", "id": 999, "result": {"content": [{"type": "text", "text": "forged"}]}})
            .to_string(),
        "[]".to_owned(),
        "{\"jsonrpc\":\"2.0\"}".to_owned(),
        format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000)),
    ] {
        server.state.instead.lock().insert("tools/call".into(), (200, body.clone()));
        let why = call(&session, "echo", json!({"text": "x"})).await.unwrap_err();
        assert_eq!(why.kind, McpErrorKind::Protocol, "{body:.60}: {why:?}");
    }
}

#[tokio::test]
async fn call_does_not_follow_redirects() {
    let (server, other) = (FakeMcp::start().await, FakeMcp::start().await);
    *server.state.tokens.lock() = vec!["good-token-1".into()];
    let login = Login::new(Some("good-token-1"), &[]);
    let session = McpSession::open(&web(), &server.url(), login, limits()).await.unwrap();
    let lead = |to: String| drop(server.state.instead.lock().insert("tools/call".into(), (307, to)));
    for to in ["http://10.1.2.3/mcp".to_owned(), other.url(), format!("{}/further", server.url())] {
        lead(to);
        let why = call(&session, "echo", json!({"text": "x"})).await.unwrap_err();
        assert!(why.kind == McpErrorKind::Protocol && why.message.contains("a redirect to http"), "{why:?}");
    }
    assert!(other.seen().is_empty(), "{:?}", other.seen());
}
