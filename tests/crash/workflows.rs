//! Workflows under `kill -9`: every interrupted run ends as it would have ended without the crash, and no effect that
//! may occur only once occurs twice.
//!
//! Many random graphs with requests of every effect run concurrently on a server that is killed repeatedly. If the
//! crash leaves it open whether an effect occurred, the run asks, and the test answers according to what the receiving
//! server has seen.
//!
//! `UNDERSTUDY_WORKFLOW_CRASHES` sets the number of crashes (12); `UNDERSTUDY_SEED` repeats a run's random choices.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use uuid::Uuid;

use super::client::Client;
use super::ledger::Ledger;
use super::server::Server;
use super::workflows_ward::{Plot, Ward};
use super::{setting, verdict, workflows_graphs, workflows_laws};
use crate::harness::comes;
use crate::harness::counting_server::{CountingServer, Reply};

/// The number of different graphs.
const PLOTS: usize = 10;
/// Number of runs started between two crashes.
const LOAD: usize = 10;
/// Time limit until every run has ended when there are no further crashes.
const ALL_ENDED: Duration = Duration::from_secs(180);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workflows_end_with_the_same_result_as_without_a_crash() {
    let crashes = setting("UNDERSTUDY_WORKFLOW_CRASHES", 12);
    let seed = setting("UNDERSTUDY_SEED", rand::rng().random_range(0..1_000_000));
    let _ = rustls::crypto::ring::default_provider().install_default();
    println!("{crashes} crashes; UNDERSTUDY_SEED={seed} repeats them");
    let mut dice = StdRng::seed_from_u64(seed);
    let (ledger, web) = (Arc::new(Ledger::default()), CountingServer::start().await);
    let mut server = Server::install_unloading().await;
    let client = Client::new(&server, ledger.clone()).await;
    let ward = rehearse(&mut dice, client.clone(), ledger.clone(), web).await;

    for crash in 0..crashes {
        let mut readers = JoinSet::new();
        for run in ledger.unfinished() {
            readers.spawn(client.clone().follow(run, 0));
        }
        for _ in 0..LOAD {
            let (plot, key) = (dice.random_range(0..PLOTS), Uuid::from_u128(dice.random()));
            readers.spawn(ward.clone().begin(plot, key));
        }
        let nurse = tokio::spawn(ward.clone().look_after());
        let cut_off = ledger.unfinished();
        let long = crash % 4 == 3;
        let (shortest, longest) = if long { (2_000, 3_000) } else { (0, 900) };
        sleep(Duration::from_millis(dice.random_range(shortest..longest))).await;
        if long {
            let_come_on(&ledger, &cut_off).await;
        }
        let scripts = children_of(server.pid());
        server.kill();
        while readers.join_next().await.is_some() {}
        nurse.abort();
        ledger.assert_sound(&format!("crash {crash}, seed {seed}"));
        ledger.crashed();
        assert_gone(scripts).await;
        server.spawn();
        server.ready().await;
        client.moved(&server);
        ward.repeat_unanswered().await;
    }

    let nurse = tokio::spawn(ward.clone().look_after());
    let ended = timeout(ALL_ENDED, read_out(&ward)).await;
    nurse.abort();
    ledger.assert_sound(&format!("after the last crash, seed {seed}"));
    let left = ledger.unfinished();
    let left: Vec<_> =
        left.iter().map(|id| (id, ledger.run(id).events.into_values().collect::<Vec<_>>())).collect();
    assert!(ended.is_ok(), "seed {seed}: runs that have not ended: {left:#?}");
    verdict::assert_kept(&client, &ledger, seed).await;
    let faults = workflows_laws::faults(&ward);
    assert!(faults.is_empty(), "seed {seed}: {} faults:\n{}", faults.len(), faults.join("\n"));
    let count = |count: &std::sync::atomic::AtomicUsize| count.load(Ordering::Relaxed);
    let answers = &ward.answers;
    let (went_on, again, suspected) =
        (count(&answers.went_on), count(&answers.tried_again), count(&answers.suspected));
    println!("{}; held as done {went_on}, tried again {again}, suspected {suspected}", ledger.summary());
    assert!(crashes < 10 || went_on > 0, "no crash interrupted a request that was received; seed {seed}");
}

/// Waits until each interrupted run has completed another node. Called occasionally, because a run that never makes
/// progress is rightly marked as failed.
pub async fn let_come_on(ledger: &Ledger, cut_off: &[String]) {
    comes(async || ledger.have_come_on(cut_off, "node.finished")).await;
}

/// Reads all runs to their ends, including the runs that they start.
pub async fn read_out(ward: &Arc<Ward>) {
    loop {
        let left = ward.ledger.unfinished();
        if left.is_empty() {
            return;
        }
        let mut readers = JoinSet::new();
        for run in left {
            readers.spawn(ward.client.clone().follow(run, 0));
        }
        while readers.join_next().await.is_some() {}
        sleep(Duration::from_millis(20)).await;
    }
}

/// Saves the graphs, and runs each of them undisturbed.
async fn rehearse(dice: &mut StdRng, client: Client, ledger: Arc<Ledger>, web: CountingServer) -> Arc<Ward> {
    let inner = workflows_graphs::child(&web.url(""));
    slow_down(dice, &web, &inner);
    let inner = Plot {
        assistant: save(&client, &inner).await,
        graph: inner,
        outputs: Value::Null,
        text: String::new(),
    };
    let mut plots = Vec::new();
    for place in 0..PLOTS {
        let graph = workflows_graphs::plot(dice, &web.url(&format!("/{place}")), &inner.assistant);
        slow_down(dice, &web, &graph);
        let assistant = save(&client, &graph).await;
        let path = format!("/api/workflows/{assistant}/runs");
        let ended = ok(client.post(&path).json(&json!({"mode": "wait"}))).await;
        assert_eq!(ended["state"], "succeeded", "{ended}: {graph:#}");
        let (outputs, text) =
            (ended["outputs"].clone(), ended["text"].as_str().unwrap_or_default().to_owned());
        plots.push(Plot { assistant, graph, outputs, text });
    }
    Ward::new(client, ledger, web, plots, inner)
}

/// Delays each URL of the graph, so that there is something to interrupt.
pub fn slow_down(dice: &mut StdRng, web: &CountingServer, graph: &Value) {
    for node in graph["nodes"].as_array().into_iter().flatten() {
        if let Some(url) = node["in"]["url"].as_str() {
            let path = url.strip_prefix(&web.url("")).unwrap_or_default();
            let delay = Duration::from_millis(dice.random_range(0..120));
            web.always(path, Reply::json(json!({"path": path})).after(delay));
        }
    }
}

pub async fn save(client: &Client, graph: &Value) -> String {
    let body = json!({"name": "Flow", "type": "workflow", "workflow": graph});
    let made = ok(client.post("/api/assistants").json(&body)).await;
    made["id"].as_str().expect("an id").to_owned()
}

async fn ok(request: reqwest::RequestBuilder) -> Value {
    let answer = request.send().await.expect("an answer");
    let status = answer.status();
    let text = answer.text().await.expect("a body");
    assert!(status.is_success(), "{status}: {text}");
    serde_json::from_str(&text).expect("JSON")
}

/// The child processes of a process.
fn children_of(pid: Option<u32>) -> Vec<u32> {
    let Some(pid) = pid else { return Vec::new() };
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let children = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    children
        .flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
        .collect()
}

/// Waits until processes have ended: a script does not outlive its server.
async fn assert_gone(pids: Vec<u32>) {
    let lives = |pid: &u32| {
        let line = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let state = line.rsplit(") ").next().and_then(|rest| rest.chars().next());
        state.is_some_and(|state| state != 'Z')
    };
    let gone = comes(async || !pids.iter().any(lives)).await;
    assert!(
        gone,
        "scripts outlive the server: {:?}",
        pids.iter().filter(|pid| lives(pid)).collect::<Vec<_>>()
    );
}
