//! Tests of `robots.txt` rules.

use providers::web::{WebAnswer, WebClient, WebError, WebErrorKind, WebRequest};

use super::client;
use super::counting_server::{CountingServer, Reply};

async fn crawl(client: &WebClient, url: &str) -> Result<WebAnswer, WebError> {
    client.send(WebRequest { crawls: true, ..WebRequest::new("GET", url) }).await
}

fn file(text: &str) -> Reply {
    Reply::body("text/plain", text)
}

#[tokio::test]
async fn robots_disallowed_pages_are_not_requested() {
    let (server, client) = (CountingServer::start().await, client());
    server.always("/robots.txt", file("User-agent: Understudy\nDisallow: /private\n"));
    let error = crawl(&client, &server.url("/private/x")).await.unwrap_err();
    assert_eq!((error.kind, error.unsent), (WebErrorKind::Robots, true), "{error}");
    assert!(error.message.contains("robots.txt"), "{error}");
    assert_eq!(crawl(&client, &server.url("/open")).await.unwrap().status, 200);
    assert_eq!((server.count("/private/x"), server.count("/open")), (0, 1));
    // A request outside a crawl is not bound by robots.txt.
    assert_eq!(super::get(&client, &server.url("/private/x")).await.unwrap().status, 200);
}

#[tokio::test]
async fn robots_file_is_fetched_once_for_concurrent_requests() {
    let (server, client) = (CountingServer::start().await, client());
    server.always("/robots.txt", file("User-agent: *\nDisallow: /no\n"));
    let urls: Vec<_> = (0..20).map(|number| server.url(&format!("/page{number}"))).collect();
    let answers = futures::future::join_all(urls.iter().map(|url| crawl(&client, url))).await;
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    assert_eq!((server.count("/robots.txt"), server.count("/page7")), (1, 1));
}

#[tokio::test]
async fn robots_rules_apply_to_redirect_targets() {
    let (from, to, client) = (CountingServer::start().await, CountingServer::start().await, client());
    from.always("/robots.txt", Reply::status(404));
    from.always("/go", Reply::redirect(302, &to.url("/closed")));
    to.always("/robots.txt", file("User-agent: *\nDisallow: /closed\n"));
    let error = crawl(&client, &from.url("/go")).await.unwrap_err();
    assert_eq!((error.kind, error.unsent), (WebErrorKind::Robots, false), "{error}");
    assert_eq!(to.count("/closed"), 0);
}

#[tokio::test]
async fn robots_file_that_cannot_be_read_disallows_everything() {
    let (server, client) = (CountingServer::start().await, client());
    server.always("/robots.txt", Reply::status(503));
    assert_eq!(crawl(&client, &server.url("/x")).await.unwrap_err().kind, WebErrorKind::Robots);
    assert_eq!(server.count("/x"), 0);
}
