//! Completions outside conversations under `kill -9`: what a client has seen is kept, every completion ends,
//! and the bill is the sum of their ends.
//!
//! `UNDERSTUDY_CHAT_CRASHES` sets the number of crashes (6); `UNDERSTUDY_SEED` repeats a run's random choices.

use std::collections::BTreeMap;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use super::server::{EMAIL, PASSWORD, Server};
use super::setting;
use crate::api::streams::reading::{Stream, events, terminal, without_gap};
use crate::harness::{Client, Person};

/// Number of completions requested between two crashes.
const LOAD: u64 = 6;
const PATH: &str = "/api/chat/partner_compatible/v1/chat/completions";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn chat_completions_survive_crashes_and_are_billed() {
    let crashes = setting("UNDERSTUDY_CHAT_CRASHES", 6);
    let seed = setting("UNDERSTUDY_SEED", rand::rng().random_range(0..1_000_000));
    println!("{crashes} crashes; UNDERSTUDY_SEED={seed} repeats them");
    let mut dice = StdRng::seed_from_u64(seed);
    let mut server = Server::install().await;
    let person = Person::log_in(&server.url, EMAIL, PASSWORD).await;
    let mut ends: BTreeMap<String, Value> = BTreeMap::new();
    for crash in 0..crashes {
        let client = Client::new(server.url.clone(), Some(person.access_token.clone()));
        let watched: Vec<_> = (0..LOAD).map(|n| watch(&client, format!("{crash}-{n}"))).collect();
        tokio::time::sleep(Duration::from_millis(dice.random_range(5..700))).await;
        server.kill();
        server.spawn();
        server.ready().await;
        let client = Client::new(server.url.clone(), Some(person.access_token.clone()));
        for watched in watched {
            let (key, seen) = watched.await.expect("a reader");
            // The same key finds a request that was accepted, or repeats one that was not.
            let again = Stream::open(asking(&client, &key)).await;
            let id = again.id.clone();
            again.rest().await;
            let whole = events(&client.get(&format!("/api/chat/streams/{id}")).await.text());
            without_gap(&whole, 0);
            // A completion that was cut off before its first word is restarted, since no reader has seen any of
            // it.
            if seen.iter().any(|event| event["type"] == "text.delta") {
                assert_eq!(seen[..], whole[..seen.len()], "{key}, seed {seed}");
            }
            let end = terminal(&whole).clone();
            let status = end["status"].as_str().expect("a status");
            assert!(["succeeded", "interrupted"].contains(&status), "{key}, seed {seed}: {end}");
            assert!(ends.insert(id, end).is_none(), "{key}, seed {seed}: two keys have the same completion");
        }
    }
    let client = Client::new(server.url.clone(), Some(person.access_token.clone()));
    let month = client.get("/api/tenant-admin/budgets").await.ok()["tenant"]["month"].clone();
    for tokens in ["input_tokens", "output_tokens"] {
        let sum: u64 = ends.values().map(|end| end["usage"][tokens].as_u64().expect("tokens")).sum();
        assert_eq!(month[tokens].as_u64(), Some(sum), "{tokens}, seed {seed}");
    }
    let interrupted = ends.values().filter(|end| end["status"] == "interrupted").count();
    println!("{} answers, {interrupted} of them cut off by a crash", ends.len());
}

fn asking(client: &Client, key: &str) -> reqwest::RequestBuilder {
    let body = json!({"model": "builtin/scribe", "stream": true, "length": 150, "pace_ms": 4,
        "messages": [{"role": "user", "content": format!("Tell me of the tides, {key}.")}]});
    client.request(Method::POST, PATH).header("idempotency-key", key).json(&body)
}

/// Requests a completion, and reads the canonical events until the server dies or the completion ends.
fn watch(client: &Client, key: String) -> JoinHandle<(String, Vec<Value>)> {
    let client = client.clone();
    tokio::spawn(async move {
        let Ok(response) = asking(&client, &key).send().await else { return (key, Vec::new()) };
        let id = response.headers().get("x-stream-id").and_then(|id| id.to_str().ok()).unwrap_or_default();
        let reader = client.request(Method::GET, &format!("/api/chat/streams/{id}")).send().await;
        let Ok(mut reader) = reader else { return (key, Vec::new()) };
        let mut read = Vec::new();
        while let Ok(Some(piece)) = reader.chunk().await {
            read.extend_from_slice(&piece);
        }
        let text = String::from_utf8_lossy(&read).into_owned();
        // An incomplete event does not count as seen.
        let end = text.rfind("\n\n").map_or(0, |at| at + 2);
        (key, events(&text[..end]))
    })
}
