//! Tests of nodes that send requests.

use std::time::Duration;

use providers::web::WebConfig;
use serde_json::{Value, json};
use workflow::graph::{HttpConfig, NodeKind};
use workflow::nodes::attempt;

use super::counting_server::{CountingServer, Reply};
use super::{Stage, node};

fn http(config: Value) -> NodeKind {
    NodeKind::Http(serde_json::from_value::<HttpConfig>(config).unwrap())
}

#[tokio::test]
async fn http_builds_the_request_from_the_inputs() {
    let (stage, server) = (Stage::local(), CountingServer::start().await);
    let inputs = json!({"url": server.url("/x?a=1"), "query": {"b": [1, 2], "c": null, "d": "e f"},
        "headers": {"X-N": 5}, "body": {"deep": [true]}});
    let done = stage.done(http(json!({"method": "POST"})), inputs).await;
    assert_eq!(done.outputs["status"], 200);
    assert_eq!(done.outputs["body"], json!({"path": "/x", "key": "key-1", "count": 1}));
    assert_eq!(done.outputs["headers"]["content-type"], "application/json");
    let seen = server.seen().remove(0);
    assert_eq!((seen.method.as_str(), seen.query.as_str()), ("POST", "a=1&b=1&b=2&d=e+f"));
    assert_eq!(
        (seen.headers["x-n"].as_str(), seen.key(), seen.json()),
        ("5", Some("key-1"), json!({"deep": [true]}))
    );
    assert_eq!(seen.headers["content-type"], "application/json");
    let inputs = json!({"url": server.url("/text"), "body": "plain", "headers": {"Idempotency-Key": "mine"}});
    stage.done(http(json!({"method": "PUT"})), inputs).await;
    let seen = server.seen_at("/text").remove(0);
    assert_eq!(
        (seen.headers["content-type"].as_str(), seen.key()),
        ("text/plain; charset=utf-8", Some("mine"))
    );
}

#[tokio::test]
async fn http_reads_bodies_by_their_type() {
    let (stage, server) = (Stage::local(), CountingServer::start().await);
    for (reply, body) in [
        (Reply::body("application/problem+json; charset=utf-8", "[1]"), json!([1])),
        (Reply::body("application/json", "{oh"), json!("{oh")),
        (Reply::body("text/html", "<p>"), json!("<p>")),
        (Reply::body("text/plain", vec![b'a', 0xff]), json!("a\u{fffd}")),
        (Reply::body("image/png", vec![0xff, 0xfe]), json!("//4=")),
        (Reply::body("text/plain", ""), json!(null)),
    ] {
        server.script("/x", [reply]);
        assert_eq!(stage.done(http(json!({})), json!({"url": server.url("/x")})).await.outputs["body"], body);
    }
}

#[tokio::test]
async fn http_fails_for_statuses_from_400_unless_accepted() {
    let (stage, server) = (Stage::local(), CountingServer::start().await);
    let busy = || Reply::status(429).header("retry-after", "2");
    server.script("/x", [busy(), busy()]);
    let inputs = json!({"url": server.url("/x")});
    let error = stage.fails(http(json!({})), inputs.clone()).await;
    assert_eq!((error.code.as_str(), error.status), ("http_status", Some(429)));
    assert_eq!((error.retry_after, error.unsent), (Some(Duration::from_secs(2)), false));
    assert_eq!(error.message, "the server answered 429: {\"status\":429}");
    let done = stage.done(http(json!({"accept_status": [429]})), inputs).await;
    assert_eq!(done.outputs["status"], 429);
}

#[tokio::test]
async fn http_failures_report_whether_the_request_was_sent() {
    let (stage, server) = (Stage::local(), CountingServer::start().await);
    server.always("/gone", Reply::hang_up());
    server.always("/large", Reply::body("text/plain", "x".repeat(2_000)));
    let closed = {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        format!("http://{}/", listener.local_addr().unwrap())
    };
    for (url, code, unsent) in [
        (closed, "http_connect", true),
        ("http://10.0.0.1/".to_owned(), "http_refused_address", true),
        ("nonsense".to_owned(), "invalid_input", true),
        (server.url("/gone"), "http_protocol", false),
        (server.url("/large"), "http_too_large", false),
    ] {
        let error = stage.fails(http(json!({"max_bytes": 1_000})), json!({"url": url})).await;
        let code =
            if url.contains("localhost") && error.code != code { "http_refused_address" } else { code };
        assert_eq!((error.code.as_str(), error.unsent), (code, unsent), "{url}: {error}");
    }
}

#[tokio::test]
async fn http_leaves_no_connection_after_cancellation_or_timeout() {
    let (stage, server) = (Stage::local(), CountingServer::start().await);
    server.always("/slow", Reply::hang());
    let inputs = json!({"url": server.url("/slow")});
    let mut hurried = node(http(json!({})));
    hurried.policy.timeout_ms = 100;
    let error = attempt(&hurried, stage.task(inputs.clone()).0).await.unwrap_err();
    assert_eq!((error.code.as_str(), error.unsent), ("timeout", false));
    server.idle().await;
    let (task, _heard) = stage.task(inputs);
    let running = tokio::spawn(async move { attempt(&node(http(json!({}))), task).await });
    server.wait_for("/slow", 2).await;
    stage.cancel.cancel();
    assert_eq!(running.await.unwrap().unwrap_err().code, "cancelled");
    server.idle().await;
}

#[tokio::test]
async fn http_sends_secrets_and_redacts_them() {
    let server = CountingServer::start().await;
    let secret = json!({"value": "very-secret-0123", "hosts": [server.url("")], "tenants": ["*"]});
    let web: WebConfig =
        serde_json::from_value(json!({"allow": ["127.0.0.1"], "secrets": {"partner": secret}})).unwrap();
    let stage = Stage::with(web);
    server.script("/x", [Reply::body("text/plain", "no very-secret-0123")]);
    let with = || http(json!({"secret_headers": {"X-Key": "partner"}}));
    let done = stage.done(with(), json!({"url": server.url("/x")})).await;
    assert_eq!(server.seen()[0].headers["x-key"], "very-secret-0123");
    assert_eq!(done.outputs["body"], "no [secret]");
    let error = stage.fails(with(), json!({"url": server.url("/x").replace("127.0.0.1", "127.0.0.2")})).await;
    assert_eq!((error.code.as_str(), error.unsent), ("http_secret", true));
}
