//! Who looks after runs of workflows: starts them, reads them, and answers those that a crash has left in doubt.

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

/// A workflow that was saved, and what a run of it comes to when nothing disturbs it.
pub struct Plot {
    pub assistant: String,
    pub graph: Value,
    pub outputs: Value,
    pub text: String,
}

/// What was done about runs that asked.
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
    /// Which plot each run goes by; none for the child's.
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

    /// Asks again for what the crash left unanswered: one key is one run.
    pub async fn repeat_unanswered(&self) {
        let unanswered = std::mem::take(&mut *self.unanswered.lock());
        for (plot, key) in unanswered {
            let (first, second) = (self.start(plot, key).await, self.start(plot, key).await);
            if first.is_none() || first != second {
                self.ledger.fault(format!("one idempotency key began {first:?} and {second:?}"));
            }
        }
    }

    /// Looks after all runs for as long as it is let: reads those that runs have started, and answers those that ask.
    pub async fn look_after(self: Arc<Ward>) {
        let mut readers = JoinSet::new();
        // What was under way to the other side when the server was killed has arrived by then.
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

    /// Says what is to become of a node that a crash has cut off: what the other side has seen is held to be done,
    /// and what it has not seen is tried again.
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
                return self.ledger.fault(format!("{id}: {exec} may be repeated, and yet it asks: {last}"));
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
            // The event that it goes on had not come yet; or it has just been started.
            409 | 503 => {}
            _ => self.ledger.fault(format!("{id}: {action} of {exec} was answered {status} {text}")),
        }
    }
}
