//! Tests of blocked addresses.

use std::time::Duration;

use providers::web::{WebErrorKind, WebRequest};

use super::counting_server::{CountingServer, Reply};
use super::{allowing, client, get, kind};

#[tokio::test]
async fn guard_blocks_this_machine_by_address_and_name() {
    let server = CountingServer::start().await;
    let port = server.url("").rsplit(':').next().unwrap().to_owned();
    let closed = allowing(&[]);
    for host in [
        "127.0.0.1",
        "localhost",
        "LOCALHOST",
        "2130706433",
        "0x7f.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "0.0.0.0",
    ] {
        let error = get(&closed, &format!("http://{host}:{port}/x")).await.unwrap_err();
        assert_eq!(error.kind, WebErrorKind::Refused, "{host}: {error}");
        assert!(error.unsent && error.message.contains("web.allow"), "{host}: {error}");
    }
    assert_eq!((server.seen().len(), server.open()), (0, 0));
}

#[tokio::test]
async fn guard_allows_an_entry_only_at_its_port() {
    let (one, other) = (CountingServer::start().await, CountingServer::start().await);
    let address = |server: &CountingServer| server.url("").trim_start_matches("http://").to_owned();
    let by_name = |server: &CountingServer| server.url("/x").replace("127.0.0.1", "localhost");
    let client = allowing(&[&address(&one), &address(&other).replace("127.0.0.1", "localhost")]);
    assert_eq!(get(&client, &one.url("/x")).await.unwrap().status, 200);
    assert_eq!(get(&client, &by_name(&other)).await.unwrap().status, 200);
    // The name resolves to an address that is allowed at this port.
    assert_eq!(get(&client, &by_name(&one)).await.unwrap().status, 200);
    assert_eq!(kind(&client, &other.url("/x")).await, WebErrorKind::Refused);
    assert_eq!((one.count("/x"), other.count("/x")), (2, 1));
}

#[tokio::test]
async fn guard_applies_to_redirects() {
    let (open, closed) = (CountingServer::start().await, CountingServer::start().await);
    let client = allowing(&[open.url("").trim_start_matches("http://")]);
    for to in [
        closed.url("/secret"),
        closed.url("/secret").replace("127.0.0.1", "localhost"),
        "http://169.254.169.254/".into(),
    ] {
        open.script("/go", [Reply::redirect(302, &to)]);
        let error = get(&client, &open.url("/go")).await.unwrap_err();
        assert_eq!(error.kind, WebErrorKind::Refused, "{to}: {error}");
        assert!(!error.unsent, "the first server had the request");
    }
    for to in ["file:///etc/passwd", "ftp://example.org/"] {
        open.script("/go", [Reply::redirect(302, to)]);
        assert_eq!(kind(&client, &open.url("/go")).await, WebErrorKind::Invalid, "{to}");
    }
    assert_eq!(closed.seen().len(), 0);
}

#[tokio::test]
async fn send_limits_the_number_of_redirects() {
    let server = CountingServer::start().await;
    server.always("/round", Reply::redirect(307, "/round"));
    assert_eq!(kind(&client(), &server.url("/round")).await, WebErrorKind::Redirects);
    assert_eq!(server.count("/round"), 6);
}

#[tokio::test]
async fn send_rejects_invalid_requests_before_sending() {
    let server = CountingServer::start().await;
    let send = async |request: WebRequest| client().send(request).await.unwrap_err();
    let url = server.url("/x");
    let with_header = |name: &str, value: &str| {
        let headers = vec![(name.to_owned(), value.to_owned())];
        WebRequest { headers, ..WebRequest::new("GET", url.as_str()) }
    };
    for request in [
        WebRequest::new("GET", "not an address"),
        WebRequest::new("GET", "/relative"),
        WebRequest::new("CONNECT", url.as_str()),
        WebRequest::new("GE T", url.as_str()),
        with_header("host", "other.example"),
        with_header("Transfer-Encoding", "chunked"),
        with_header("x", "a\r\nb: c"),
        with_header("x y", "a"),
        WebRequest::new("GET", format!("{url}?{}", "x".repeat(20_000))),
    ] {
        let error = send(request).await;
        assert_eq!((error.kind, error.unsent), (WebErrorKind::Invalid, true), "{error}");
    }
    assert_eq!(server.seen().len(), 0);
}

#[tokio::test]
async fn send_reports_connection_failures_as_unsent() {
    let bound = tokio::net::TcpSocket::new_v4().unwrap();
    bound.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let address = bound.local_addr().unwrap();
    let error = get(&client(), &format!("http://{address}/?key=hunter2")).await.unwrap_err();
    assert_eq!((error.kind, error.unsent), (WebErrorKind::Connect, true), "{error}");
    assert!(!error.message.contains("hunter2"), "{error}");
    let error = get(&client(), "http://no-such-host.invalid/").await.unwrap_err();
    assert_eq!((error.kind, error.unsent), (WebErrorKind::Connect, true), "{error}");
}

#[tokio::test]
async fn send_does_not_report_possibly_sent_requests_as_unsent() {
    let server = CountingServer::start().await;
    server.script("/x", [Reply::hang_up(), Reply::hang()]);
    let error = get(&client(), &server.url("/x")).await.unwrap_err();
    assert_eq!((error.kind, error.unsent), (WebErrorKind::Protocol, false), "{error}");
    let patient = WebRequest { timeout: Duration::from_secs(2), ..WebRequest::new("POST", server.url("/x")) };
    let error = client().send(patient).await.unwrap_err();
    assert_eq!((error.kind, error.unsent), (WebErrorKind::Timeout, false), "{error}");
    assert_eq!(server.count("/x"), 2, "nothing is sent again by itself");
    server.idle().await;
}
