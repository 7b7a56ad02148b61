//! Notifications under `kill -9`: whatever was told arrives, and what arrives twice has the same key.

use std::collections::BTreeMap;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};

use super::server::{EMAIL, PASSWORD, Server};
use super::setting;
use crate::harness::counting_server::{CountingServer, Reply};
use crate::harness::{Client, Person, text};

/// The pauses that differ from the defaults: a crash is no reason to wait, nor is an endpoint that hangs. There are
/// as many of them as may be, so that nothing is given up.
const SETTINGS: &str = "[notifications]\nrequest_seconds = 2.0\nretry_seconds = [0.02, 0.05, 0.05, 0.05, 0.1, \
    0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2]\n";
/// Crashes of a run, a fifth of those that are asked for.
const CRASHES: u64 = 10;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_was_told_is_taken_to_every_endpoint() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let crashes = setting("UNDERSTUDY_CRASHES", CRASHES * 5).div_ceil(5);
    let seed = setting("UNDERSTUDY_SEED", rand::rng().random_range(0..1_000_000));
    println!("{crashes} crashes; UNDERSTUDY_SEED={seed} repeats them");
    let mut dice = StdRng::seed_from_u64(seed);
    let hooks = CountingServer::start().await;
    let mut server = Server::install_with(SETTINGS).await;
    let person = Person::log_in(&server.url, EMAIL, PASSWORD).await;
    let client = Client::new(server.url.clone(), Some(person.access_token.clone()));
    let made = client.post("/api/auth/api-tokens", json!({"name": "crash test"})).await.created();
    let token = text(&made["token"]);
    for path in ["/one", "/two"] {
        let url = hooks.url(path);
        client.post("/api/notifications/endpoints", json!({"kind": "webhook", "url": url})).await.created();
    }
    let mut answered = 0;
    for crash in 0..crashes {
        let client = Client::new(server.url.clone(), Some(token.clone()));
        // One of them is slow, fails or hangs when the crash comes. Troubles do not add up over the crashes: together
        // they would take longer than anybody waits below.
        let trouble =
            [Reply::status(500), Reply::hang(), Reply::status(200).after(Duration::from_millis(30))];
        hooks.replace_script("/one", trouble.into_iter().take(dice.random_range(0..4)));
        let writing = write(&client, &person.id, crash);
        let patience = Duration::from_millis(dice.random_range(1..300));
        answered += tokio::time::timeout(patience, writing).await.unwrap_or_default();
        server.kill();
        server.spawn();
        server.ready().await;
    }
    let client = Client::new(server.url.clone(), Some(token));
    answered += write(&client, &person.id, crashes).await;
    let told = listed(&client).await;
    assert!(told.len() >= answered, "seed {seed}: {answered} were answered, and {} are there", told.len());
    for path in ["/one", "/two"] {
        arrived(&hooks, path, &told, seed).await;
    }
    let stored = client.get("/api/notifications/endpoints").await.ok();
    assert!(
        stored["items"].as_array().unwrap().iter().all(|it| it["given_up"] == 0),
        "seed {seed}: {stored}"
    );
}

/// Tells several things, one after the other; how many were answered.
async fn write(client: &Client, to: &str, crash: u64) -> usize {
    let mut answered = 0;
    for at in 0..5 {
        let body = json!({"user_ids": [to], "title": format!("{crash}.{at}")});
        let request = client.request(reqwest::Method::POST, "/api/notifications/send").json(&body);
        match request.send().await {
            Ok(answer) if answer.status() == 201 => answered += 1,
            // Administrators write at most twenty times a minute; a restart forgets that.
            Ok(answer) => assert_eq!(answer.status(), 429),
            Err(_) => break,
        }
    }
    answered
}

/// All that was told: the ids by their titles.
async fn listed(client: &Client) -> BTreeMap<String, String> {
    let list = client.get("/api/notifications?limit=200").await.ok();
    let items = list["items"].as_array().unwrap();
    items.iter().map(|one| (text(&one["id"]), text(&one["title"]))).collect()
}

/// Waits until all of it came, and holds that what came is what was told: each under its own key, always in the same
/// words.
async fn arrived(hooks: &CountingServer, path: &str, told: &BTreeMap<String, String>, seed: u64) {
    let mut came: BTreeMap<String, Value> = BTreeMap::new();
    for _ in 0..2_000 {
        for seen in hooks.seen_at(path) {
            let (key, body) = (seen.headers["webhook-id"].clone(), seen.json());
            let first = came.entry(key.clone()).or_insert_with(|| body.clone());
            assert_eq!(*first, body, "seed {seed}: {path} heard two things by the name {key}");
            assert_eq!(
                told.get(&key).map(|title| json!(title)),
                Some(body["data"]["title"].clone()),
                "seed {seed}"
            );
        }
        if came.len() == told.len() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let missing: Vec<_> = told.iter().filter(|(id, _)| !came.contains_key(*id)).collect();
    panic!("seed {seed}: {path} did not hear of {missing:?}");
}
