//! Notifications under `kill -9`: every notification is delivered, and repeated deliveries have the same key.

use std::collections::BTreeMap;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};

use super::server::{EMAIL, PASSWORD, Server};
use super::setting;
use crate::harness::counting_server::{CountingServer, Reply};
use crate::harness::{Client, Person, text};

/// The delays that differ from the defaults: neither a crash nor a hanging endpoint should make the test wait. The
/// list has the maximum number of retries, so that no delivery is given up.
const SETTINGS: &str = "[notifications]\nrequest_seconds = 2.0\nretry_seconds = [0.02, 0.05, 0.05, 0.05, 0.1, \
    0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2]\n";
/// Default number of crashes: a fifth of the number that is requested.
const CRASHES: u64 = 10;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn notifications_are_delivered_to_every_endpoint() {
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
        // An endpoint may be slow, fail or hang when the crash occurs. Faulty replies do not accumulate over the
        // crashes: together they would take longer than the test waits below.
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
    assert!(told.len() >= answered, "seed {seed}: {answered} were accepted, {} are stored", told.len());
    for path in ["/one", "/two"] {
        arrived(&hooks, path, &told, seed).await;
    }
    let stored = client.get("/api/notifications/endpoints").await.ok();
    assert!(
        stored["items"].as_array().unwrap().iter().all(|it| it["given_up"] == 0),
        "seed {seed}: {stored}"
    );
}

/// Sends several notifications, one after the other. Returns the number of accepted ones.
async fn write(client: &Client, to: &str, crash: u64) -> usize {
    let mut answered = 0;
    for at in 0..5 {
        let body = json!({"user_ids": [to], "title": format!("{crash}.{at}")});
        let request = client.request(reqwest::Method::POST, "/api/notifications/send").json(&body);
        match request.send().await {
            Ok(answer) if answer.status() == 201 => answered += 1,
            // Administrators can send at most twenty notifications per minute; a restart resets the count.
            Ok(answer) => assert_eq!(answer.status(), 429),
            Err(_) => break,
        }
    }
    answered
}

/// All notifications: their titles by id.
async fn listed(client: &Client) -> BTreeMap<String, String> {
    let list = client.get("/api/notifications?limit=200").await.ok();
    let items = list["items"].as_array().unwrap();
    items.iter().map(|one| (text(&one["id"]), text(&one["title"]))).collect()
}

/// Waits until all notifications have been delivered, and checks that the deliveries match what was sent: each under
/// its own key, always with the same content.
async fn arrived(hooks: &CountingServer, path: &str, told: &BTreeMap<String, String>, seed: u64) {
    let mut came: BTreeMap<String, Value> = BTreeMap::new();
    for _ in 0..2_000 {
        for seen in hooks.seen_at(path) {
            let (key, body) = (seen.headers["webhook-id"].clone(), seen.json());
            let first = came.entry(key.clone()).or_insert_with(|| body.clone());
            assert_eq!(*first, body, "seed {seed}: {path} received different bodies with the key {key}");
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
    panic!("seed {seed}: {path} did not receive {missing:?}");
}
