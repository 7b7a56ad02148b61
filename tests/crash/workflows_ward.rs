//! The ward: starts workflow runs, reads them, and answers those whose state is uncertain after a crash.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::sleep;
use uuid::Uuid;

use super::client::Client;
use super::ledger::{Ledger, Recovery};
use super::workflows_graphs::{effect, is_once};
use crate::harness::counting_server::CountingServer;

/// A saved workflow, and the result of an undisturbed run of it.
pub struct Plot {
    pub assistant: String,
    pub graph: Value,
    pub outputs: Value,
    pub text: String,
}

/// Number of answers given to runs that asked, by kind.
#[derive(Default)]
pub struct Answers {
    pub went_on: AtomicUsize,
    pub tried_again: AtomicUsize,
    pub suspected: AtomicUsize,
}

pub struct Ward {
    pub client: Client,
    pub ledger: Arc<Ledger>,
    pub web: CountingServer,
    pub plots: Vec<Plot>,
    /// The workflow of runs that other runs start.
    pub child: Plot,
    /// The plot of each run; `None` for runs of the child workflow.
    pub cases: Mutex<HashMap<String, Option<usize>>>,
    unanswered: Mutex<Vec<(usize, Uuid)>>,
    pub answers: Answers,
}

impl Ward {
    pub fn new(
        client: Client,
        ledger: Arc<Ledger>,
        web: CountingServer,
        plots: Vec<Plot>,
        child: Plot,
    ) -> Arc<Ward> {
        let (cases, unanswered, answers) = Default::default();
        Arc::new(Ward { client, ledger, web, plots, child, cases, unanswered, answers })
    }

    pub fn plot(&self, run: &str) -> &Plot {
        match self.cases.lock().get(run) {
            Some(Some(plot)) => &self.plots[*plot],
            _ => &self.child,
        }
    }

    /// Starts a run and reads it until it ends or the connection breaks.
    pub async fn begin(self: Arc<Ward>, plot: usize, key: Uuid) {
        match self.start(plot, key).await {
            Some(run) => self.client.clone().follow(run, 0).await,
            None => self.unanswered.lock().push((plot, key)),
        }
    }

    async fn start(&self, plot: usize, key: Uuid) -> Option<String> {
        let path = format!("/api/workflows/{}/runs", self.plots[plot].assistant);
        let request = self.client.post(&path).header("idempotency-key", key.to_string()).json(&json!({}));
        let answer = request.send().await.ok()?;
        let status = answer.status();
        let body: Value = answer.json().await.ok()?;
        let (Some(run), Some(conversation)) = (body["stream_id"].as_str(), body["conversation_id"].as_str())
        else {
            self.ledger.fault(format!("a start was answered {status} {body}"));
            return None;
        };
        self.cases.lock().insert(run.to_owned(), Some(plot));
        self.ledger.open(run, conversation, Recovery::Continue, 1);
        Some(run.to_owned())
    }

    /// Repeats the requests that a crash left without a response. The same key must return the same run.
    pub async fn repeat_unanswered(&self) {
        let unanswered = std::mem::take(&mut *self.unanswered.lock());
        for (plot, key) in unanswered {
            let (first, second) = (self.start(plot, key).await, self.start(plot, key).await);
            if first.is_none() || first != second {
                self.ledger.fault(format!("one idempotency key began {first:?} and {second:?}"));
            }
        }
    }

    /// Attends to all runs until it is cancelled: reads the runs that other runs have started, and answers the runs
    /// that ask.
    pub async fn look_after(self: Arc<Ward>) {
        let mut readers = JoinSet::new();
        // By then, requests that were in flight to the receiving server when this server was killed have arrived.
        sleep(Duration::from_millis(100)).await;
        loop {
            for id in self.ledger.unfinished() {
                self.meet_children(&id, &mut readers);
                self.answer(&id).await;
            }
            sleep(Duration::from_millis(40)).await;
        }
    }

    /// Reads the runs that a run has started.
    fn meet_children(self: &Arc<Ward>, id: &str, readers: &mut JoinSet<()>) {
        for data in self.ledger.run(id).events.values() {
            if !data.contains("\"node.waiting\"") {
                continue;
            }
            let event: Value = serde_json::from_str(data).unwrap_or_default();
            let (run, conversation) = (&event["data"]["run_id"], &event["data"]["conversation_id"]);
            let (Some(run), Some(conversation)) = (run.as_str(), conversation.as_str()) else { continue };
            if self.cases.lock().insert(run.to_owned(), None).is_none() {
                self.ledger.open(run, conversation, Recovery::Continue, 1);
                readers.spawn(self.client.clone().follow(run.to_owned(), 0));
            }
        }
    }

    /// Decides how to continue a node that a crash has interrupted: a request that the receiving server has seen
    /// counts as done, and one that it has not seen is tried again.
    async fn answer(&self, id: &str) {
        let run = self.ledger.run(id);
        let last = run.events.values().rev().find(|data| {
            ["\"run.paused\"", "\"run.resumed\"", "\"run.ended\""].iter().any(|kind| data.contains(kind))
        });
        let last: Value = last.and_then(|data| serde_json::from_str(data).ok()).unwrap_or_default();
        if last["type"] != "run.paused" {
            return;
        }
        let exec = last["data"]["node"].as_str().unwrap_or_default();
        let node = exec.rsplit('/').next().unwrap_or_default();
        let plot = self.plot(id);
        let seen = self.web.count_key(&format!("{id}:{exec}"));
        let (action, count) = match last["data"]["reason"].as_str() {
            Some("uncertain_effect") if !is_once(effect(&plot.graph, node)) => {
                return self.ledger.fault(format!("{id}: {exec} may be repeated, but the run asks: {last}"));
            }
            Some("uncertain_effect") if seen > 0 => ("continue", &self.answers.went_on),
            Some("uncertain_effect") => ("retry", &self.answers.tried_again),
            Some("crash_loop") => ("retry", &self.answers.suspected),
            _ => return self.ledger.fault(format!("{id}: paused without a cause: {last}")),
        };
        let fields =
            if action == "continue" { json!({"status": 200, "headers": {}, "body": {}}) } else { json!({}) };
        let path = format!("/api/workflows/{}/runs/{}/resume", plot.assistant, run.conversation);
        let body = json!({"action": action, "node_id": exec, "fields": fields});
        let Ok(answer) = self.client.post(&path).json(&body).send().await else { return };
        let status = answer.status().as_u16();
        let Ok(text) = answer.text().await else { return };
        match status {
            200 => _ = count.fetch_add(1, Ordering::Relaxed),
            // The event after which the run continues has not arrived yet, or the server has just been started.
            409 | 503 => {}
            _ => self.ledger.fault(format!("{id}: {action} of {exec} was answered {status} {text}")),
        }
    }
}
