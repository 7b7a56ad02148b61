//! Web pages in knowledge bases.

use super::scene::{private, shown};
use crate::harness::counting_server::{CountingServer, Reply};
use crate::harness::{Client, TestServer, text};
use serde_json::{Value, json};

fn page(words: &str) -> Reply {
    Reply::body(
        "text/html; charset=utf-8",
        format!("<html><head><title>Tides</title></head><body><h1>Tides</h1><p>{words}</p></body></html>"),
    )
}

/// Adds a link, waits for its ingest, and returns the status and the body of the response.
async fn add(client: &Client, base: &str, url: &str) -> (u16, Value) {
    let path = format!("/api/knowledge-bases/{base}/links?wait=true");
    let answer = client.post(&path, json!({"url": url})).await;
    (answer.status, answer.json())
}

async fn words(client: &Client, base: &str, link: &Value) -> String {
    let path = format!("/api/knowledge-bases/{base}/documents/{}/text", text(&link["id"]));
    client.get(&path).await.ok()["pages"].to_string()
}

#[tokio::test]
async fn link_is_fetched_and_fetched_again() {
    let (server, web) = (TestServer::start().await, CountingServer::start().await);
    let editor = server.editor();
    let id = private(&editor).await;
    web.always("/robots.txt", Reply::status(404));
    let url = web.url("/tides");
    web.script("/tides", [page("The moon pulls the sea.").header("etag", "\"one\"")]);
    let (status, first) = add(&editor, &id, &format!("{url}#part")).await;
    assert_eq!((status, &first["status"], &first["url"]), (201, &json!("ready"), &json!(url)), "{first}");
    assert!(words(&editor, &id, &first).await.contains("The moon pulls the sea."));
    // Unchanged.
    web.script("/tides", [Reply::status(304)]);
    let (status, same) = add(&editor, &id, &url).await;
    assert_eq!((status, &same["id"], &same["status"]), (200, &first["id"], &json!("ready")), "{same}");
    assert_eq!(web.seen_at("/tides")[1].headers["if-none-match"], "\"one\"");
    assert!(words(&editor, &id, &first).await.contains("The moon pulls the sea."));
    // A different page at the same address.
    web.script("/tides", [page("The sun helps a little.").header("etag", "\"two\"")]);
    let (_, changed) = add(&editor, &id, &url).await;
    assert_eq!((&changed["id"], &changed["status"]), (&first["id"], &json!("ready")), "{changed}");
    let now = words(&editor, &id, &first).await;
    assert!(now.contains("The sun helps") && !now.contains("The moon pulls"), "{now}");
    assert_eq!((web.count("/tides"), web.count("/robots.txt")), (3, 1));
    assert_eq!(shown(&editor, &id).await["counts"]["documents"], 1);
    let path = format!("/api/knowledge-bases/{id}/links/{}", text(&first["id"]));
    editor.delete(&path.replace("/links/", "/files/")).await.not_found();
    editor.delete(&path).await.no_content();
    editor.delete(&path).await.not_found();
}

#[tokio::test]
async fn link_that_fails_later_keeps_its_text() {
    let (server, web) = (TestServer::start().await, CountingServer::start().await);
    let editor = server.editor();
    let id = private(&editor).await;
    web.always("/robots.txt", Reply::status(404));
    web.script("/tides", [page("The moon pulls the sea."), Reply::status(500)]);
    let (_, first) = add(&editor, &id, &web.url("/tides")).await;
    assert_eq!(first["status"], "ready");
    let (_, later) = add(&editor, &id, &web.url("/tides")).await;
    assert_eq!(
        (&later["status"], &later["error"]["code"]),
        (&json!("ready"), &json!("link_status")),
        "{later}"
    );
    assert!(words(&editor, &id, &first).await.contains("The moon pulls the sea."));
}

#[tokio::test]
async fn link_that_cannot_be_fetched_reports_the_reason() {
    let (server, web) = (TestServer::start().await, CountingServer::start().await);
    let editor = server.editor();
    let id = private(&editor).await;
    web.always("/robots.txt", Reply::body("text/plain", "User-agent: *\nDisallow: /closed\n"));
    web.always("/gone", Reply::status(404));
    web.always("/picture", Reply::body("image/png", "x"));
    web.always("/round", Reply::redirect(302, "/round"));
    for (path, code) in [
        ("/closed", "link_refused_by_robots"),
        ("/gone", "link_status"),
        ("/picture", "link_type"),
        ("/round", "link_unreachable"),
    ] {
        let (status, link) = add(&editor, &id, &web.url(path)).await;
        assert_eq!(
            (status, &link["status"], &link["error"]["code"]),
            (201, &json!("failed"), &json!(code)),
            "{link}"
        );
        assert!(!text(&link["error"]["message"]).is_empty());
    }
    assert_eq!(web.count("/closed"), 0);
}

#[tokio::test]
async fn link_to_a_private_address_is_not_fetched() {
    let (server, web) =
        (TestServer::start_with(|config| config.web.allow.clear()).await, CountingServer::start().await);
    let editor = server.editor();
    let id = private(&editor).await;
    for url in [
        web.url("/x"),
        web.url("/x").replace("127.0.0.1", "localhost"),
        "http://169.254.169.254/latest".into(),
    ] {
        let (_, link) = add(&editor, &id, &url).await;
        assert_eq!(
            (&link["status"], &link["error"]["code"]),
            (&json!("failed"), &json!("link_private")),
            "{link}"
        );
    }
    assert_eq!(web.seen().len(), 0);
}

#[tokio::test]
async fn link_to_a_page_that_is_too_large_fails() {
    let (server, web) =
        (TestServer::start_with(|config| config.knowledge.link_mib = 1).await, CountingServer::start().await);
    let editor = server.editor();
    let id = private(&editor).await;
    web.always("/robots.txt", Reply::status(404));
    web.always("/large", Reply::body("text/plain", "words ".repeat(200_000)));
    let (_, link) = add(&editor, &id, &web.url("/large")).await;
    assert_eq!(
        (&link["status"], &link["error"]["code"]),
        (&json!("failed"), &json!("link_too_large")),
        "{link}"
    );
}

#[tokio::test]
async fn link_with_an_invalid_address_reports_faults() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let id = private(&editor).await;
    let path = format!("/api/knowledge-bases/{id}/links");
    let long = format!("https://example.org/{}", "a".repeat(2_000));
    for url in [
        "",
        "example.org",
        "ftp://example.org",
        "file:///etc/passwd",
        "https://me:secret@example.org/",
        &long,
    ] {
        assert_eq!(editor.post(&path, json!({"url": url})).await.faults(), ["body.url"], "{url}");
    }
    assert_eq!(editor.post(&path, json!({"title": ""})).await.faults(), ["body.title", "body.url"]);
    assert_eq!(shown(&editor, &id).await["counts"]["documents"], 0);
}
