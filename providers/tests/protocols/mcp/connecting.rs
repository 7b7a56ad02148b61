//! Tests of connecting, login and tool lists.

use std::sync::Arc;

use providers::mcp::{Anonymous, McpErrorKind, McpSession};
use providers::web::{WebClient, WebConfig};
use serde_json::json;

use super::fake_mcp::FakeMcp;
use super::{Login, call, limits, open, open_with, web};

#[tokio::test]
async fn session_follows_the_protocol_from_start_to_end() {
    for plain in [false, true] {
        let server = FakeMcp::start().await;
        *server.state.plain.lock() = plain;
        let session = open(&server).await;
        let tools = session.tools().await.unwrap();
        assert_eq!(tools[0].name, "add");
        assert_eq!((tools[0].read_only, tools[1].idempotent, tools[2].is_repeatable()), (true, true, false));
        assert_eq!(call(&session, "add", json!({"a": 2, "b": 3})).await.unwrap(), json!({"sum": 5.0}));
        drop(session);
        server.idle().await;
        server.no_complaints();
    }
}

#[tokio::test]
async fn session_supports_servers_without_sessions_and_older_versions() {
    let server = FakeMcp::start().await;
    *server.state.stateless.lock() = true;
    assert_eq!(call(&open(&server).await, "echo", json!({"text": "hi"})).await.unwrap(), "hi");
    let older = FakeMcp::start().await;
    *older.state.versions.lock() = vec!["2025-03-26".into()];
    assert_eq!(call(&open(&older).await, "echo", json!({"text": "hi"})).await.unwrap(), "hi");
    older.no_complaints();
}

#[tokio::test]
async fn session_supports_servers_of_only_the_latest_version() {
    let server = FakeMcp::start().await;
    *server.state.modern.lock() = true;
    let session = open(&server).await;
    assert_eq!(session.tools().await.unwrap().len(), 12);
    assert_eq!(call(&session, "add", json!({"a": 1, "b": 1})).await.unwrap(), json!({"sum": 2.0}));
    assert_eq!((server.count("initialize"), server.count("server/discover")), (1, 1));
    // In this protocol version, closing the connection cancels a call.
    tokio::select! {
        _ = call(&session, "stuck", json!({})) => unreachable!("it never answers"),
        () = server.called("stuck", 1) => {}
    }
    server.until("a closed answer", || server.open_answers() == 0).await;
    server.no_complaints();
}

#[tokio::test]
async fn session_is_reopened_once_after_it_was_lost() {
    let server = FakeMcp::start().await;
    let session = open(&server).await;
    call(&session, "echo", json!({"text": "a"})).await.unwrap();
    server.forget();
    assert_eq!(call(&session, "echo", json!({"text": "b"})).await.unwrap(), "b");
    assert_eq!(server.count("initialize"), 2);
    server.no_complaints();
}

#[tokio::test]
async fn session_renews_the_token_once_and_then_requires_a_login() {
    let server = FakeMcp::start().await;
    *server.state.tokens.lock() = vec!["good-token-1".into()];
    let login = Login::new(Some("old-token-0"), &["good-token-1"]);
    let session = McpSession::open(&web(), &server.url(), login.clone(), limits()).await.unwrap();
    assert_eq!(call(&session, "echo", json!({"text": "in"})).await.unwrap(), "in");
    let (stale, challenge) = login.renewals.lock()[0].clone();
    assert_eq!(stale.as_deref(), Some("old-token-0"));
    assert!(challenge.unwrap().contains("resource_metadata="), "the challenge is passed on");
    assert_eq!(login.renewals.lock().len(), 1, "the new token is used from then on");

    // The result does not contain the token, even if the server echoes it.
    let said = call(&session, "token", json!({})).await.unwrap();
    assert_eq!(said, "Bearer [secret]");

    // The token expires during a session and is renewed without an error.
    *server.state.tokens.lock() = vec!["good-token-2".into()];
    login.next.lock().push("good-token-2".into());
    assert_eq!(call(&session, "echo", json!({"text": "still"})).await.unwrap(), "still");

    // If renewal fails, the call reports that a login is required and that nothing was sent.
    *server.state.tokens.lock() = vec!["good-token-3".into()];
    let why = call(&session, "echo", json!({"text": "out"})).await.unwrap_err();
    assert_eq!((why.kind, why.unsent), (McpErrorKind::LoginRequired, true), "{why:?}");
    let why = McpSession::open(&web(), &server.url(), Login::new(None, &[]), limits()).await.unwrap_err();
    assert_eq!(why.kind, McpErrorKind::LoginRequired, "{why:?}");
    assert!(!format!("{why:?}").contains("good-token"));
}

#[tokio::test]
async fn tools_reads_all_pages() {
    let server = FakeMcp::start().await;
    *server.state.page.lock() = 3;
    assert_eq!(open(&server).await.tools().await.unwrap().len(), 12);
    *server.state.endless.lock() = true;
    let tools = open(&server).await.tools().await.unwrap();
    assert!(tools.len() <= 20, "{}", tools.len());
    *server.state.endless.lock() = false;
    *server.state.page.lock() = 0;
    let many = (0..500).map(|n| json!({"name": format!("t{n}"), "inputSchema": {"type": "object"}}));
    *server.state.tools.lock() = Some(many.collect());
    assert_eq!(open(&server).await.tools().await.unwrap().len(), 200);
}

#[tokio::test]
async fn tools_skips_invalid_tools() {
    let server = FakeMcp::start().await;
    let tools = json!([{"name": "good", "inputSchema": {"type": "object"}}, {"name": 7}, {"inputSchema": {}},
        {"name": "good", "inputSchema": {"type": "object"}}, {"name": "two words", "inputSchema": {}}]);
    *server.state.tools.lock() = tools.as_array().cloned();
    let tools = open(&server).await.tools().await.unwrap();
    assert_eq!(tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["good"]);
}

#[tokio::test]
async fn open_reports_why_a_server_is_unreachable() {
    let unused = tokio::net::TcpSocket::new_v4().unwrap();
    unused.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let address = format!("http://{}/mcp", unused.local_addr().unwrap());
    let why = McpSession::open(&web(), &address, Arc::new(Anonymous), limits()).await.unwrap_err();
    assert_eq!((why.kind, why.unsent), (McpErrorKind::Unreachable, true), "{why:?}");

    let server = FakeMcp::start().await;
    let guarded = WebClient::new(&WebConfig::default()).unwrap();
    let why = McpSession::open(&guarded, &server.url(), Arc::new(Anonymous), limits()).await.unwrap_err();
    assert_eq!(why.kind, McpErrorKind::Refused, "{why:?}");
    assert!(server.seen().is_empty());

    for (status, body) in [(500, ""), (200, "{}"), (200, "<html>"), (404, "nothing here"), (403, "")] {
        server.state.instead.lock().insert("initialize".into(), (status, body.to_owned()));
        let why = open_with(&server, limits()).await.unwrap_err();
        assert!(matches!(why.kind, McpErrorKind::Unreachable | McpErrorKind::Protocol), "{status}: {why:?}");
    }
}
