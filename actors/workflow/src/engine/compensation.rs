//! Compensation: if a run does not succeed, its completed work is undone, most recent first.

use std::sync::Arc;
use std::time::{Duration, Instant};

use runs::event::flow::{NodeFinished, NodeStarted, NodeStatus, RunCompensating};
use runs::{EventBody, EventData, NOT_UNDONE, NodeRef, RunOutcome, TerminalError, WriteError};
use serde_json::Map;
use tokio_util::sync::CancellationToken;

use super::attempts::{Attempts, may_retry};
use super::recorder::Recorder;
use super::run_values::RunValues;
use super::state::{Key, State};
use super::waits::uncertain_error;
use crate::graph::{NodeIx, PlanNode};
use crate::nodes::{self, Fields, NodeError, NodeMessage, NodeOutput};

/// Time limit of the whole compensation.
pub const TIME_LIMIT: Duration = Duration::from_secs(60);
/// Maximum pause between two attempts, in milliseconds.
const MAX_PAUSE_MS: f64 = 2_000.0;
/// Capacity of the message queue of an attempt.
const QUEUE: usize = 64;

/// Undoes the completed work of a run.
pub struct Compensation<'e> {
    pub recorder: &'e mut Recorder,
    pub values: &'e mut RunValues,
    pub attempts: &'e Attempts,
}

/// The execution of a node that undoes another execution.
struct Undo<'p> {
    /// The execution to undo.
    key: Key,
    node: &'p PlanNode,
    /// The name of the undoing execution.
    at: Arc<NodeRef>,
}

impl Compensation<'_> {
    /// Undoes all executions that can be undone. If an earlier epoch had begun to undo an execution, that is repeated only if the
    /// undoing node may run twice.
    pub async fn run(&mut self, outcome: &RunOutcome) -> Result<(), WriteError> {
        let state = &self.recorder.state;
        let mut done = undoable(state);
        done.retain(|(_, key)| !state.undone.contains(&state.name(*key).exec_id));
        if done.is_empty() {
            return Ok(());
        }
        done.sort_unstable_by(|a, b| b.cmp(a));
        if !state.undoing {
            let executions = done.iter().map(|(_, key)| state.name(*key).exec_id.to_string()).collect();
            let begun = RunCompensating { executions, error: outcome.error() };
            self.recorder.record_for_run(EventData::RunCompensating(begun));
        }
        let until = tokio::time::Instant::now() + TIME_LIMIT;
        let plan = self.recorder.state.plan.clone();
        for (_, key) in done {
            let Some((by, at)) = undoing(&self.recorder.state, key) else { continue };
            let undo = Undo { key, node: plan.node(by), at };
            let begun = Instant::now();
            let (result, took) = match tokio::time::timeout_at(until, self.undo(&undo)).await {
                Ok(result) => (result?, begun.elapsed()),
                Err(_) => {
                    let seconds = TIME_LIMIT.as_secs();
                    let why = format!("undoing took longer than {seconds} s");
                    (Err(NodeError::new("timeout", why)), Duration::ZERO)
                }
            };
            self.record_end(undo.at, result, took).await;
        }
        Ok(())
    }

    async fn record_end(&mut self, at: Arc<NodeRef>, result: Result<Fields, NodeError>, took: Duration) {
        let elapsed_ms = took.as_millis() as u64;
        let finished = match result {
            Ok(outputs) => NodeFinished {
                status: NodeStatus::Succeeded,
                outputs: self.values.store.store(outputs).await.unwrap_or_default(),
                elapsed_ms,
                ..NodeFinished::default()
            },
            Err(why) => NodeFinished {
                status: NodeStatus::Failed,
                error: Some(TerminalError::from(why)),
                elapsed_ms,
                ..NodeFinished::default()
            },
        };
        let data = EventData::NodeFinished(Box::new(finished));
        self.recorder.record(vec![EventBody { node: Some(at), data }]);
    }

    /// Makes attempts according to the policy of the node.
    async fn undo(&mut self, undo: &Undo<'_>) -> Result<Result<Fields, NodeError>, WriteError> {
        let policy = &undo.node.policy;
        let state = &self.recorder.state;
        let before = state.undo_attempts.get(&state.name(undo.key).exec_id).copied().unwrap_or_default();
        if before > 0 && !policy.effect.may_repeat() {
            // A crash interrupted the earlier attempt, and at the end of a run no user can be asked.
            let why = uncertain_error("uncertain_effect");
            return Ok(Err(NodeError::new(&why.code, why.message)));
        }
        let mut failures: u32 = 0;
        loop {
            match self.attempt(undo, before + failures + 1).await? {
                Err(why) if may_retry(policy, failures, &why) => {}
                result => return Ok(result),
            }
            let longer = policy.retry.factor.powi(failures.min(64) as i32);
            let pause = (policy.retry.base_ms as f64 * longer).min(MAX_PAUSE_MS);
            tokio::time::sleep(Duration::from_millis(pause as u64)).await;
            failures += 1;
        }
    }

    async fn attempt(
        &mut self,
        undo: &Undo<'_>,
        attempt: u32,
    ) -> Result<Result<Fields, NodeError>, WriteError> {
        let Undo { key, node, at } = undo;
        let templates = node.inputs.iter().map(|(_, template)| template);
        let values = self.values.visible(&self.recorder.state, key.0, templates).await;
        let inputs = values.and_then(|values| {
            let mut inputs = Fields::new();
            for (name, template) in &node.inputs {
                let value = template.evaluate(&values);
                let value = value.map_err(|why| NodeError::new("template", format!("in.{name}: {why}")))?;
                inputs.insert(name.clone(), value);
            }
            Ok((inputs, values))
        });
        let (inputs, values) = match inputs {
            Ok(result) => result,
            Err(why) => return Ok(Err(why)),
        };
        let shown = self.values.store.store(inputs.clone()).await.unwrap_or_else(|_| Map::new());
        let started = EventData::NodeStarted(NodeStarted { inputs: shown, attempt });
        self.recorder.record(vec![EventBody::in_node(at, started)]);
        self.recorder.flush().await?;
        if let Some(done) = nodes::inline(node, inputs.clone(), &values) {
            return Ok(done.map(|done| done.outputs));
        }
        let (output, mut messages) = NodeOutput::channel(QUEUE);
        let (writer, name) = (self.recorder.work.writer.clone(), at.clone());
        let usage = tasks::spawn(async move {
            while let Some(message) = messages.recv().await {
                if let NodeMessage::Usage { model, usage, cost_nanos, estimated } = message {
                    let data = EventData::Usage { usage, cost_nanos, estimated, model: Some(model) };
                    let _ = writer.push(EventBody::in_node(&name, data));
                }
            }
        });
        let task = self.attempts.task(&self.recorder.work, at, inputs, CancellationToken::new(), output);
        let limit = match node.policy.timeout_ms {
            0 => TIME_LIMIT,
            ms => Duration::from_millis(ms),
        };
        let done = tokio::time::timeout(limit, nodes::attempt(node, task)).await;
        let _ = usage.await;
        Ok(match done {
            Ok(done) => done.map(|done| done.outputs),
            Err(_) => Err(NodeError::new("timeout", format!("took longer than {} ms", limit.as_millis()))),
        })
    }
}

/// Returns the executions that can be undone, with their position in the order of ends.
fn undoable(state: &State) -> Vec<(u64, Key)> {
    let mut undoable = Vec::new();
    for (id, region) in &state.regions {
        for (ix, exec) in &region.execs {
            if exec.undoable {
                undoable.push((exec.ended, (*id, *ix)));
            }
        }
    }
    undoable
}

/// Returns the node that undoes an execution, and the name of the undoing execution.
fn undoing(state: &State, key: Key) -> Option<(NodeIx, Arc<NodeRef>)> {
    let plan = &state.plan;
    let by = plan.node(key.1).policy.compensate?;
    let path = &state.region(key.0)?.path;
    Some((by, path.compensation(plan, by, &state.name(key).exec_id)))
}

/// Adds the executions that could not be undone to the error of a failed run.
pub fn with_remaining_effects(state: &State, outcome: RunOutcome) -> RunOutcome {
    match outcome {
        RunOutcome::Failed { mut error } if !state.not_undone.is_empty() => {
            let remaining = state.not_undone.iter();
            let remaining: Vec<_> =
                remaining.map(|(execution, why)| format!("{execution} ({why})")).collect();
            error.message = format!("{}{NOT_UNDONE}{}", error.message, remaining.join(", "));
            RunOutcome::Failed { error }
        }
        other => other,
    }
}
