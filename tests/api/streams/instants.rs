//! Attaching at the moment at which a stream starts, ends or is cancelled, many times over.

use std::time::Duration;

use serde_json::{Value, json};

use super::reading::{
    Stream, address, ask, asking, attach, conversation, lines, server, terminal, without_gap,
};
use crate::harness::Client;

/// Rounds of each kind, per conversation.
const ROUNDS: usize = 150;
const HOMES: usize = 4;

/// Runs `round` this many times in several conversations concurrently.
async fn play<F>(user: &Client, round: impl Fn(Client, String, usize) -> F + Clone + Send + 'static)
where
    F: Future<Output = ()> + Send,
{
    let homes = (0..HOMES).map(|_| {
        let (user, round) = (user.clone(), round.clone());
        tokio::spawn(async move {
            let home = conversation(&user).await;
            for n in 0..ROUNDS {
                round(user.clone(), home.clone(), n).await;
            }
        })
    });
    for home in homes.collect::<Vec<_>>() {
        home.await.expect("all rounds");
    }
}

/// A completion with this many words.
fn words(count: usize, pace_ms: u64) -> Value {
    json!({"message": "x", "parameters": {"length": count.max(1), "pace_ms": pace_ms}})
}

/// Requests the live stream until there is one.
async fn whatever_is_live(user: &Client, home: &str) -> Stream {
    let path = format!("/api/conversations/{home}/streams/active?wire=ndjson");
    loop {
        match Stream::try_open(user.request(reqwest::Method::GET, &path)).await {
            Ok(stream) => return stream,
            Err(answer) => answer.no_content(),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn attach_at_the_start_returns_the_whole_stream() {
    let server = server().await;
    play(&server.user(), |user, home, n| async move {
        let (asked, found) =
            tokio::join!(ask(&user, &home, words(10_000, 1)), whatever_is_live(&user, &home));
        user.delete(&address(&home, &asked.id)).await.ok();
        let (canonical, found) = tokio::join!(asked.events(), found.rest());
        let found = lines(&found);
        without_gap(&found, 0);
        assert_eq!(found, canonical, "round {n}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn attach_at_the_end_returns_the_whole_stream() {
    let server = server().await;
    play(&server.user(), |user, home, n| async move {
        let mut live = ask(&user, &home, words(n % 5, 0)).await;
        let (stream, after) = (live.id.clone(), (n % 9) as u64);
        let mut canonical = Vec::new();
        // Some clients attach shortly before the end, some shortly after.
        for _ in 0..n % 4 {
            canonical.extend(live.event().await);
        }
        let query = format!("?after={after}");
        let (rest, late) = tokio::join!(live.events(), attach(&user, &home, &stream, &query));
        canonical.extend(rest);
        without_gap(&canonical, 0);
        let skipped = (after as usize).min(canonical.len());
        assert_eq!(late.events().await, canonical[skipped..], "round {n} after {after}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn attach_during_a_cancel_returns_the_whole_stream() {
    let server = server().await;
    play(&server.user(), |user, home, n| async move {
        let live = ask(&user, &home, words(10_000, 1)).await;
        let stream = live.id.clone();
        tokio::time::sleep(Duration::from_millis(n as u64 % 7)).await;
        let path = address(&home, &stream);
        let (receipt, late) = tokio::join!(user.delete(&path), attach(&user, &home, &stream, ""));
        let (first, late) = tokio::join!(live.events(), late.events());
        without_gap(&first, 0);
        assert_eq!(first, late, "round {n}");
        assert_eq!(receipt.ok()["terminal"], terminal(&first), "round {n}");
        assert_eq!(terminal(&first)["status"], "cancelled");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancel_at_the_end_does_not_change_the_terminal_record() {
    let server = server().await;
    play(&server.user(), |user, home, n| async move {
        let live = ask(&user, &home, words(1 + n % 6, 0)).await;
        let path = address(&home, &live.id);
        let (receipt, read) = tokio::join!(user.delete(&path), live.events());
        assert_eq!(receipt.ok()["terminal"], terminal(&read), "round {n}");
        let again = attach(&user, &home, &path[path.len() - 36..], "").await.events().await;
        assert_eq!(again, read);
        // The conversation is free for the next round: the end is reported after everything is stored.
        let next = asking(&user, &home, words(1, 0)).send().await.expect("an answer");
        assert_eq!(next.status(), 200, "round {n}");
        drop(next.text().await);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_requests_with_one_key_return_one_stream() {
    let server = server().await;
    play(&server.user(), |user, home, n| async move {
        let key = format!("{home}-{n}");
        let keyed = || Stream::open(asking(&user, &home, words(3, 0)).header("idempotency-key", &key));
        let (one, two) = tokio::join!(keyed(), keyed());
        assert_eq!(one.id, two.id);
        let (one, two) = tokio::join!(one.events(), two.events());
        assert_eq!(one, two, "round {n}");
    })
    .await;
}
