//! A conversation at its size limit: open feeds and full reads take a bounded amount of memory.

use serde_json::{Value, json};

use super::{MemoryWatch, body};
use crate::crash::server::{EMAIL, PASSWORD, Server};

/// Limit for the growth of the server's memory while the conversation is read. An earlier implementation read the
/// conversation once for each feed and each request, with two to three times its size each: several gigabytes.
const GROWTH: u64 = 320 << 20;
const FEEDS: usize = 24;
const READS: usize = 8;

/// Reads a response until the text received so far contains `wanted`.
async fn until(response: &mut reqwest::Response, wanted: &str) {
    let mut read = Vec::new();
    while !String::from_utf8_lossy(&read).contains(wanted) {
        read.extend_from_slice(&response.chunk().await.expect("the stream continues").expect("no end"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn conversation_at_its_limit_uses_bounded_memory() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let server = Server::install().await;
    let http = reqwest::Client::builder().no_proxy().build().expect("a client");
    let login = json!({"email": EMAIL, "password": PASSWORD});
    let login = body(http.post(format!("{}/api/auth/login/", server.url)).json(&login)).await;
    let token = login["access_token"].as_str().expect("a token").to_owned();
    let at = |path: &str| format!("{}/api/conversations{path}", server.url);
    let made = body(http.post(at("")).bearer_auth(&token).json(&json!({}))).await;
    let path = format!("/{}", made["id"].as_str().expect("an id"));
    let payload = json!({"messages": [{"role": "user", "content": "first"}]});
    let filled = body(http.put(at(&format!("{path}/payload"))).bearer_auth(&token).json(&payload)).await;
    let first = filled["messages"][0]["id"].clone();

    let mut edits = 0;
    let refused: Value = loop {
        let edit = json!({"message_id": first, "content": "x".repeat(950_000)});
        let edit = http.put(at(&format!("{path}/message"))).bearer_auth(&token).json(&edit);
        let answer = edit.send().await.expect("an answer");
        if answer.status() != 200 {
            assert_eq!(answer.status(), 409);
            break answer.json().await.expect("JSON");
        }
        edits += 1;
        assert!(edits < 1_000, "there is no limit");
    };
    assert_eq!((&refused["code"], &refused["limit"]), (&json!("limit_reached"), &json!(64 << 20)));
    assert_eq!(edits, (64 << 20) / 950_500, "edits up to the limit");

    let pid = server.pid().expect("it runs");
    let memory = MemoryWatch::begin(pid);
    let mut feeds = Vec::new();
    for _ in 0..FEEDS {
        let feed = http.get(at(&path)).bearer_auth(&token).header("accept", "text/event-stream");
        let mut feed = feed.send().await.expect("a feed");
        until(&mut feed, "feed.opened").await;
        feeds.push(feed);
    }
    for round in 0..3 {
        let title = json!({"title": format!("Round {round}")});
        body(http.patch(at(&path)).bearer_auth(&token).json(&title)).await;
        let reads = (0..READS).map(|_| {
            let read = http.get(at(&path)).bearer_auth(&token);
            async move {
                let mut answer = read.send().await.expect("an answer");
                assert_eq!(answer.status(), 200);
                let (mut bytes, mut end) = (0, Vec::new());
                while let Some(chunk) = answer.chunk().await.expect("the whole answer") {
                    bytes += chunk.len();
                    end = chunk[chunk.len().saturating_sub(8)..].to_vec();
                }
                (bytes, end)
            }
        });
        for (bytes, end) in futures::future::join_all(reads).await {
            assert!(bytes > 60 << 20, "{bytes} bytes");
            assert!(end.ends_with(b"]}"), "{end:?}");
        }
        for feed in &mut feeds {
            until(feed, &format!("Round {round}")).await;
        }
    }
    let grown = memory.growth();
    println!("{edits} edits, {grown} bytes grown");
    assert!(grown < GROWTH, "grew by {grown} bytes");
    // The pieces form one document.
    let whole = body(http.get(at(&path)).bearer_auth(&token)).await;
    assert_eq!(whole["messages"].as_array().map(Vec::len), Some(edits + 1));
    assert_eq!(whole["title"], "Round 2");
    assert_eq!(whole["messages"][0]["id"], first);
}
