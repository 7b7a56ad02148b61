//! Applies events to the state.

use std::sync::Arc;

use runs::event::flow::{NodeStatus, NodeWaiting, OutputsFrom};
use runs::{EventData, NodeRef, TerminalError};
use serde_json::{Map, Value, json};
use storage::Timestamp;
use storage::records::Usage;

use super::State;
use super::place::Key;
use crate::graph::NodeKind;

impl State {
    /// Applies an event. `key` is the result of [`State::find`] for `at`.
    pub fn apply(&mut self, at: Option<&NodeRef>, key: Option<Key>, data: &EventData, ts: Timestamp) {
        match data {
            EventData::VariableChanged(change) => {
                self.vars.insert(change.name.clone(), change.value.clone());
            }
            EventData::RunPaused(why) => self.paused = Some(why.clone()),
            EventData::RunWaiting(_) => self.waiting = true,
            EventData::RunResumed(_) => (self.paused, self.waiting) = (None, false),
            EventData::Outputs(event) => self.outputs = Some(event.outputs.clone()),
            EventData::RunEnding(ending) => self.ending = Some(ending.clone()),
            EventData::RunCompensating(_) => self.undoing = true,
            EventData::TextDelta { text, .. } => self.answer.push_str(text),
            EventData::FormSubmitted(answer) => {
                self.answered.insert(answer.form_id, answer.clone());
            }
            EventData::FormExpired(form) => {
                self.expired.insert(form.form_id);
            }
            _ => {}
        }
        let Some(at) = at else { return };
        if let EventData::NodeSkipped(_) = data {
            // Matched by name, because the iteration may have ended by now.
            return self.skip_recorded(&at.exec_id);
        }
        if let Some(undone) = at.exec_id.strip_suffix("~undo") {
            return self.apply_to_compensation(undone, data);
        }
        if let Some(key) = key {
            self.apply_at(key, data, ts);
        }
    }

    fn apply_to_compensation(&mut self, undone: &str, data: &EventData) {
        match data {
            EventData::NodeStarted(begun) => _ = self.undo_attempts.insert(undone.into(), begun.attempt),
            EventData::NodeFinished(done) => {
                self.undone.insert(undone.into());
                if let Some(why) = &done.error {
                    self.not_undone.insert(undone.into(), why.message.clone());
                }
            }
            _ => {}
        }
    }

    fn apply_at(&mut self, key: Key, data: &EventData, ts: Timestamp) {
        match data {
            EventData::NodeStarted(started) => self.started(key, started.inputs.clone(), started.attempt, ts),
            EventData::NodeFinished(done) => {
                let outputs = with_error(done.outputs.clone(), done.error.as_ref());
                self.reused |= done.from == OutputsFrom::Reused;
                let own = matches!(done.from, OutputsFrom::Run | OutputsFrom::Edited);
                self.end_execution(key, done.status, done.port.as_deref(), outputs, done.error.clone());
                let undoes = self.plan.nodes[key.1].policy.compensate.is_some();
                if let Some(exec) = self.exec_mut(key) {
                    exec.undoable = undoes && own && done.status == NodeStatus::Succeeded;
                }
                if done.from != OutputsFrom::Reused && done.status == NodeStatus::Succeeded {
                    self.follow_success(key, &done.outputs);
                }
            }
            EventData::IterationStarted(begun) => {
                self.open_iteration(key, begun.index);
                if let Some(iterations) = self.exec_mut(key).and_then(|exec| exec.iterations.as_mut()) {
                    iterations.next = iterations.next.max(begun.index + 1);
                    iterations.open += 1;
                }
            }
            EventData::IterationFinished(done) => {
                self.close_iteration(key, done.index);
                let kind = &self.plan.nodes[key.1].kind;
                let dropped = kind.drops_failed() && done.error.is_some();
                // A loop outputs only its last result.
                let collects = matches!(kind, NodeKind::Each(_));
                if let Some(iterations) = self.exec_mut(key).and_then(|exec| exec.iterations.as_mut()) {
                    iterations.open = iterations.open.saturating_sub(1);
                    iterations.failed += u64::from(done.error.is_some());
                    iterations.error = done.error.clone().or(iterations.error.take());
                    iterations.last = done.result.clone();
                    if collects {
                        iterations.results.insert(done.index, (!dropped).then(|| done.result.clone()));
                    }
                }
            }
            EventData::NodeRetry(retry) => {
                let Some(exec) = self.exec_mut(key) else { return };
                (exec.failures, exec.retrying) = (exec.failures + 1, true);
                // The attempt ended by itself, so the execution is not considered the cause of crashes.
                (exec.begun, exec.begun_in) = (0, 0);
                (exec.waiting, exec.child) = (None, None);
                exec.retry_at = Some(ts + std::time::Duration::from_millis(retry.delay_ms));
            }
            _ => self.apply_to_exec(key, data),
        }
    }

    fn follow_success(&mut self, key: Key, outputs: &Map<String, Value>) {
        match &self.plan.clone().nodes[key.1].kind {
            NodeKind::Break => {
                let container = self.region(key.0).and_then(|region| region.of);
                let exec = container.and_then(|(of, _)| self.exec_mut(of));
                if let Some(iterations) = exec.and_then(|exec| exec.iterations.as_mut()) {
                    iterations.breaking = true;
                }
            }
            NodeKind::Each(_) => {
                self.items_failed += outputs.get("failed").and_then(Value::as_u64).unwrap_or_default();
            }
            _ => {}
        }
    }

    fn apply_to_exec(&mut self, key: Key, data: &EventData) {
        let agent = matches!(self.plan.nodes[key.1].kind, NodeKind::Agent(_));
        let Some(exec) = self.exec_mut(key) else { return };
        match data {
            EventData::NodeWaiting(waiting) => {
                exec.child = waiting.run_id.map(|run| (run, waiting.conversation_id)).or(exec.child);
                exec.waiting = Some(waiting.clone());
            }
            EventData::FormRequired(form) => {
                exec.form = Some(form.clone());
                self.forms.insert(form.form_id, key);
            }
            EventData::TextDelta { text, .. } => {
                exec.count_said(text);
                exec.said.push_str(text);
            }
            EventData::NodeDelta(delta) => exec.count_said(&delta.text),
            EventData::Answering { model } => exec.answering = Some(model.clone()),
            EventData::Usage { usage, cost_nanos, .. } => {
                exec.answering = None;
                // An agent may call the model again. How much the model reads in that call is not known.
                exec.unbilled = agent.then_some((0, 0));
                exec.usage += usage;
                exec.cost_nanos = exec.cost_nanos.saturating_add(*cost_nanos);
            }
            _ => {}
        }
    }
}

/// Changes of executions that accompany events which attempts write themselves, bypassing the recorder.
impl State {
    /// Applies the end of an attempt. `usage` and `cost_nanos` belong to this attempt; `said` is all text that the node has
    /// written to the answer.
    pub fn attempt_ended(&mut self, key: Key, usage: &Usage, cost_nanos: u64, said: &str) {
        let Some(exec) = self.exec_mut(key) else { return };
        exec.usage += usage;
        exec.cost_nanos = exec.cost_nanos.saturating_add(cost_nanos);
        let fresh = said.get(exec.said.len()..).unwrap_or_default().to_owned();
        said.clone_into(&mut exec.said);
        exec.waiting = None;
        self.answer.push_str(&fresh);
    }

    /// Notes that an execution waits for a child run whose id is not known yet.
    pub fn waits_for_child(&mut self, key: Key) {
        if let Some(exec) = self.exec_mut(key) {
            exec.waiting = Some(NodeWaiting { on: "child".into(), ..NodeWaiting::default() });
        }
    }

    /// Counts the epochs in which an execution has begun. A replay uses the count to recognise a node that crashes the process.
    pub fn count_begin(&mut self, node: &NodeRef, epoch: u32) {
        let Some(exec) = self.find(node).and_then(|key| self.exec_mut(key)) else { return };
        if exec.begun_in != epoch {
            (exec.begun, exec.begun_in) = (exec.begun + 1, epoch);
        }
    }

    /// Takes the characters of a model call that was interrupted before its usage event: how many the model read and wrote, and
    /// the fallback model that answered, if any.
    pub fn take_unbilled(&mut self, key: Key) -> (Option<(u64, u64)>, Option<String>) {
        let taken = self.exec_mut(key).map(|exec| (exec.unbilled.take(), exec.answering.take()));
        taken.unwrap_or_default()
    }

    /// Caches the loaded items of an `each` and their number.
    pub fn remember_items(&mut self, key: Key, items: Arc<Value>, count: u64) {
        if let Some(iterations) = self.exec_mut(key).and_then(|exec| exec.iterations.as_mut()) {
            (iterations.items, iterations.count) = (Some(items), Some(count));
        }
    }
}

/// Returns the outputs as templates see them: with `error` added if the node failed.
fn with_error(mut outputs: Map<String, Value>, error: Option<&TerminalError>) -> Value {
    if let Some(error) = error {
        outputs.insert("error".into(), json!({"code": error.code, "message": error.message}));
    }
    Value::Object(outputs)
}
