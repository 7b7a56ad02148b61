//! Workflows under `kill -9`: whatever is cut off comes to the end that it would have come to without the crash, and
//! nothing that is to be done once is done twice.
//!
//! Random graphs with requests of every effect run many at once on a server that is killed again and again. Where the
//! crash leaves it open whether something was done, the run asks, and the test answers by what the other side has seen.
//!
//! `UNDERSTUDY_WORKFLOW_CRASHES` sets how often (12); `UNDERSTUDY_SEED` repeats a run's random choices.

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
/// Runs that are begun between two crashes.
const LOAD: usize = 10;
/// By then, without further crashes, every run has ended.
const ALL_ENDED: Duration = Duration::from_secs(180);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workflows_end_as_they_would_have_without_the_crash() {
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
    assert!(ended.is_ok(), "seed {seed}: runs that neither end nor say why: {left:#?}");
    verdict::assert_kept(&client, &ledger, seed).await;
    let faults = workflows_laws::faults(&ward);
    assert!(faults.is_empty(), "seed {seed}: {} faults:\n{}", faults.len(), faults.join("\n"));
    let count = |count: &std::sync::atomic::AtomicUsize| count.load(Ordering::Relaxed);
    let answers = &ward.answers;
    let (went_on, again, suspected) =
        (count(&answers.went_on), count(&answers.tried_again), count(&answers.suspected));
    println!("{}; held as done {went_on}, tried again {again}, suspected {suspected}", ledger.summary());
    assert!(crashes < 10 || went_on > 0, "no crash hit a request that was seen; seed {seed}");
}

/// Lets each run that was cut off come on by a node, once in a while: one that never does is given up, and rightly.
pub async fn let_come_on(ledger: &Ledger, cut_off: &[String]) {
    comes(async || ledger.have_come_on(cut_off, "node.finished")).await;
}

/// Reads all runs to their ends, those that they start among them.
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

/// Lets each address take its time, so that there is something to cut off.
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

/// The processes that a process has started.
fn children_of(pid: Option<u32>) -> Vec<u32> {
    let Some(pid) = pid else { return Vec::new() };
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let children = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    children
        .flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
        .collect()
}

/// Waits until processes are gone: a script does not outlive its server.
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
