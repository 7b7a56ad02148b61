//! Usage accounting under `kill -9`: every usage record is included in every sum and in every report, and every
//! cost that was reported to a client is in the records.
//!
//! `UNDERSTUDY_USAGE_CRASHES` sets the number of crashes (8); `UNDERSTUDY_SEED` repeats a run's random choices.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use reqwest::{Method, RequestBuilder};
use serde_json::json;
use storage::records::UsageRecord;
use storage::{Scan, Store, StoreOptions, TenantId, Timestamp};
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::server::{EMAIL, PASSWORD, Server};
use super::setting;
use crate::api::streams::reading::{Stream, events};
use crate::api::usage::scene::{equal_reports, plain, spend, sum};
use crate::harness::fake_embedder::FakeEmbedder;
use crate::harness::fake_provider::FakeProvider;
use crate::harness::{Client, Person, until};

/// Number of requests started between two crashes.
const LOAD: usize = 12;
/// Time limit until every run has ended when there are no further crashes.
const ALL_ENDED: Duration = Duration::from_secs(180);
const DAY_MS: i64 = 86_400_000;

/// The costs that runs have reported, by run id.
type ReportedCosts = Arc<Mutex<BTreeMap<String, u64>>>;

fn settings(provider: &FakeProvider, embedder: &FakeEmbedder) -> String {
    let models = ["echo", "slow"]
        .map(|id| format!("[[providers.models]]\nid = \"{id}\"\ninput_price = 0.15\noutput_price = 0.6\n"));
    format!(
        "[[providers]]\nname = \"talk\"\nbase_url = \"{}\"\nretries = 0\n{}\n{}",
        provider.base_url,
        models.concat(),
        embedder.toml()
    )
}

/// A request that uses a model, with its own idempotency key.
#[derive(Clone)]
struct Deed {
    key: String,
    /// The model that answers; `None` requests embeddings.
    model: Option<&'static str>,
    words: usize,
}

impl Deed {
    fn request(&self, client: &Client) -> RequestBuilder {
        let said = "word ".repeat(self.words);
        let (path, body) = match self.model {
            None => ("embeddings", json!({"model": "fake/embed", "input": [said]})),
            Some(model) => {
                let messages = json!([{"role": "user", "content": said}]);
                ("chat/completions", json!({"model": model, "stream": true, "messages": messages}))
            }
        };
        let path = format!("/api/chat/partner_compatible/v1/{path}");
        client.request(Method::POST, &path).header("idempotency-key", &self.key).json(&body)
    }

    /// Sends the request, reads until the server dies or the response ends, and records the cost if the end is
    /// seen.
    async fn play(self, client: Client, told: ReportedCosts) {
        let Ok(asked) = self.request(&client).send().await else { return };
        let id = asked.headers().get("x-stream-id").and_then(|id| id.to_str().ok()).unwrap_or_default();
        let id = id.to_owned();
        if id.is_empty() {
            return;
        }
        let reader = client.request(Method::GET, &format!("/api/chat/streams/{id}")).send().await;
        let Ok(mut reader) = reader else { return };
        let mut read = Vec::new();
        while let Ok(Some(piece)) = reader.chunk().await {
            read.extend_from_slice(&piece);
        }
        let text = String::from_utf8_lossy(&read).into_owned();
        let end = text.rfind("\n\n").map_or(0, |at| at + 2);
        for event in events(&text[..end]).iter().filter(|event| event["type"] == "run.ended") {
            if let Some(cost) = event["data"]["terminal"]["cost_nanos"].as_u64() {
                told.lock().insert(id.clone(), cost);
            }
        }
    }

    /// Finds the run by its key, or starts it now, and stops it. Returns its id and its cost.
    async fn end(&self, client: &Client, seed: u64) -> Option<(String, u64)> {
        self.model?;
        let id = Stream::open(self.request(client)).await.id;
        let until = Instant::now() + ALL_ENDED;
        loop {
            let stopped = client.delete(&format!("/api/chat/streams/{id}")).await;
            if stopped.status == 200 {
                let cost = stopped.json()["terminal"]["cost_nanos"].as_u64().expect("a cost");
                return Some((id, cost));
            }
            assert!(Instant::now() < until, "seed {seed}: run {id} does not end: {stopped:?}");
            sleep(Duration::from_millis(50)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn usage_records_and_reports_agree_after_any_crash() {
    let crashes = setting("UNDERSTUDY_USAGE_CRASHES", 8);
    let seed = setting("UNDERSTUDY_SEED", rand::rng().random_range(0..1_000_000));
    let _ = rustls::crypto::ring::default_provider().install_default();
    println!("{crashes} crashes; UNDERSTUDY_SEED={seed} repeats them");
    let mut dice = StdRng::seed_from_u64(seed);
    let (provider, embedder) = (FakeProvider::start().await, FakeEmbedder::start().await);
    let mut server = Server::install_with(&settings(&provider, &embedder)).await;
    let person = Person::log_in(&server.url, EMAIL, PASSWORD).await;
    let token = Client::new(server.url.clone(), Some(person.access_token.clone()))
        .post("/api/auth/api-tokens", json!({"name": "crash test"}))
        .await
        .created()["token"]
        .as_str()
        .expect("a token")
        .to_owned();
    let (told, mut deeds) = (ReportedCosts::default(), Vec::new());

    for crash in 0..crashes {
        let client = Client::new(server.url.clone(), Some(token.clone()));
        let mut work = JoinSet::new();
        for n in 0..LOAD {
            let model = [Some("talk/echo"), Some("talk/slow"), None][dice.random_range(0..3)];
            // At least one of these requests ends by itself.
            let model = if n == 0 { Some("talk/echo") } else { model };
            let deed = Deed { key: format!("{crash}-{n}"), model, words: dice.random_range(1..200) };
            work.spawn(deed.clone().play(client.clone(), told.clone()));
            deeds.push(deed);
        }
        sleep(Duration::from_millis(dice.random_range(20..600))).await;
        if crash + 1 == crashes {
            until("an answer has ended", async || !told.lock().is_empty()).await;
        }
        server.kill();
        while work.join_next().await.is_some() {}
        server.spawn();
        server.ready().await;
        // The reports must also be consistent between two crashes.
        let client = Client::new(server.url.clone(), Some(token.clone()));
        let (own, all) = (own(&client).await, tenant(&client).await);
        assert!(own.cost_nanos <= all.cost_nanos, "crash {crash}, seed {seed}");
    }

    let client = Client::new(server.url.clone(), Some(token.clone()));
    let mut ends = BTreeMap::new();
    for deed in &deeds {
        ends.extend(deed.end(&client, seed).await);
    }
    let now = Timestamp::now();
    let day =
        |days: i64| Timestamp::from_millis(now.as_millis() + days * DAY_MS).to_string()[..10].to_owned();
    let user = person.id.parse().expect("an id");
    let reported = equal_reports(&client, &[user], [&day(-2), &day(2)]).await;
    assert_eq!(own(&client).await, reported, "seed {seed}");
    server.kill();

    // The records in the folder match the reports, and the doctor finds nothing.
    let home = TenantId(person.tenant.parse().expect("an id"));
    let store = Store::open(StoreOptions::new(server.data())).expect("the folder opens");
    let records = store.read_now(|reader| reader.scan::<UsageRecord>(home, Scan::table())).expect("it reads");
    let records: Vec<_> = records.items.into_iter().map(|row| row.body).collect();
    assert_eq!(plain(sum(&records)), reported, "seed {seed}");
    let report = storage::doctor::examine(&store, false, &mut |_| {}).expect("it reads");
    assert_eq!(report.problems, [], "seed {seed}");
    for (run, cost) in told.lock().iter() {
        assert_eq!(ends.get(run), Some(cost), "seed {seed}: the cost of run {run} has changed");
    }
    for (run, cost) in &ends {
        let booked = records.iter().filter(|record| record.run_id.is_some_and(|id| id.to_string() == *run));
        assert_eq!(
            booked.map(|record| record.cost_nanos as u64).sum::<u64>(),
            *cost,
            "seed {seed}: run {run}"
        );
    }
    println!("{} records of {} runs, {} seen to their ends", records.len(), ends.len(), told.lock().len());
    assert!(!ends.is_empty() && !told.lock().is_empty(), "seed {seed}: no usage was recorded");
}

async fn own(client: &Client) -> storage::records::usage::Spend {
    spend(&client.get("/api/users/usage-summary").await.ok()["all_time"])
}

async fn tenant(client: &Client) -> storage::records::usage::Spend {
    spend(&client.get("/api/tenant-admin/usage-report?group_by=user").await.ok()["total"])
}
