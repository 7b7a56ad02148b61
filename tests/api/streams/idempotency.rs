//! A repeated request returns the same stream.

use serde_json::json;

use super::reading::{Stream, answer, asking, conversation, lines, messages, server, terminal};
use crate::harness::{Answer, TestServer};

#[tokio::test]
async fn repeated_idempotency_key_returns_the_same_stream() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let fields = json!({"message": "Once.", "parameters": {"length": 60, "pace_ms": 2}});
    let keyed = || asking(&user, &home, fields.clone()).header("idempotency-key", "k-1");
    let streams = futures::future::join_all((0..10).map(|_| Stream::open(keyed()))).await;
    let id = streams[0].id.clone();
    assert!(streams.iter().all(|stream| stream.id == id));
    let read = futures::future::join_all(streams.into_iter().map(Stream::events)).await;
    assert!(read.iter().all(|events| *events == read[0]));
    let later = Stream::open(keyed()).await;
    assert_eq!(later.id, id, "also after the end");
    assert_eq!(later.events().await, read[0]);
    let told = Stream::open(keyed().header("accept", "application/x-ndjson")).await;
    assert_eq!(told.id, id, "the encoding makes no difference");
    assert_eq!(lines(&told.rest().await), read[0]);
    assert_eq!(messages(&user, &home).await.len(), 2);

    let whole = asking(
        &user,
        &home,
        json!({"message": "Once.", "parameters": {"length": 60, "pace_ms": 2},
        "stream": false}),
    );
    let whole = Answer::read(whole.header("idempotency-key", "k-1").send().await.expect("an answer")).await;
    assert_eq!(super::reading::said(&whole.ok()), answer(&read[0]));
}

/// A client whose connection broke during the response to a POST sends the same request again with the last event id.
#[tokio::test]
async fn repeated_request_continues_after_the_last_event_id() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let fields = json!({"message": "Once.", "parameters": {"length": 20, "pace_ms": 0}});
    let keyed = || asking(&user, &home, fields.clone()).header("idempotency-key", "k-1");
    let whole = Stream::open(keyed().header("last-event-id", "7")).await.events().await;
    assert_eq!(whole[0]["seq"], 1, "a new request has no earlier events");
    for seen in 0..=whole.len() {
        let again = Stream::open(keyed().header("last-event-id", seen.to_string())).await;
        assert_eq!(again.events().await, whole[seen..], "after {seen}");
    }
    let again =
        Stream::open(keyed().header("last-event-id", "5").header("accept", "application/x-ndjson")).await;
    assert_eq!(lines(&again.rest().await), whole[5..]);
    let wrong = keyed().header("last-event-id", "five").send().await.expect("an answer");
    assert_eq!(Answer::read(wrong).await.faults(), ["header.Last-Event-ID"]);
    assert_eq!(messages(&user, &home).await.len(), 2);
}

/// Some clients take every blank line as the end of a message, so `retry:` and comments are not blocks of their own.
#[tokio::test]
async fn every_block_of_an_event_stream_is_an_event() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let live = asking(&user, &home, json!({"message": "Once.", "parameters": {"length": 5}}));
    let text = Stream::open(live).await.rest().await;
    assert!(text.starts_with("retry: 1000\nevent: run.started\n"), "{text}");
    for block in text.split_terminator("\n\n") {
        assert!(block.lines().any(|line| line.starts_with("data: ")), "{block:?}");
        // The id comes last, so a reader that has the id has the whole event.
        assert!(block.lines().last().is_some_and(|line| line.starts_with("id: ")), "{block:?}");
    }
}

#[tokio::test]
async fn different_request_with_the_same_key_is_refused() {
    let server = server().await;
    let user = server.user();
    let (home, other) = (conversation(&user).await, conversation(&user).await);
    let send = async |home: &str, message: &str, key: &str| {
        let request = asking(&user, home, json!({"message": message, "parameters": {"length": 3}}));
        Answer::read(request.header("idempotency-key", key).send().await.expect("an answer")).await
    };
    send(&home, "Once.", "k").await.expect(200);
    send(&home, "Twice.", "k").await.problem(422, "idempotency_mismatch");
    send(&other, "Once.", "k").await.problem(422, "idempotency_mismatch");
    send(&other, "Once.", "k2").await.expect(200);
    assert_eq!(send(&home, "Once.", "").await.faults(), ["header.Idempotency-Key"]);
    assert_eq!(send(&home, "Once.", &"k".repeat(256)).await.faults(), ["header.Idempotency-Key"]);
    assert_eq!(messages(&user, &home).await.len(), 2);
}

#[tokio::test]
async fn repeated_request_is_answered_before_rate_limits_apply() {
    let server = TestServer::start().await.restart_with(|config| {
        config.limits.credential_per_second = 1;
        config.limits.credential_burst = 5;
    });
    let server = server.await;
    let user = server.user();
    let home = conversation(&user).await;
    let fields = json!({"message": "Once.", "parameters": {"length": 3}});
    let keyed = || asking(&user, &home, fields.clone()).header("idempotency-key", "k-1");
    let first = Stream::open(keyed()).await;
    let (id, events) = (first.id.clone(), first.events().await);
    while user.get("/api/users/me").await.status != 429 {}
    for _ in 0..5 {
        let again = Stream::open(keyed()).await;
        assert_eq!(again.id, id);
        assert_eq!(terminal(&again.events().await), terminal(&events));
    }
    for n in 2..200 {
        // On a slow machine the limit allows another request now and then, but not each time.
        let new = asking(&user, &home, fields.clone()).header("idempotency-key", format!("k-{n}"));
        let new = Answer::read(new.send().await.expect("an answer")).await;
        if new.status != 200 {
            new.problem(429, "rate_limited");
            return;
        }
    }
    panic!("new requests are never refused");
}
