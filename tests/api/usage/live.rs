//! Concurrent usage of many users, some of it stopped and some of it failing: the records equal what the providers have
//! counted, and every report equals the sum of the records.

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use reqwest::Method;
use serde_json::{Value, json};
use storage::Timestamp;
use tokio::task::JoinSet;
use uuid::Uuid;

use super::scene::{equal_reports, id, plain, records, spend, sum, tenant};
use crate::api::streams::reading::{Stream, ask, conversation, unlimited};
use crate::harness::fake_embedder::FakeEmbedder;
use crate::harness::fake_provider::FakeProvider;
use crate::harness::{Client, PASSWORD, Person, TestServer};

const V1: &str = "/api/chat/partner_compatible/v1";
const DAY_MS: i64 = 86_400_000;
/// Requests per person.
const DEEDS: usize = 12;

async fn server() -> (TestServer, FakeProvider, FakeEmbedder) {
    let (provider, embedder) = (FakeProvider::start().await, FakeEmbedder::start().await);
    let mut config = provider.config();
    let models = ["echo", "slow", "drop", "refuse", "tools"];
    let priced = models.map(|id| json!({"id": id, "input_price": 0.15, "output_price": 0.6}));
    config.models = serde_json::from_value(json!(priced)).expect("models");
    let mut vectors = embedder.config();
    vectors.name = "vectors".to_owned();
    vectors.models =
        serde_json::from_value(json!([{"id": "embed", "tags": ["embedding"], "input_price": 0.02}]))
            .expect("models");
    let server = TestServer::start_with(move |settings| {
        unlimited(settings);
        settings.providers = vec![config, vectors];
    });
    (server.await, provider, embedder)
}

/// Asks for an endless answer and stops it after its start.
async fn stopped(client: &Client) {
    let body =
        json!({"model": "fake/slow", "stream": true, "messages": [{"role": "user", "content": "Go on."}]});
    let mut live =
        Stream::open(client.request(Method::POST, &format!("{V1}/chat/completions")).json(&body)).await;
    live.frame().await.expect("a beginning");
    client.delete(&format!("/api/chat/streams/{}", live.id)).await.ok();
}

async fn deed(client: &Client, dice: u32, words: usize) {
    let said = "word ".repeat(words);
    let asking = |model: &str| json!({"model": model, "messages": [{"role": "user", "content": said}]});
    match dice {
        0..3 => drop(client.post(&format!("{V1}/chat/completions"), asking("fake/echo")).await.ok()),
        3 => drop(client.post("/api/chat/completion", asking("fake/echo")).await.ok()),
        4 => {
            let home = conversation(client).await;
            ask(client, &home, json!({"message": said, "model": "fake/echo"})).await.events().await;
        }
        5 => drop(client.post(&format!("{V1}/chat/completions"), asking("fake/refuse")).await.expect(400)),
        6 => drop(client.post(&format!("{V1}/chat/completions"), asking("fake/drop")).await),
        7 => stopped(client).await,
        8 => {
            let body = json!({"model": "vectors/embed", "input": [said, "two words"]});
            client.post(&format!("{V1}/embeddings"), body).await.ok();
        }
        _ => {
            let body = json!({"model": "default", "input": "High tide.", "response_format": "wav"});
            client.post(&format!("{V1}/audio/speech"), body).await.expect(200);
        }
    }
}

async fn more_people(server: &TestServer, count: usize) -> Vec<Person> {
    let mut people = Vec::new();
    for at in 0..count {
        let email = format!("more{at}@example.org");
        let body = json!({"email": email, "password": PASSWORD, "role": "user"});
        server.admin().post("/api/auth/users", body).await.created();
        people.push(Person::log_in(&server.url(), &email, PASSWORD).await);
    }
    people
}

fn words(request: &Value) -> u64 {
    let last = request["messages"].as_array().and_then(|messages| messages.last());
    let content = last.map_or(&Value::Null, |message| &message["content"]);
    let texts: Vec<_> = match content {
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        text => text.as_str().into_iter().collect(),
    };
    texts.iter().map(|text| text.split_whitespace().count() as u64).sum()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn booked_and_reported_usage_equals_what_providers_counted() {
    let (server, provider, embedder) = server().await;
    let mut people = more_people(&server, 3).await;
    people.extend([server.admin_person(), server.editor_person(), server.user_person()].map(Person::clone));
    let mut work = JoinSet::new();
    for (seed, person) in people.iter().enumerate() {
        let client = server.client(&person.access_token);
        let mut dice = StdRng::seed_from_u64(seed as u64);
        // Concurrent work is booked concurrently.
        for _ in 0..DEEDS {
            let (client, what, words) = (client.clone(), dice.random_range(0..10), dice.random_range(1..30));
            work.spawn(async move { deed(&client, what, words).await });
        }
    }
    while let Some(done) = work.join_next().await {
        done.expect("no panic");
    }
    provider.idle().await;

    let home = tenant(server.admin_person());
    let now = Timestamp::now();
    let day =
        |days: i64| Timestamp::from_millis(now.as_millis() + days * DAY_MS).to_string()[..10].to_owned();
    let ids: Vec<Uuid> = people.iter().map(id).collect();
    let all = records(&server, home);
    let told = equal_reports(&server.admin(), &ids, [&day(-2), &day(2)]).await;
    assert_eq!(told, plain(sum(&all)));

    let of = |model: &str| sum(all.iter().filter(|record| record.model == model));
    let echoed: Vec<_> =
        provider.requests().await.into_iter().filter(|request| request["model"] == "echo").collect();
    let echo = of("fake/echo");
    assert_eq!(echo.input_tokens, 10 * echoed.len() as u64);
    assert_eq!(echo.output_tokens, echoed.iter().map(words).sum::<u64>());
    assert_eq!(echo.cost_nanos, 150 * echo.input_tokens + 600 * echo.output_tokens);
    let embedded = embedder.texts();
    let words = embedded.iter().map(|(text, times)| times * text.split_whitespace().count() as u64);
    assert_eq!(of("vectors/embed").input_tokens, words.sum::<u64>());
    assert_eq!(of("vectors/embed").cost_nanos, 20 * of("vectors/embed").input_tokens);
    // Interrupted answers have output and cost something; refused requests cost nothing.
    assert!(all.iter().filter(|record| record.model == "fake/slow").all(|record| record.cost_nanos > 0));
    assert_eq!(of("fake/refuse").cost_nanos, 0);

    // Every user sees their own figures, and the budgets have counted the same.
    for person in &people {
        let own: Vec<_> = all.iter().filter(|record| record.user == id(person)).cloned().collect();
        let client = server.client(&person.access_token);
        let summary = client.get("/api/users/usage-summary").await.ok();
        assert_eq!(spend(&summary["all_time"]), plain(sum(&own)));
        let stats = client.get("/api/users/stats").await.ok();
        assert_eq!(stats["requests"], own.len());
    }
    let month = server.admin().get("/api/tenant-admin/budgets").await.ok()["tenant"]["month"].clone();
    let zone = storage::calendar::Zone::UTC;
    let this_month = all.iter().filter(|record| zone.month(record.ts) == zone.month(now));
    if zone.month(Timestamp::now()) == zone.month(now) {
        assert_eq!(month["cost_nanos"], sum(this_month).cost_nanos);
    }
    // The consistency check compares all sums with the records.
    server.stored().await;
}
