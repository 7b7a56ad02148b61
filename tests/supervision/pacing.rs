//! Runs that are recovered after a start call their provider a few at a time. Runs that wait for their turn are listed
//! and can be cancelled.

use serde_json::{Value, json};
use storage::TenantId;
use uuid::Uuid;

use crate::api::streams::reading::{self, address, ask, conversation};
use crate::api::workflows::scene::{Run, graph, node, workflow};
use crate::harness::fake_provider::FakeProvider;
use crate::harness::{Client, TestServer, until};

const RUNS: usize = 8;
const TURNS: usize = 2;

/// A server whose completions of a model were interrupted, with the conversations and streams of these completions.
async fn cut_off(provider: &FakeProvider, model: &str) -> (TestServer, Vec<(String, String)>) {
    let config = provider.config();
    let server = TestServer::start_with(move |settings| {
        reading::unlimited(settings);
        settings.providers.push(config);
    })
    .await;
    let user = server.user();
    let mut runs = Vec::new();
    for _ in 0..RUNS {
        let home = conversation(&user).await;
        let asked = json!({"message": "Hello?", "model": format!("fake/{model}"), "recovery": "retry"});
        let stream = ask(&user, &home, asked).await;
        runs.push((home, stream.id.clone()));
    }
    until("all have reached the provider", async || provider.open() == RUNS).await;
    let server = server.restart_with(|settings| settings.runs.recovery_per_provider = TURNS).await;
    (server, runs)
}

/// The states of the runs, as their conversations show them.
async fn states(client: &Client, runs: &[(String, String)]) -> Vec<String> {
    let mut states = Vec::new();
    for (home, _) in runs {
        let answer = client.get(&format!("/api/conversations/{home}/streams/active")).await;
        let state =
            (answer.status == 200).then(|| answer.json()["state"].as_str().map(str::to_owned)).flatten();
        states.push(state.unwrap_or_default());
    }
    states
}

fn count(states: &[String], state: &str) -> usize {
    states.iter().filter(|one| *one == state).count()
}

#[tokio::test]
async fn unresponsive_provider_is_called_by_few_recovered_runs() {
    let provider = FakeProvider::start().await;
    let (server, runs) = cut_off(&provider, "silent").await;
    let user = server.user();
    until("the permitted number of runs has reached the provider", async || {
        let states = states(&user, &runs).await;
        provider.open() == TURNS
            && count(&states, "running") == TURNS
            && count(&states, "queued") == RUNS - TURNS
    })
    .await;
    assert_eq!(provider.requests().await.len(), RUNS + TURNS);

    // Those that wait say why, and who is next.
    let mut places = Vec::new();
    for (home, _) in &runs {
        let live = user.get(&format!("/api/conversations/{home}/streams/active")).await.ok();
        places.extend(live.get("queue").cloned());
    }
    places.sort_by_key(|place| place["position"].as_u64());
    let place = |position| json!({"reason": "recovery_of_provider", "limit": TURNS, "position": position});
    assert_eq!(places, (1..=RUNS - TURNS).map(place).collect::<Vec<_>>());

    // Cancelling a run that waits for its turn does not affect the others.
    let now = states(&user, &runs).await;
    let at = |state: &str| now.iter().position(|one| one == state).map(|at| runs[at].clone()).expect("one");
    let (home, stream) = at("queued");
    let receipt: Value = user.delete(&address(&home, &stream)).await.ok();
    assert_eq!(receipt["terminal"]["status"], "cancelled");
    assert_eq!(provider.requests().await.len(), RUNS + TURNS);

    // When a running run ends, its turn goes to the next one.
    let (home, stream) = at("running");
    user.delete(&address(&home, &stream)).await.ok();
    until("the next one has reached the provider", async || {
        provider.requests().await.len() == RUNS + TURNS + 1 && provider.open() == TURNS
    })
    .await;
}

#[tokio::test]
async fn workflows_without_model_calls_do_not_wait_for_each_other() {
    let server = TestServer::start_with(reading::unlimited).await;
    let nodes = vec![
        node("start", "start", json!({}), json!({})),
        node("again", "loop", json!({}), json!({"config": {"max": 10_000}})),
        // Too short for the run to be unloaded.
        node("rest", "delay", json!({"ms": 500}), json!({"parent": "again"})),
        node("done", "end", json!({}), json!({})),
    ];
    let resting = graph(json!({}), nodes, &["start again", "again done"]);
    let editor = server.editor();
    let assistant = workflow(&editor, resting).await;
    let mut runs = Vec::new();
    for _ in 0..RUNS {
        let run = Run::start(&editor, &assistant, json!({})).await;
        runs.push((run.conversation, run.stream));
    }
    // The states are not used here: until a run is recovered, its state is the one before the end of the process.
    let have_got_on = |server: &TestServer, epoch: u32| {
        let tenant = TenantId(server.user_person().tenant.parse().expect("an id"));
        let epoch = format!("\"epoch\":{epoch},");
        runs.iter().all(|(_, stream)| {
            let run = stream.parse::<Uuid>().expect("an id");
            let events = server.store().journal_read(tenant, run, 0, usize::MAX).expect("the store reads");
            let of_epoch = |json: &[u8]| String::from_utf8_lossy(json).contains(&epoch);
            events.iter().any(|event| &*event.kind == "node.finished" && of_epoch(&event.json))
        })
    };
    until("all are at work", async || have_got_on(&server, 1)).await;
    let server = server.restart_with(|settings| settings.runs.recovery_per_provider = 1).await;
    // If these runs needed turns, the last one would continue only after minutes.
    until("all runs have continued", async || have_got_on(&server, 2)).await;
}

#[tokio::test]
async fn responsive_provider_is_called_by_all_recovered_runs() {
    let provider = FakeProvider::start().await;
    let (server, runs) = cut_off(&provider, "stall").await;
    // Each sends three words and stalls, so that none of them ends.
    until("all have reached the provider again", async || provider.open() == RUNS).await;
    let user = server.user();
    for (home, stream) in &runs {
        user.delete(&address(home, stream)).await.ok();
    }
}
