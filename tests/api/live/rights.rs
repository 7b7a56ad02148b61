//! A connection reaches what its client could reach directly, for as long as the client could.

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::client::{Live, PATH, ended_stream, home_of, live_stream, server};
use crate::api::people::company::join;
use crate::api::projects::scene::{inside, shared};
use crate::api::streams::reading::{address, ask_words};
use crate::api::streams::socket::Socket;
use crate::harness::{Client, TestServer, hidden, text};

/// Subscribes to a path, and returns the code of the problem.
async fn refused(client: &Client, path: &str) -> Value {
    let mut live = Live::open(client).await;
    live.subscribe("a", path).await;
    let ended = live.message().await;
    assert_eq!(ended["type"], "ended", "{ended}");
    ended["problem"]["code"].clone()
}

#[tokio::test]
async fn subscription_has_the_rules_of_its_operation() {
    let server = server().await;
    let user = server.user();
    let path = ended_stream(&user, 3).await;
    for (client, code) in [
        (server.stranger(), "not_found"),
        (server.admin(), "not_found"),
        (server.editor(), "not_found"),
        (server.token(&["notifications:read"]).await, "scope_missing"),
    ] {
        assert_eq!(refused(&client, &path).await, code);
        assert_eq!(refused(&client, home_of(&path)).await, code);
    }
    assert_eq!(
        refused(&server.token(&["conversations:read"]).await, "/api/notifications").await,
        "scope_missing"
    );
    server.admin().put("/api/tenant-admin/features/conversations/visibility", hidden()).await.ok();
    assert_eq!(refused(&user, &path).await, "feature_disabled");
    server.anonymous().get(PATH).await.problem(401, "credentials_missing");
    server.token(&[]).await.get(PATH).await.problem(403, "scope_missing");
}

#[tokio::test]
async fn expired_stream_is_reported() {
    let server = TestServer::start_with(|config| config.runs.stream_ttl_hours = 0.0).await;
    let user = server.user();
    let home = crate::api::streams::reading::conversation(&user).await;
    let stream = ask_words(&user, &home, 3, 0).await;
    let path = address(&home, &stream.id);
    stream.rest().await;
    crate::harness::until("the stream has expired", async || user.get(&path).await.status == 410).await;
    assert_eq!(refused(&user, &path).await, "stream_expired");
}

#[tokio::test]
async fn cancel_needs_the_right_to_cancel() {
    let server = server().await;
    let project = shared(&server, "editor").await;
    let home = inside(&server.user(), &project).await;
    let path = address(&home, &ask_words(&server.user(), &home, 5000, 5).await.id);
    let cancel = json!({"op": "cancel", "id": "a"});
    let mut live = Live::open(&server.editor()).await;
    live.subscribe("a", &path).await;
    live.event("a", "text.delta").await;
    assert_eq!(live.refused(cancel.clone()).await["code"], "not_allowed");
    let token = json!({"name": "t", "scopes": ["conversations:read"]});
    let token = server.user().post("/api/auth/api-tokens", token).await.created();
    let mut live = Live::open(&server.client(&text(&token["token"]))).await;
    live.subscribe("a", &path).await;
    live.event("a", "text.delta").await;
    assert_eq!(live.refused(cancel).await["code"], "scope_missing");
    server.user().delete(&path).await.ok();
}

#[tokio::test]
async fn withdrawn_right_ends_the_subscriptions_that_need_it() {
    let server = server().await;
    let (user, editor) = (server.user(), server.editor());
    let project = shared(&server, "viewer").await;
    let home = inside(&user, &project).await;
    let path = address(&home, &ask_words(&user, &home, 20_000, 5).await.id);
    let own = live_stream(&editor, 20_000, 5).await;
    let mut live = Live::open(&editor).await;
    live.subscribe("theirs", &path).await;
    live.event("theirs", "text.delta").await;
    live.subscribe("feed", home_of(&path)).await;
    live.event("feed", "feed.opened").await;
    live.subscribe("own", &own).await;
    live.event("own", "text.delta").await;
    let member = &server.editor_person().id;
    user.delete(&format!("{project}/members/{member}")).await.ok();
    let mut withdrawn = Vec::new();
    while withdrawn.len() < 2 {
        let message = live.message().await;
        if message["type"] == "ended" {
            assert_eq!(message["problem"]["code"], "not_found", "{message}");
            withdrawn.push(text(&message["id"]));
        }
    }
    withdrawn.sort();
    assert_eq!(withdrawn, ["feed", "theirs"]);
    live.event("own", "text.delta").await;
    editor.delete(&own).await.ok();
    live.until("ended", "own").await;
    user.delete(&path).await.ok();
}

#[tokio::test]
async fn end_of_the_session_closes_the_connection() {
    let server = server().await;
    let (client, _) = join(&server, "ada").await;
    let path = live_stream(&client, 20_000, 5).await;
    let mut live = Live::open(&client).await;
    live.subscribe("a", &path).await;
    live.event("a", "text.delta").await;
    let idle = Live::open(&client).await;
    client.post("/api/auth/logout/", json!({"all": true})).await.no_content();
    assert_eq!(live.closed().await, 1008);
    assert_eq!(idle.closed().await, 1008);
}

#[tokio::test]
async fn revoked_token_closes_the_connection() {
    let server = server().await;
    let user = server.user();
    let made =
        user.post("/api/auth/api-tokens", json!({"name": "t", "scopes": ["notifications:read"]})).await;
    let made = made.created();
    let mut live = Live::open(&server.client(&text(&made["token"]))).await;
    live.subscribe("n", "/api/notifications").await;
    live.event("n", "unread_count").await;
    user.post(&format!("/api/auth/api-tokens/{}/revoke/", text(&made["id"])), json!({})).await.ok();
    assert_eq!(live.closed().await, 1008);
}

/// Sends a handshake with the cookie of a login from a page of this origin. Returns the status line.
async fn handshake(server: &TestServer, origin: Option<&str>) -> String {
    let host = server.addr().to_string();
    let mut stream = TcpStream::connect(&host).await.expect("connected");
    let token = &server.user_person().access_token;
    let origin = origin.map_or(String::new(), |origin| format!("origin: {origin}\r\n"));
    let head = format!(
        "GET {PATH} HTTP/1.1\r\nhost: {host}\r\n{origin}cookie: understudy_access={token}\r\nconnection: Upgrade\r\n\
         upgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.expect("sent");
    let mut read = Vec::new();
    while !read.contains(&b'\n') {
        assert!(stream.read_buf(&mut read).await.expect("an answer") > 0);
    }
    String::from_utf8_lossy(&read).lines().next().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn handshake_with_a_cookie_needs_the_origin_of_the_server() {
    let server = server().await;
    assert!(handshake(&server, Some(&server.url())).await.contains(" 101 "));
    for origin in [None, Some("https://evil.example"), Some("null")] {
        let status = handshake(&server, origin).await;
        assert!(status.contains(" 403 "), "{origin:?}: {status}");
    }
}

#[tokio::test]
async fn requests_of_a_connection_count_against_the_rate_limit() {
    let server = TestServer::start_with(|config| {
        config.limits.credential_per_second = 1;
        config.limits.credential_burst = 8;
    })
    .await;
    let user = server.user();
    let mut live = Live { socket: Socket::open(&user, PATH).await };
    for at in 0..20 {
        live.subscribe(&format!("s{at}"), "/api/notifications").await;
    }
    let limited = loop {
        let message = live.message().await;
        if message["type"] == "ended" {
            break message;
        }
    };
    assert_eq!(limited["problem"]["code"], "rate_limited");
}
