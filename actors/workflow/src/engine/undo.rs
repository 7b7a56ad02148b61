//! Compensation: what was done is undone, last first, where a run does not succeed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use runs::event::flow::{NodeFinished, NodeStarted, NodeStatus, RunCompensating};
use runs::{EventBody, EventData, NOT_UNDONE, NodeRef, RunOutcome, TerminalError, WriteError};
use serde_json::Map;
use tokio_util::sync::CancellationToken;

use super::Engine;
use super::place::Key;
use super::values::visible;
use crate::graph::{NodeIx, Plan};
use crate::nodes::{self, Fields, NodeError, NodeOutput, Task};

/// How long all of it may take.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// The longest pause between two attempts, in milliseconds.
const PAUSE_MS: f64 = 2_000.0;
impl Engine {
    /// Undoes what can be undone. What an epoch before had begun to undo is not begun again, unless it
    /// may be repeated.
    pub(super) async fn undo(&mut self, outcome: &RunOutcome) -> Result<(), WriteError> {
        let mut done = self.undoable();
        done.retain(|(_, key)| !self.state.undone.contains(&self.state.name(*key).exec_id));
        if done.is_empty() {
            return Ok(());
        }
        done.sort_unstable_by(|a, b| b.cmp(a));
        if !self.state.undoing {
            let executions = done.iter().map(|(_, key)| self.state.name(*key).exec_id.to_string()).collect();
            let begun = RunCompensating { executions, error: outcome.error() };
            self.tell(EventData::RunCompensating(begun))?;
        }
        let until = tokio::time::Instant::now() + PATIENCE;
        for (_, key) in done {
            if tokio::time::timeout_at(until, self.undo_one(key)).await.is_err() {
                let late =
                    NodeError::new("timeout", format!("undoing took longer than {} s", PATIENCE.as_secs()));
                self.tell_undone(key, Err(late), Duration::ZERO).await?;
            }
        }
        Ok(())
    }

    /// An outcome that says of what was done, and was to be undone, that it stands.
    pub(super) fn with_what_stands(&self, outcome: RunOutcome) -> RunOutcome {
        match outcome {
            RunOutcome::Failed { mut error } if !self.state.not_undone.is_empty() => {
                let stands = self.state.not_undone.iter();
                let stands: Vec<_> = stands.map(|(execution, why)| format!("{execution} ({why})")).collect();
                error.message = format!("{}{NOT_UNDONE}{}", error.message, stands.join(", "));
                RunOutcome::Failed { error }
            }
            other => other,
        }
    }

    /// Executions that can be undone, with their place in the order of ends.
    fn undoable(&self) -> Vec<(u64, Key)> {
        let mut found = Vec::new();
        for (id, region) in &self.state.regions {
            for (ix, exec) in &region.execs {
                if exec.undoable {
                    found.push((exec.ended, (*id, *ix)));
                }
            }
        }
        found
    }

    async fn undo_one(&mut self, key: Key) -> Result<(), WriteError> {
        let plan = self.state.plan.clone();
        let Some((by, at)) = self.undoing(key) else { return Ok(()) };
        let begun = Instant::now();
        let undone = self.state.name(key);
        let result = self.undo_by(&plan, by, key, &at, &undone.exec_id).await?;
        self.tell_undone(key, result, begun.elapsed()).await
    }

    /// The node that undoes an execution, and the name of what it does then.
    fn undoing(&self, key: Key) -> Option<(NodeIx, Arc<NodeRef>)> {
        let plan = &self.state.plan;
        let by = plan.node(key.1).policy.compensate?;
        let path = &self.state.region(key.0)?.path;
        Some((by, path.undoing(plan, by, &self.state.name(key).exec_id)))
    }

    async fn tell_undone(
        &mut self,
        key: Key,
        result: Result<Fields, NodeError>,
        took: Duration,
    ) -> Result<(), WriteError> {
        let Some((_, at)) = self.undoing(key) else { return Ok(()) };
        let elapsed_ms = took.as_millis() as u64;
        let finished = match result {
            Ok(outputs) => NodeFinished {
                status: NodeStatus::Succeeded,
                outputs: self.vault.store(outputs).await.unwrap_or_default(),
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
        self.record(vec![EventBody { node: Some(at), data: EventData::NodeFinished(Box::new(finished)) }])
    }

    /// Makes attempts at it, as its policy has it.
    async fn undo_by(
        &mut self,
        plan: &Plan,
        by: NodeIx,
        key: Key,
        at: &Arc<NodeRef>,
        undone: &str,
    ) -> Result<Result<Fields, NodeError>, WriteError> {
        let policy = &plan.node(by).policy;
        let before = self.state.undo_attempts.get(undone).copied().unwrap_or_default();
        if before > 0 && !policy.effect.may_repeat() {
            // A crash cut it off, and there is nobody to be asked.
            let why = Self::uncertain_error("uncertain_effect");
            return Ok(Err(NodeError::new(&why.code, why.message)));
        }
        let mut failures: u32 = 0;
        loop {
            let why = match self.undo_attempt(plan, by, key, at, before + failures + 1).await? {
                Err(why) if failures < policy.retry.max => why,
                result => return Ok(result),
            };
            let harmless = policy.effect.may_repeat() || why.unsent;
            if !harmless || !why.is_named_by(&policy.retry.on) {
                return Ok(Err(why));
            }
            let longer = policy.retry.factor.powi(failures.min(64) as i32);
            let pause = (policy.retry.base_ms as f64 * longer).min(PAUSE_MS);
            tokio::time::sleep(Duration::from_millis(pause as u64)).await;
            failures += 1;
        }
    }

    async fn undo_attempt(
        &mut self,
        plan: &Plan,
        by: NodeIx,
        key: Key,
        at: &Arc<NodeRef>,
        attempt: u32,
    ) -> Result<Result<Fields, NodeError>, WriteError> {
        let node = plan.node(by);
        let templates = node.inputs.iter().map(|(_, template)| template);
        let values = visible(&self.state, &mut self.vault, &self.around, key.0, templates).await;
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
            Ok(given) => given,
            Err(why) => return Ok(Err(why)),
        };
        let shown = self.vault.store(inputs.clone()).await.unwrap_or_else(|_| Map::new());
        let started = EventData::NodeStarted(NodeStarted { inputs: shown, attempt });
        self.record(vec![EventBody::of(at, started)])?;
        self.flush().await?;
        if let Some(done) = nodes::inline(node, inputs.clone(), &values) {
            return Ok(done.map(|done| done.outputs));
        }
        let run = &self.work.run;
        let (voice, mut heard) = NodeOutput::channel(64);
        let writer = self.work.writer.clone();
        let listener = at.clone();
        let listening = tokio::spawn(async move {
            while let Some(said) = heard.recv().await {
                if let nodes::NodeMessage::Usage { model, usage, cost_nanos, estimated } = said {
                    let data = EventData::Usage { usage, cost_nanos, estimated, model: Some(model) };
                    let _ = writer.push(EventBody::of(&listener, data));
                }
            }
        });
        let task = Task {
            tenant: self.work.tenant,
            user: run.user,
            run: run.id,
            sends: self.asked.sends || plan.sends(),
            assistant_id: run.assistant_id,
            model: run.model.clone(),
            idempotency_key: format!("{}:{}", run.id, at.exec_id),
            inputs,
            said: None,
            voice,
            cancel: CancellationToken::new(),
            run_context: self.run_context.clone(),
            fence: Some(self.work.fence()),
        };
        let limit = match node.policy.timeout_ms {
            0 => PATIENCE,
            ms => Duration::from_millis(ms),
        };
        let done = tokio::time::timeout(limit, nodes::attempt(node, task)).await;
        let _ = listening.await;
        Ok(match done {
            Ok(done) => done.map(|done| done.outputs),
            Err(_) => Err(NodeError::new("timeout", format!("took longer than {} ms", limit.as_millis()))),
        })
    }
}
