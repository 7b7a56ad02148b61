//! Tests of responses.

use std::time::Duration;

use bytes::Bytes;
use providers::web::{WebErrorKind, WebRequest};
use serde_json::json;

use super::counting_server::{CountingServer, Reply};
use super::{client, get, kind};

#[tokio::test]
async fn send_transmits_the_request_unchanged() {
    let server = CountingServer::start().await;
    let request = WebRequest {
        query: vec![("q".into(), "a b&c".into()), ("q".into(), "ü".into())],
        headers: vec![("X-One".into(), "1".into()), ("content-type".into(), "application/json".into())],
        body: Some(Bytes::from_static(b"{\"a\":1}")),
        ..WebRequest::new("post", server.url("/x?p=1#part"))
    };
    let answer = client().send(request).await.unwrap();
    assert_eq!((answer.status, answer.media_type().as_str()), (200, "application/json"));
    let seen = server.seen_at("/x").remove(0);
    assert_eq!((seen.method.as_str(), seen.query.as_str()), ("POST", "p=1&q=a+b%26c&q=%C3%BC"));
    assert_eq!((seen.headers["x-one"].as_str(), seen.json()), ("1", json!({"a": 1})));
    assert_eq!(seen.headers["accept-encoding"], "identity");
}

#[tokio::test]
async fn send_returns_error_statuses() {
    let server = CountingServer::start().await;
    server.script("/x", [Reply::status(503).header("retry-after", "7")]);
    let answer = get(&client(), &server.url("/x")).await.unwrap();
    assert_eq!((answer.status, answer.retry_after()), (503, Some(Duration::from_secs(7))));
}

#[tokio::test]
async fn send_enforces_the_size_limit() {
    let server = CountingServer::start().await;
    server.always("/large", Reply::body("text/plain", "x".repeat(100_000)));
    let asked = |max_bytes| WebRequest { max_bytes, ..WebRequest::new("GET", server.url("/large")) };
    assert_eq!(client().send(asked(100_000)).await.unwrap().body.len(), 100_000);
    let error = client().send(asked(99_999)).await.unwrap_err();
    assert_eq!(error.kind, WebErrorKind::TooLarge);
    // Chunked: the size is not known in advance.
    let chunk = "3e8\r\n".to_owned() + &"y".repeat(1_000) + "\r\n";
    let chunked = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", chunked.local_addr().unwrap());
    let endless = tokio::spawn(async move {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let (mut socket, _) = chunked.accept().await.unwrap();
        let _ = socket.read(&mut [0; 1_000]).await;
        let _ = socket.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n").await;
        while socket.write_all(chunk.as_bytes()).await.is_ok() {}
    });
    let asked = WebRequest { max_bytes: 50_000, ..WebRequest::new("GET", url) };
    assert_eq!(client().send(asked).await.unwrap_err().kind, WebErrorKind::TooLarge);
    tokio::time::timeout(Duration::from_secs(60), endless).await.expect("the connection is closed").unwrap();
}

#[tokio::test]
async fn send_does_not_decompress_responses() {
    let server = CountingServer::start().await;
    server
        .script("/x", [Reply::body("text/plain", vec![0x1f, 0x8b, 8, 0]).header("content-encoding", "gzip")]);
    assert_eq!(&get(&client(), &server.url("/x")).await.unwrap().body[..], [0x1f, 0x8b, 8, 0]);
}

#[tokio::test]
async fn send_times_out_when_a_response_stalls() {
    let server = CountingServer::start().await;
    server.script("/x", [Reply::half("half of this never comes")]);
    let request =
        WebRequest { timeout: Duration::from_millis(300), ..WebRequest::new("GET", server.url("/x")) };
    assert_eq!(client().send(request).await.unwrap_err().kind, WebErrorKind::Timeout);
    server.idle().await;
}

#[tokio::test]
async fn send_closes_the_connection_when_dropped() {
    let server = CountingServer::start().await;
    server.always("/x", Reply::hang());
    let (client, url) = (client(), server.url("/x"));
    let asked = tokio::spawn(async move { get(&client, &url).await });
    server.wait_for("/x", 1).await;
    assert_eq!((server.open(), server.busy()), (1, 1));
    asked.abort();
    server.idle().await;
    assert_eq!(server.busy(), 0);
}

#[tokio::test]
async fn send_does_not_reuse_connections() {
    let server = CountingServer::start().await;
    let client = client();
    for _ in 0..3 {
        get(&client, &server.url("/x")).await.unwrap();
        server.idle().await;
    }
}

#[tokio::test]
async fn send_follows_redirects_according_to_their_status() {
    let server = CountingServer::start().await;
    for (status, method, after, keeps_body) in [
        (301, "POST", "GET", false),
        (302, "POST", "GET", false),
        (303, "PUT", "GET", false),
        (302, "PUT", "PUT", true),
        (307, "POST", "POST", true),
        (308, "DELETE", "DELETE", true),
        (302, "HEAD", "HEAD", true),
    ] {
        let (from, to) = (format!("/{status}-{method}"), format!("/to-{status}-{method}"));
        server.script(&from, [Reply::redirect(status, &to)]);
        let body = (method != "HEAD").then(|| Bytes::from_static(b"body"));
        let request = WebRequest { body: body.clone(), ..WebRequest::new(method, server.url(&from)) };
        let answer = client().send(request).await.unwrap();
        assert_eq!(answer.final_url, server.url(&to));
        let seen = server.seen_at(&to).remove(0);
        let expected: &[u8] = if keeps_body { body.as_deref().unwrap_or_default() } else { b"" };
        assert_eq!((seen.method.as_str(), &seen.body[..]), (after, expected), "{status} {method}");
    }
    server.script("/300", [Reply::redirect(300, "/elsewhere")]);
    assert_eq!(get(&client(), &server.url("/300")).await.unwrap().status, 300);
    server.script("/bad", [Reply::redirect(302, "http://[")]);
    assert_eq!(kind(&client(), &server.url("/bad")).await, WebErrorKind::Redirects);
}
