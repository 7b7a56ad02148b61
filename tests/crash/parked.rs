//! `kill -9` of a server whose runs wait most of the time, and are unloaded as soon as they wait: every accepted
//! answer is kept, every run ends, and no run asks the same question twice.

use std::sync::Arc;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::client::Client;
use super::ledger::Ledger;
use super::server::Server;
use super::setting;
use crate::api::streams::reading;
use crate::api::workflows::scene::{graph, node};

/// Number of forms that a run shows, one after the other.
const FORMS: usize = 25;
/// Number of runs started between two crashes.
const LOAD: usize = 4;
const CRASHES: u64 = 8;
/// Time limit until every run has ended when there are no further crashes.
const ALL_ENDED: Duration = Duration::from_secs(120);

/// A run, identified by its conversation.
#[derive(Clone)]
struct Run {
    assistant: String,
    conversation: String,
    stream: String,
}

/// A loop around a form, followed by a run of another workflow.
fn asking(child: Option<&str>) -> Value {
    let form = json!({"config": {"actions": [{"name": "on", "label": "On"}]}, "parent": "again"});
    let turns = json!({"config": {"max": FORMS}});
    let mut nodes = vec![
        node("start", "start", json!({}), json!({})),
        node("again", "loop", json!({}), turns),
        node("ask", "human", json!({"title": "On?"}), form),
        node("done", "end", json!({"ok": true}), json!({})),
    ];
    let mut edges = vec!["start again", "again done"];
    if let Some(child) = child {
        let config = json!({"config": {"assistant_id": child}});
        nodes.insert(3, node("inner", "workflow", json!({}), config));
        edges = vec!["start again", "again inner", "inner done"];
    }
    graph(json!({}), nodes, &edges)
}

async fn save(client: &Client, graph: Value) -> String {
    let body = json!({"name": "Flow", "type": "workflow", "workflow": graph});
    let made =
        client.post("/api/assistants").json(&body).send().await.unwrap().json::<Value>().await.unwrap();
    made["id"].as_str().unwrap_or_else(|| panic!("not saved: {made}")).to_owned()
}

async fn start(client: &Client, assistant: &str) -> Run {
    let path = format!("/api/workflows/{assistant}/runs");
    let made = client.post(&path).json(&json!({})).send().await.unwrap().json::<Value>().await.unwrap();
    let field = |name: &str| made[name].as_str().unwrap_or_else(|| panic!("not started: {made}")).to_owned();
    let (conversation, stream) = (field("conversation_id"), field("stream_id"));
    Run { assistant: assistant.to_owned(), conversation, stream }
}

/// The reason why a run receives no further answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AnswersEnd {
    /// The run has ended.
    Done,
    /// The connection broke.
    CutOff,
}

async fn answer(client: Client, run: Run, ledger: Arc<Ledger>) -> AnswersEnd {
    answer_all(client, run, ledger).await.unwrap_or(AnswersEnd::CutOff)
}

/// Answers every form of a run; `None` if the connection breaks.
async fn answer_all(client: Client, run: Run, ledger: Arc<Ledger>) -> Option<AnswersEnd> {
    let path = format!("/api/workflows/{}/runs/{}/resume", run.assistant, run.conversation);
    loop {
        let sent = client.post(&path).json(&json!({"action": "on", "fields": {}})).send().await.ok()?;
        let status = sent.status().as_u16();
        let body: Value = sent.json().await.ok()?;
        match (status, body["code"].as_str()) {
            (200, _) => {}
            (409, Some("not_waiting")) => {
                let path = format!("/api/conversations/{}/streams/active", run.conversation);
                if client.get(&path).send().await.ok()?.status() == 204 {
                    return Some(AnswersEnd::Done);
                }
                sleep(Duration::from_millis(5)).await;
            }
            // Shortly after a start, until the run has been recovered.
            (503, Some("overloaded")) => sleep(Duration::from_millis(20)).await,
            _ => {
                ledger.fault(format!("an answer to {} was answered {status} {body}", run.stream));
                return Some(AnswersEnd::Done);
            }
        }
    }
}

async fn events(client: &Client, run: &Run) -> Vec<Value> {
    let path = format!("/api/conversations/{}/streams/{}?wire=events", run.conversation, run.stream);
    let text = client.get(&path).send().await.unwrap().text().await.unwrap();
    reading::events(&text)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn parked_runs_lose_no_answer_when_the_server_is_killed() {
    let seed = setting("UNDERSTUDY_SEED", rand::rng().random_range(0..1_000_000));
    let _ = rustls::crypto::ring::default_provider().install_default();
    println!("UNDERSTUDY_SEED={seed} repeats the random choices");
    let mut dice = StdRng::seed_from_u64(seed);
    let ledger = Arc::new(Ledger::default());
    let mut server = Server::install_unloading().await;
    let client = Client::new(&server, ledger.clone()).await;
    let simple = save(&client, asking(None)).await;
    let nested = save(&client, asking(Some(&simple))).await;
    let (mut runs, mut cut_off) = (Vec::new(), 0);
    for _ in 0..CRASHES {
        runs.push(start(&client, &nested).await);
        for _ in 1..LOAD {
            runs.push(start(&client, &simple).await);
        }
        let mut people = JoinSet::new();
        for run in &runs {
            people.spawn(answer(client.clone(), run.clone(), ledger.clone()));
        }
        sleep(Duration::from_millis(dice.random_range(0..250))).await;
        server.kill();
        cut_off += people.join_all().await.into_iter().filter(|end| *end == AnswersEnd::CutOff).count();
        server.spawn();
        server.ready().await;
        client.moved(&server);
        ledger.assert_sound(&format!("seed {seed}"));
    }
    assert!(cut_off > 0, "seed {seed}: no crash interrupted a run");
    let all = async {
        for run in &runs {
            // The child of a nested run is answered in its own conversation.
            finish(&client, run, &ledger).await;
        }
    };
    assert!(timeout(ALL_ENDED, all).await.is_ok(), "seed {seed}: a run does not end");
    ledger.assert_sound(&format!("seed {seed}"));
    for run in &runs {
        let events = events(&client, run).await;
        let end = reading::terminal(&events);
        assert_eq!(end["status"], "succeeded", "seed {seed}: {end}");
        let count = |kind: &str| events.iter().filter(|event| event["type"] == kind).count();
        assert_eq!((count("form.required"), count("form.submitted")), (FORMS, FORMS), "seed {seed}");
        let numbers: Vec<_> = events.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
        assert_eq!(numbers, (1..=events.len() as u64).collect::<Vec<_>>(), "seed {seed}");
    }
}

/// Answers the forms of a run and of the run that it starts until both have ended.
async fn finish(client: &Client, run: &Run, ledger: &Arc<Ledger>) {
    loop {
        let path = format!("/api/workflows/{}/runs/{}/resume", run.assistant, run.conversation);
        let sent = client.post(&path).json(&json!({"action": "on", "fields": {}})).send().await.unwrap();
        let body: Value = sent.json().await.unwrap();
        let child = body["waits_for"].as_array().into_iter().flatten().find(|wait| wait["on"] == "child");
        if let Some(child) = child.and_then(|wait| wait["conversation_id"].as_str()) {
            let inner = graph_of(client, &run.assistant).await;
            let child = Run { assistant: inner, conversation: child.to_owned(), stream: String::new() };
            answer(client.clone(), child, ledger.clone()).await;
        }
        let path = format!("/api/conversations/{}/streams/active", run.conversation);
        if client.get(&path).send().await.unwrap().status() == 204 {
            return;
        }
        sleep(Duration::from_millis(5)).await;
    }
}

/// The workflow that a nested workflow runs.
async fn graph_of(client: &Client, assistant: &str) -> String {
    let path = format!("/api/assistants/{assistant}");
    let shown = client.get(&path).send().await.unwrap().json::<Value>().await.unwrap();
    let nodes = shown["workflow"]["nodes"].as_array().cloned().unwrap_or_default();
    let inner = nodes.iter().find_map(|node| node["config"]["assistant_id"].as_str().map(str::to_owned));
    inner.unwrap_or_else(|| panic!("no inner workflow: {shown}"))
}
