//! The number of store commits of answers without a reader.

use reqwest::Method;
use serde_json::json;
use storage::Scan;
use storage::records::Run;

use super::{V1, asking, with};
use crate::api::streams::reading::{Stream, server};
use crate::harness::{TestServer, until};

/// Attempts per request: the background tasks of a server also write now and then.
const TRIES: usize = 8;

/// Returns the lowest numbers of batches and keys committed in several attempts.
async fn committed(server: &TestServer, attempt: impl AsyncFn()) -> (u64, u64) {
    let mut fewest = (u64::MAX, u64::MAX);
    for _ in 0..TRIES {
        let before = server.store().committed();
        attempt().await;
        let after = server.store().committed();
        fewest = fewest.min((after.batches - before.batches, after.keys - before.keys));
    }
    fewest
}

#[tokio::test]
async fn whole_answer_is_committed_with_its_end() {
    let server = server().await;
    let user = server.user();
    let path = format!("{V1}/chat/completions");
    for words in [5, 100] {
        let body = with(asking("builtin/scribe", "Tell me of the tides."), json!({"length": words}));
        let (batches, keys) = committed(&server, async || {
            user.post(&path, body.clone()).await.ok();
        })
        .await;
        assert_eq!(batches, 2, "{words} words: the run, and everything else");
        assert!(keys <= 30, "{words} words: {keys} keys");
    }
}

#[tokio::test]
async fn idempotency_key_is_committed_with_the_run() {
    let server = server().await;
    let user = server.user();
    let path = format!("{V1}/chat/completions");
    let number = std::cell::Cell::new(0);
    let (batches, _) = committed(&server, async || {
        number.set(number.get() + 1);
        let body = with(asking("builtin/scribe", "Tell me of the tides."), json!({"length": 5}));
        let request = user.request(Method::POST, &path).json(&body);
        let answer = request.header("idempotency-key", format!("k-{}", number.get())).send().await;
        assert_eq!(answer.expect("an answer").status(), 200);
    })
    .await;
    assert_eq!(batches, 2);
}

#[tokio::test]
async fn unread_answer_becomes_readable_as_soon_as_a_reader_attaches() {
    let server = server().await;
    let user = server.user();
    let path = format!("{V1}/chat/completions");
    let body =
        with(asking("builtin/scribe", "Tell me of the tides."), json!({"length": 100_000, "pace_ms": 5}));
    let plain = tokio::spawn(user.request(Method::POST, &path).json(&body).send());
    let live = async || {
        let found = server.store().read(|reader| {
            let mut live = Vec::new();
            for tenant in reader.tenants()? {
                live.extend(reader.scan::<Run>(tenant, Scan::index("live"))?.items);
            }
            Ok::<_, storage::Error>(live)
        });
        found.await.expect("runs").first().map(|run| run.id)
    };
    until("it is accepted", async || live().await.is_some()).await;
    let run = live().await.expect("a run");
    let stream = format!("/api/chat/streams/{run}");
    let mut live = Stream::open(user.request(Method::GET, &stream)).await;
    live.until("text.delta").await;
    user.delete(&stream).await.expect(200);
    plain.await.expect("a request").expect("an answer");
}
