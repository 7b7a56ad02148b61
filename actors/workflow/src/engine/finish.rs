//! The end of a run: attempts are stopped, completed work is undone unless the run succeeded, and outputs are recorded.

use runs::event::flow::{NodeStatus, Outputs, RunEnding};
use runs::{EventData, RunOutcome, WriteError};
use serde_json::{Map, Value};

use super::Engine;
use super::compensation::Compensation;
use super::state::{Phase, TOP};
use crate::graph::NodeKind;

impl Engine {
    /// Ends the run. Returns the outcome, including the effects that could not be undone.
    pub(super) async fn finish(mut self: Box<Self>, outcome: RunOutcome) -> Result<RunOutcome, WriteError> {
        self.waits.halts.clear();
        // From here on, commands are refused immediately.
        self.recorder.work.commands.close();
        if !is_success(&outcome) && self.recorder.state.ending.is_none() {
            let ending =
                RunEnding { status: outcome.status(), reason: outcome.reason(), error: outcome.error() };
            self.recorder.record_for_run(EventData::RunEnding(ending));
        }
        self.recorder.push()?;
        self.stop_attempts().await;
        self.ends().stop_region(TOP);
        self.recorder.push()?;
        if is_success(&outcome) {
            self.record_outputs().await;
        } else {
            let mut compensation = Compensation {
                recorder: &mut self.recorder,
                values: &mut self.values,
                attempts: &self.attempts,
            };
            compensation.run(&outcome).await?;
        }
        self.recorder.flush().await?;
        Ok(super::compensation::with_remaining_effects(&self.recorder.state, outcome))
    }

    /// Cancels all attempts and waits until they have ended by themselves or are aborted. Work that they complete in that time is
    /// recorded and may have to be undone.
    async fn stop_attempts(&mut self) {
        self.attempts.cancel_all();
        self.cancel_children().await;
        let until = tokio::time::Instant::now() + self.attempts.grace(&self.recorder.work);
        while let Ok(Some(ended)) = tokio::time::timeout_at(until, self.attempts.next()).await {
            if let Ok(ended) = ended {
                self.on_late_attempt(ended).await;
            }
        }
        self.attempts.shutdown().await;
    }

    /// Cancels child runs that were started in an earlier epoch and have no task in this epoch.
    async fn cancel_children(&self) {
        let (work, state) = (&self.recorder.work, &self.recorder.state);
        let mut children = Vec::new();
        for (id, region) in &state.regions {
            for (ix, exec) in &region.execs {
                let waits =
                    matches!(&state.plan.node(*ix).kind, NodeKind::Workflow(config) if !config.detach);
                let stopped = exec.phase == Phase::Active || exec.status == Some(NodeStatus::Cancelled);
                // Child runs that a task watches are cancelled by that task.
                if waits && stopped && !self.attempts.has((*id, *ix)) {
                    children.extend(exec.child.map(|(run, _)| run));
                }
            }
        }
        let cancels = children.into_iter().map(|child| work.runs.cancel(work.tenant, child, work.run.user));
        futures::future::join_all(cancels).await;
    }

    /// For a run without an `end` node, records the answer as the outputs. For a run without an answer, writes the outputs as the
    /// answer.
    async fn record_outputs(&mut self) {
        let (state, store) = (&self.recorder.state, &mut self.values.store);
        match state.outputs.clone() {
            None if state.answer.is_empty() => {}
            None => {
                let answer = Value::String(state.answer.clone());
                let outputs = Map::from_iter([("text".to_owned(), answer)]);
                let outputs = store.store(outputs).await.unwrap_or_default();
                self.recorder.record_for_run(EventData::Outputs(Outputs { outputs }));
            }
            Some(outputs) if state.answer.is_empty() && !outputs.is_empty() => {
                let outputs = store.load_all(&outputs).await.unwrap_or_default();
                let (part, text) = ("outputs".to_owned(), readable(&outputs));
                let events = [
                    EventData::TextStart { part: part.clone() },
                    EventData::TextDelta { part: part.clone(), text },
                    EventData::TextEnd { part },
                ];
                self.recorder.record(events.into_iter().map(Into::into).collect());
            }
            Some(_) => {}
        }
    }
}

fn is_success(outcome: &RunOutcome) -> bool {
    matches!(outcome, RunOutcome::Succeeded { .. } | RunOutcome::Partial { .. })
}

/// Formats outputs for people: a single text as is, anything else as JSON.
fn readable(outputs: &Map<String, Value>) -> String {
    let mut values = outputs.values();
    match (values.next(), values.next()) {
        (Some(Value::String(text)), None) => text.clone(),
        _ => {
            let json = serde_json::to_string_pretty(outputs).unwrap_or_default();
            format!("```json\n{json}\n```")
        }
    }
}
