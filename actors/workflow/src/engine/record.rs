//! Events that change the state, written and applied in one breath.

use std::sync::Arc;

use runs::event::flow::{BranchTaken, NodeFinished, NodeSkipped, NodeStatus, OutputsFrom};
use runs::{EventBody, EventData, NodeRef, TerminalError, WriteError};
use serde_json::{Map, Value, json};
use storage::Timestamp;

use super::Engine;
use super::exec::{Exec, Phase};
use super::place::Key;
use super::state::State;
use crate::graph::{JoinMode, NodeKind};

impl Engine {
    /// Applies events, and lays them out to be written with everything else of this turn: a crash
    /// leaves a failure and all that follows from it, or none of it.
    pub(super) fn record(&mut self, events: Vec<EventBody>) -> Result<(), WriteError> {
        let now = Timestamp::now();
        // Most of what is recorded together happened in one place.
        let mut found: Option<(&Arc<NodeRef>, Option<Key>)> = None;
        for EventBody { node, data } in &events {
            let key = node.as_ref().and_then(|node| match found {
                Some((last, key)) if Arc::ptr_eq(last, node) => key,
                _ => found.insert((node, self.state.find(node))).1,
            });
            self.state.apply(node.as_deref(), key, data, now);
        }
        self.outbox.extend(events);
        Ok(())
    }

    /// Hands what was recorded to the journal. Whatever else is about to write to it comes after.
    pub(super) fn push_out(&mut self) -> Result<(), WriteError> {
        match self.outbox.len() {
            0 => Ok(()),
            _ => self.work.writer.push_all(std::mem::take(&mut self.outbox)),
        }
    }

    /// Waits until all that was recorded is durable.
    pub(super) async fn flush(&mut self) -> Result<(), WriteError> {
        self.push_out()?;
        self.work.writer.flush().await
    }

    /// Writes something that happened in a node, and applies it.
    pub(super) fn record_at(&mut self, key: Key, data: EventData) -> Result<(), WriteError> {
        let at = self.state.name(key);
        self.record(vec![EventBody { node: Some(at), data }])
    }

    /// An execution is over: with the decision it made told beside it, and whatever else has to stand
    /// with it.
    pub(super) fn finish(
        &mut self,
        key: Key,
        mut before: Vec<EventBody>,
        finished: NodeFinished,
    ) -> Result<(), WriteError> {
        let at = self.state.name(key);
        if let (true, Some(port)) = (self.state.plan.nodes[key.1].kind.decides(), &finished.port) {
            before.push(EventBody::of(&at, EventData::BranchTaken(BranchTaken { port: port.clone() })));
        }
        let succeeded = finished.status == NodeStatus::Succeeded;
        let speaks = self.state.plan.nodes[key.1].kind.speaks();
        if speaks && self.state.exec(key).is_some_and(|exec| !exec.said.is_empty()) {
            before.push(EventBody::of(&at, EventData::TextEnd { part: at.exec_id.to_string() }));
        }
        before.push(EventBody { node: Some(at), data: EventData::NodeFinished(Box::new(finished)) });
        self.record(before)?;
        self.uncertain.remove(&key);
        self.handles.remove(&key);
        self.look_at_halt();
        if !succeeded {
            return Ok(());
        }
        if matches!(self.state.plan.nodes[key.1].kind, NodeKind::End) {
            self.outcome = Some(self.success());
        }
        self.after(key)
    }

    /// What follows from a success beside the edges.
    fn after(&mut self, key: Key) -> Result<(), WriteError> {
        self.stop_without(key)?;
        self.stop_after(key)
    }

    /// Stops what a join that has gone on goes on without.
    pub(super) fn stop_without(&mut self, key: Key) -> Result<(), WriteError> {
        if let NodeKind::Join(join) = &self.state.plan.clone().nodes[key.1].kind
            && !join.keep_others
            && join.mode != JoinMode::All
        {
            self.stop_losers(key)?;
        }
        Ok(())
    }

    /// Stops what only leads to a join that has gone on without it.
    fn stop_losers(&mut self, join: Key) -> Result<(), WriteError> {
        let plan = self.state.plan.clone();
        let Some(region) = self.state.region(join.0) else { return Ok(()) };
        let live = region.execs.iter().filter(|(ix, exec)| {
            matches!(exec.phase, Phase::Ready | Phase::Active) && plan.leads_only_to(**ix, join.1)
        });
        let losers: Vec<_> = live.map(|(ix, _)| *ix).collect();
        for loser in losers {
            self.stop((join.0, loser))?;
        }
        Ok(())
    }

    /// Tells of nodes that were passed over.
    pub(super) fn tell_skipped(&mut self) -> Result<(), WriteError> {
        if self.state.skipped.is_empty() {
            return Ok(());
        }
        let skipped = std::mem::take(&mut self.state.skipped);
        let tell =
            |at: Arc<NodeRef>| EventBody { node: Some(at), data: EventData::NodeSkipped(NodeSkipped {}) };
        self.outbox.extend(skipped.into_iter().map(tell));
        Ok(())
    }

    /// How the journal tells of an end.
    pub(super) fn finished(&self, key: Key, status: NodeStatus) -> NodeFinished {
        let exec = self.state.exec(key);
        let started = exec.and_then(|exec| exec.started_at);
        let elapsed = started.map_or(0, |at| Timestamp::now().as_millis() - at.as_millis());
        NodeFinished {
            status,
            usage: exec.map(|exec| exec.usage).unwrap_or_default(),
            cost_nanos: exec.map(|exec| exec.cost_nanos).unwrap_or_default(),
            elapsed_ms: u64::try_from(elapsed).unwrap_or_default(),
            ..NodeFinished::default()
        }
    }
}

impl State {
    /// Takes in what an event says. `key` is what [`State::find`] has for `at`.
    pub fn apply(&mut self, at: Option<&NodeRef>, key: Option<Key>, data: &EventData, ts: Timestamp) {
        match data {
            EventData::VariableChanged(change) => {
                self.vars.insert(change.name.clone(), change.value.clone());
            }
            EventData::RunPaused(why) => self.paused = Some(why.clone()),
            EventData::RunWaiting(_) => self.waiting = true,
            EventData::RunResumed(_) => (self.paused, self.waiting) = (None, false),
            EventData::Outputs(given) => self.outputs = Some(given.outputs.clone()),
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
            // By its name: the iteration that it stood in may be over by now.
            return self.told_skipped(&at.exec_id);
        }
        if let Some(undone) = at.exec_id.strip_suffix("~undo") {
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
            return;
        }
        if let Some(key) = key {
            self.apply_at(key, data, ts);
        }
    }

    fn apply_at(&mut self, key: Key, data: &EventData, ts: Timestamp) {
        match data {
            EventData::NodeStarted(started) => self.started(key, started.inputs.clone(), started.attempt, ts),
            EventData::NodeFinished(done) => {
                let outputs = shown(done.outputs.clone(), done.error.as_ref());
                self.reused |= done.from == OutputsFrom::Reused;
                let own = matches!(done.from, OutputsFrom::Run | OutputsFrom::Edited);
                self.over(key, done.status, done.port.as_deref(), outputs, done.error.clone());
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
                self.leave_iteration(key, done.index);
                let kind = &self.plan.nodes[key.1].kind;
                let dropped = kind.drops_failed() && done.error.is_some();
                // A loop gives its last result only.
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
                (exec.waiting, exec.child) = (None, None);
                exec.retry_at = Some(ts + std::time::Duration::from_millis(retry.delay_ms));
            }
            _ => self.apply_to_exec(key, data),
        }
    }

    fn follow_success(&mut self, key: Key, outputs: &Map<String, Value>) {
        match &self.plan.clone().nodes[key.1].kind {
            NodeKind::Break => {
                if let Some((of, _)) = self.region(key.0).and_then(|region| region.of) {
                    self.break_out(of);
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
                // An agent may go on to ask again; what it reads then is not known.
                exec.unbilled = agent.then_some((0, 0));
                exec.usage += usage;
                exec.cost_nanos = exec.cost_nanos.saturating_add(*cost_nanos);
            }
            _ => {}
        }
    }

    /// Ends the container around a `break` after this iteration.
    pub fn break_out(&mut self, of: Key) {
        if let Some(iterations) = self.exec_mut(of).and_then(|exec| exec.iterations.as_mut()) {
            iterations.breaking = true;
        }
    }
}

impl Exec {
    fn count_said(&mut self, text: &str) {
        if let Some((_, said)) = &mut self.unbilled {
            *said += text.chars().count() as u64;
        }
    }
}

/// Outputs as templates see them: with the error beside them, where there was one.
fn shown(mut outputs: Map<String, Value>, error: Option<&TerminalError>) -> Value {
    if let Some(error) = error {
        outputs.insert("error".into(), json!({"code": error.code, "message": error.message}));
    }
    Value::Object(outputs)
}
