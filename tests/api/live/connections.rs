//! The limit on the connections of a user.

use futures::future::join_all;
use reqwest::{Method, Response};
use serde_json::{Value, json};

use super::client::{Live, PATH};
use crate::api::streams::reading::unlimited;
use crate::harness::{Answer, Client, TestServer, text, until};

/// The number of connections that a user can have.
const LIMIT: usize = 3;
/// The number of concurrent requests.
const AT_ONCE: usize = 12;

async fn server() -> TestServer {
    TestServer::start_with(|config| {
        unlimited(config);
        config.limits.live_connections = LIMIT;
    })
    .await
}

/// Opens an event stream, or a WebSocket. A connection stays open as long as its response exists.
async fn open(client: &Client, is_socket: bool) -> Response {
    let request = match is_socket {
        false => client.request(Method::GET, &format!("{PATH}?sub=n,/api/notifications")),
        true => [
            ("connection", "Upgrade"),
            ("upgrade", "websocket"),
            ("sec-websocket-version", "13"),
            ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ]
        .into_iter()
        .fold(client.request(Method::GET, PATH), |request, (name, value)| request.header(name, value)),
    };
    request.send().await.expect("a response")
}

fn is_open(response: &Response) -> bool {
    matches!(response.status().as_u16(), 101 | 200)
}

/// Opens connections until the user has this many.
async fn fill(client: &Client, count: usize) -> Vec<Response> {
    let mut open_ones: Vec<Response> = Vec::new();
    until("the places are free", async || {
        open_ones.push(open(client, open_ones.len().is_multiple_of(2)).await);
        open_ones.retain(is_open);
        open_ones.len() == count
    })
    .await;
    open_ones
}

async fn refused(client: &Client, is_socket: bool) -> Value {
    Answer::read(open(client, is_socket).await).await.problem(409, "limit_reached")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn limit_on_connections_per_user_holds_under_concurrency() {
    let server = server().await;
    let admin = server.admin();
    // The limit is that of the user, whatever the credential.
    let token = server.token(&["conversations:read", "notifications:read"]).await;
    let opened = (0..AT_ONCE).map(|n| open(&admin, n % 2 == 0));
    let (opened, refused_ones): (Vec<_>, Vec<_>) = join_all(opened).await.into_iter().partition(is_open);
    assert_eq!(opened.len(), LIMIT);
    for response in refused_ones {
        let problem = Answer::read(response).await.problem(409, "limit_reached");
        let members = ["limit_of", "unit", "limit", "current", "added", "setting"].map(|name| &problem[name]);
        let want = json!(["user", "live connections", LIMIT, LIMIT, 1, "limits.live_connections"]);
        assert_eq!(json!(members), want, "{problem}");
    }
    refused(&token, true).await;
    // Other users have places of their own.
    fill(&server.editor(), LIMIT).await;
}

#[tokio::test]
async fn connection_that_ends_frees_its_place() {
    let server = server().await;
    let user = server.user();
    // A client that closes the connection, one whose connection breaks, and requests that did not become connections.
    let mut live = Live::open(&user).await;
    let others = fill(&user, LIMIT - 1).await;
    refused(&user, true).await;
    live.socket.send(8, &1000u16.to_be_bytes()).await;
    assert_eq!(live.closed().await, 1000);
    let third = fill(&user, 1).await;
    refused(&user, false).await;
    drop((others, third));
    for query in ["", "?sub=n,/api/unknown", "?sub=n"] {
        for _ in 0..=LIMIT {
            let status = user.get(&format!("{PATH}{query}")).await.status;
            assert!([404, 409, 422].contains(&status), "{query}: {status}");
        }
    }
    fill(&user, LIMIT).await;
}

#[tokio::test]
async fn connection_whose_session_ends_frees_its_place() {
    let server = server().await;
    let admin = server.admin();
    let body = json!({"name": "test", "scopes": ["notifications:read"]});
    let token = admin.post("/api/auth/api-tokens", body).await.created();
    let _open = fill(&server.client(&text(&token["token"])), LIMIT).await;
    refused(&admin, true).await;
    let revoke = format!("/api/auth/api-tokens/{}/revoke/", text(&token["id"]));
    assert!(admin.post(&revoke, json!({})).await.status < 300);
    fill(&admin, LIMIT).await;
}

#[tokio::test]
async fn connections_of_an_impersonated_session_count_for_the_administrator() {
    let server = server().await;
    let whom = json!({"user_id": server.user_person().id, "reason": "ticket 5"});
    let session = server.admin().post("/api/auth/impersonate", whom).await.created();
    let impersonated = server.client(&text(&session["access_token"]));
    // Without subscriptions: an impersonated session may not read notifications.
    let mut sockets = Vec::new();
    for _ in 0..LIMIT {
        sockets.push(Live::open(&impersonated).await);
    }
    refused(&server.admin(), true).await;
    fill(&server.user(), LIMIT).await;
}
