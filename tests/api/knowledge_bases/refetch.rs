//! Web pages that are fetched again on a schedule.

use super::scene::private;
use crate::harness::counting_server::{CountingServer, Reply};
use crate::harness::{Client, TestServer, hidden, text};
use serde_json::json;

/// The interval at which pages are fetched: about 0.7 s.
const HOURS: f64 = 0.000_2;

fn page(words: &str) -> Reply {
    let html = format!("<html><head><title>Tides</title></head><body><p>{words}</p></body></html>");
    Reply::body("text/html; charset=utf-8", html)
}

async fn server() -> TestServer {
    TestServer::start_with(|config| config.knowledge.refetch_links_hours = HOURS).await
}

async fn add(client: &Client, base: &str, url: &str) -> String {
    let path = format!("/api/knowledge-bases/{base}/links?wait=true");
    text(&client.post(&path, json!({"url": url})).await.created()["id"])
}

/// Waits until the text contains `words`. The text can be read at all times, even while the page is fetched again.
async fn read(client: &Client, path: &str, words: &str) {
    for _ in 0..1_200 {
        if client.get(path).await.ok().to_string().contains(words) {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("{path} never contains {words:?}");
}

#[tokio::test]
async fn refetch_updates_a_changed_page() {
    let (server, web) = (server().await, CountingServer::start().await);
    let editor = server.editor();
    let id = private(&editor).await;
    web.always("/robots.txt", Reply::status(404));
    web.always("/tides", page("The moon pulls the sea.").header("etag", "\"one\""));
    let link = add(&editor, &id, &web.url("/tides")).await;
    web.always("/tides", Reply::status(304));
    let fetched = web.count("/tides");
    web.wait_for("/tides", fetched + 2).await;
    let asked = web.seen_at("/tides");
    assert!(asked[1..].iter().all(|seen| seen.headers["if-none-match"] == "\"one\""));
    // As long as the page is unchanged, nothing is embedded or billed.
    let path = format!("/api/knowledge-bases/{id}/documents/{link}/text");
    assert!(editor.get(&path).await.ok()["pages"].to_string().contains("The moon pulls"));
    web.always("/tides", page("The sun helps a little.").header("etag", "\"two\""));
    read(&editor, &path, "The sun helps").await;
    // A failure in between only skips that interval.
    web.script("/tides", [Reply::status(500)]);
    let fetched = web.count("/tides");
    web.wait_for("/tides", fetched + 2).await;
    read(&editor, &path, "The sun helps").await;
    // A deleted page is not fetched any more.
    editor.delete(&format!("/api/knowledge-bases/{id}/links/{link}")).await.no_content();
    web.always("/other", page("Another."));
    add(&editor, &id, &web.url("/other")).await;
    let gone = web.count("/tides");
    web.wait_for("/other", 4).await;
    assert!(web.count("/tides") <= gone + 1, "at most the request in progress");
}

#[tokio::test]
async fn refetch_continues_after_a_restart_while_the_feature_is_enabled() {
    let (server, web) = (server().await, CountingServer::start().await);
    let editor = server.editor();
    let id = private(&editor).await;
    web.always("/robots.txt", Reply::status(404));
    web.always("/tides", page("The moon pulls the sea."));
    add(&editor, &id, &web.url("/tides")).await;
    let server = server.restart().await;
    let editor = server.editor();
    let fetched = web.count("/tides");
    web.wait_for("/tides", fetched + 2).await;
    // Only one run at a time processes the page, whichever request started it.
    let path = format!("/api/knowledge-bases/{id}/links?wait=true");
    let (one, two) = tokio::join!(
        editor.post(&path, json!({"url": web.url("/tides")})),
        editor.post(&path, json!({"url": web.url("/tides")}))
    );
    assert_eq!((one.status, two.status), (200, 200));
    assert_eq!(one.json()["id"], two.json()["id"]);
    let switch = "/api/tenant-admin/features/knowledge-bases/visibility";
    server.admin().put(switch, hidden()).await.ok();
    // The page of another tenant continues, and shows when this one would have been due.
    let stranger = server.stranger();
    let other = private(&stranger).await;
    web.always("/other", page("Another."));
    add(&stranger, &other, &web.url("/other")).await;
    let off = web.count("/tides");
    web.wait_for("/other", 4).await;
    assert!(web.count("/tides") <= off + 1, "the feature is off, so nothing is fetched");
    server.admin().put(switch, json!({"visibility": "everyone"})).await.ok();
    web.wait_for("/tides", off + 2).await;
}
