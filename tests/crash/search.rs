//! Searches of messages under `kill -9`: after each crash they find exactly the messages that exist.
//!
//! `UNDERSTUDY_SEARCH_CRASHES` sets the number of crashes (12); `UNDERSTUDY_SEED` repeats a run's random choices.

use std::collections::BTreeSet;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use reqwest::Method;
use serde_json::{Value, json};

use super::server::{EMAIL, PASSWORD, Server};
use super::setting;
use crate::harness::{Answer, Client, Person, text};

/// A word that a random half of the messages contain.
const WORD: &str = "zephyr";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn searches_find_exactly_the_messages_after_a_kill() {
    let crashes = setting("UNDERSTUDY_SEARCH_CRASHES", 12);
    let seed = setting("UNDERSTUDY_SEED", rand::rng().random_range(0..1_000_000));
    let _ = rustls::crypto::ring::default_provider().install_default();
    println!("{crashes} crashes; UNDERSTUDY_SEED={seed} repeats them");
    let mut dice = StdRng::seed_from_u64(seed);
    let mut server = Server::install().await;
    let token = Person::log_in(&server.url, EMAIL, PASSWORD).await.access_token;
    for crash in 0..crashes {
        let client = Client::new(server.url.clone(), Some(token.clone()));
        let writing = tokio::spawn(write(client.clone(), StdRng::seed_from_u64(dice.random())));
        let searching = tokio::spawn(async move {
            loop {
                let request = client.request(Method::GET, &format!("/api/conversations/search?query={WORD}"));
                if request.send().await.is_err() {
                    return;
                }
            }
        });
        // The moment of the crash is random; the result does not depend on it.
        tokio::time::sleep(Duration::from_millis(dice.random_range(20..800))).await;
        server.kill();
        writing.await.expect("the writer");
        searching.await.expect("the searcher");
        server.spawn();
        server.ready().await;
        let client = Client::new(server.url.clone(), Some(token.clone()));
        let (found, stored) = (found(&client).await, stored(&client).await);
        assert_eq!(found, stored, "crash {crash}, seed {seed}");
    }
}

/// Adds, changes and deletes conversations until the server is gone.
async fn write(client: Client, mut dice: StdRng) {
    let mut homes: Vec<String> = Vec::new();
    loop {
        let done = match dice.random_range(0..4) {
            0 if !homes.is_empty() => {
                let home = homes.swap_remove(dice.random_range(0..homes.len()));
                send(&client, Method::DELETE, format!("/api/conversations/{home}"), json!({})).await
            }
            _ => {
                let Some(made) =
                    send(&client, Method::POST, "/api/conversations".to_owned(), json!({})).await
                else {
                    return;
                };
                let home = text(&made.created()["id"]);
                let message = |dice: &mut StdRng| {
                    let words = if dice.random_bool(0.5) { WORD } else { "calm" };
                    json!({"role": "user", "content": format!("the {words} of the sea")})
                };
                let messages: Vec<Value> = (0..dice.random_range(1..6)).map(|_| message(&mut dice)).collect();
                let path = format!("/api/conversations/{home}/payload");
                homes.push(home);
                send(&client, Method::PUT, path, json!({"messages": messages})).await
            }
        };
        if done.is_none() {
            return;
        }
    }
}

/// Sends a request; `None` if the server is gone.
async fn send(client: &Client, method: Method, path: String, body: Value) -> Option<Answer> {
    let response = client.request(method, &path).json(&body).send().await.ok()?;
    let status = response.status().as_u16();
    let body = response.bytes().await.ok()?.to_vec();
    Some(Answer { status, headers: Default::default(), body })
}

async fn pages(client: &Client, path: &str) -> Vec<Value> {
    let (mut items, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = client.get(&format!("{path}{cursor}")).await.ok();
        items.extend(page["items"].as_array().expect("items").iter().cloned());
        let Some(next) = page["next_cursor"].as_str() else { return items };
        cursor = format!("&cursor={next}");
    }
}

async fn found(client: &Client) -> BTreeSet<String> {
    let items = pages(client, &format!("/api/conversations/search?query={WORD}&limit=200")).await;
    items.iter().map(|item| text(&item["message_id"])).collect()
}

async fn stored(client: &Client) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    for home in pages(client, "/api/conversations?limit=200").await {
        let whole = client.get(&format!("/api/conversations/{}", text(&home["id"]))).await.ok();
        let messages = whole["messages"].as_array().expect("messages").iter();
        let with_word = messages.filter(|message| text(&message["parts"][0]["text"]).contains(WORD));
        ids.extend(with_word.map(|message| text(&message["id"])));
    }
    ids
}
