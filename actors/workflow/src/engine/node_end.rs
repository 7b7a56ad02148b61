//! How a node ends: the events of its success, failure or cancellation, and what else ends or stops as a result.
//!
//! Everything that follows from one end is recorded in the same turn. After a crash, either all of it is in the journal or none.

use runs::event::flow::{BranchTaken, IterationFinished, NodeFinished, NodeStatus, OutputsFrom};
use runs::{EventBody, EventData, RunOutcome, TerminalError};
use serde_json::Value;

use super::attempts::Attempts;
use super::recorder::Recorder;
use super::run_values::RunValues;
use super::scheduler::{Scheduler, superseded_by};
use super::state::{Key, RegionId, State};
use super::waits::{Debugger, Halts};
use crate::graph::{NodeKind, OnError};
use crate::nodes::{self, Fields, NodeResult};

/// Ends executions and records the consequences.
pub struct NodeEnd<'e> {
    pub recorder: &'e mut Recorder,
    pub values: &'e mut RunValues,
    pub scheduler: &'e mut Scheduler,
    pub attempts: &'e mut Attempts,
    pub halts: &'e mut Halts,
    pub debugger: &'e Debugger,
    /// The outcome of the run, once it is decided.
    pub outcome: &'e mut Option<RunOutcome>,
}

impl NodeEnd<'_> {
    /// Ends an execution with a result. The events in `before` become durable together with the end. If the outputs cannot be
    /// stored, the execution fails.
    pub async fn complete(&mut self, key: Key, done: NodeResult, before: Vec<EventBody>) {
        let plan = self.recorder.state.plan.clone();
        let port = done.port.or_else(|| only_port(&plan.node(key.1).kind));
        match self.values.store.store(done.outputs).await {
            Ok(outputs) => self.succeed(key, outputs, port, self.debugger.outputs_from(key), before),
            Err(why) => self.fail(key, why.into()),
        }
    }

    /// Ends an execution with outputs that the node itself did not produce.
    pub async fn complete_pinned(&mut self, key: Key, outputs: Fields, before: Vec<EventBody>) {
        let port = port_for(&self.recorder.state.plan.node(key.1).kind, &outputs);
        match self.values.store.store(outputs).await {
            Ok(outputs) => self.succeed(key, outputs, port, OutputsFrom::Pinned, before),
            Err(why) => self.fail(key, why.into()),
        }
    }

    fn succeed(
        &mut self,
        key: Key,
        outputs: Fields,
        port: Option<String>,
        from: OutputsFrom,
        before: Vec<EventBody>,
    ) {
        let finished = finished(&self.recorder.state, key, NodeStatus::Succeeded);
        self.finish(key, before, NodeFinished { outputs, port, from, ..finished });
        if matches!(self.recorder.state.plan.nodes[key.1].kind, NodeKind::End) {
            *self.outcome = Some(success(&self.recorder.state));
        }
        self.stop_superseded(key);
        self.debugger.stop_after(self.recorder, self.halts, key);
    }

    /// Ends an execution after its last attempt has failed. The node's policy decides: the node ends with default outputs,
    /// continues through the error port, or fails together with the iteration or run around it.
    pub fn fail(&mut self, key: Key, error: TerminalError) {
        let plan = self.recorder.state.plan.clone();
        let node = plan.node(key.1);
        for region in self.recorder.state.regions_of(key) {
            self.stop_region(region);
        }
        let finished = NodeFinished {
            error: Some(error.clone()),
            ..finished(&self.recorder.state, key, NodeStatus::ErrorHandled)
        };
        let ends_run = matches!(node.kind, NodeKind::Fail);
        match node.policy.on_error {
            OnError::Continue if !ends_run => {
                let outputs = self.values.defaults.get(&key.1).cloned().unwrap_or_default();
                let port = port_for(&node.kind, &outputs);
                self.finish(key, Vec::new(), NodeFinished { outputs, port, ..finished });
            }
            OnError::Branch if !ends_run => {
                let port = Some("error".into());
                self.finish(key, Vec::new(), NodeFinished { port, ..finished });
            }
            _ => {
                let finished = NodeFinished { status: NodeStatus::Failed, ..finished };
                self.finish(key, Vec::new(), finished);
                // The message of a `fail` node is written by the author of the graph.
                let mut error = match ends_run {
                    true => TerminalError { authored: true, ..error },
                    false => {
                        let exec_id = self.recorder.state.name(key).exec_id.clone();
                        TerminalError { message: format!("{exec_id}: {}", error.message), ..error }
                    }
                };
                error.node_id.get_or_insert_with(|| node.id.clone());
                self.propagate_failure(key, error);
            }
        }
    }

    /// Fails the iteration or run around a failed execution.
    pub fn propagate_failure(&mut self, key: Key, error: TerminalError) {
        let state = &self.recorder.state;
        let ends_run = matches!(state.plan.node(key.1).kind, NodeKind::Fail);
        match state.region(key.0).and_then(|region| region.of).filter(|_| !ends_run) {
            None => self.fail_run(error),
            Some((of, index)) => self.fail_iteration(of, index, error),
        }
    }

    /// Ends a failed iteration. Also ends the container, unless it ignores failed iterations.
    pub fn fail_iteration(&mut self, of: Key, index: u64, error: TerminalError) {
        if let Some(region) = self.recorder.state.iteration(of, index) {
            self.stop_region(region);
        }
        let passes = self.recorder.state.plan.node(of.1).kind.passes_failed();
        let done = IterationFinished { index, result: Value::Null, error: Some(error.clone()) };
        self.recorder.record_at(of, EventData::IterationFinished(done));
        match passes {
            true => self.scheduler.container_changed(of),
            false => self.fail(of, error),
        }
    }

    /// Decides that the run fails, unless its outcome is already decided.
    pub fn fail_run(&mut self, error: TerminalError) {
        self.outcome.get_or_insert(RunOutcome::Failed { error });
    }

    /// Stops executions that lead only to a join that has continued without them.
    pub fn stop_superseded(&mut self, join: Key) {
        for superseded in superseded_by(&self.recorder.state, join) {
            self.stop(superseded);
        }
    }

    /// Stops all executions in a region.
    pub fn stop_region(&mut self, id: RegionId) {
        for key in self.recorder.state.live_in(id) {
            self.stop(key);
        }
    }

    /// Stops an execution and everything inside it.
    pub fn stop(&mut self, key: Key) {
        for region in self.recorder.state.regions_of(key) {
            self.stop_region(region);
        }
        self.attempts.stop(key, &self.recorder.work);
        let finished = finished(&self.recorder.state, key, NodeStatus::Cancelled);
        match self.recorder.state.is_active(key) {
            true => self.finish(key, Vec::new(), finished),
            false => self.recorder.record_at(key, EventData::NodeFinished(Box::new(finished))),
        }
    }

    /// Records the end of an execution: the events in `before`, the port that the node decided on, the end of its text, and the
    /// end itself.
    fn finish(&mut self, key: Key, mut before: Vec<EventBody>, finished: NodeFinished) {
        let state = &self.recorder.state;
        let (at, kind) = (state.name(key), &state.plan.nodes[key.1].kind);
        if let (true, Some(port)) = (kind.decides(), &finished.port) {
            before.push(EventBody::in_node(&at, EventData::BranchTaken(BranchTaken { port: port.clone() })));
        }
        if kind.speaks() && state.exec(key).is_some_and(|exec| !exec.said.is_empty()) {
            before.push(EventBody::in_node(&at, EventData::TextEnd { part: at.exec_id.to_string() }));
        }
        before.push(EventBody { node: Some(at), data: EventData::NodeFinished(Box::new(finished)) });
        self.recorder.record(before);
        self.attempts.remove(key);
        self.halts.execution_ended(&self.recorder.state, key);
    }
}

/// Returns the outcome of a run in which nothing is left to do.
pub fn success(state: &State) -> RunOutcome {
    match state.items_failed {
        0 => RunOutcome::Succeeded { reason: None },
        1 => RunOutcome::Partial { reason: "1 item failed".to_owned() },
        failed => RunOutcome::Partial { reason: format!("{failed} items failed") },
    }
}

/// Builds the event for the end of an execution, including its usage so far.
fn finished(state: &State, key: Key, status: NodeStatus) -> NodeFinished {
    let exec = state.exec(key);
    NodeFinished {
        status,
        usage: exec.map(|exec| exec.usage).unwrap_or_default(),
        cost_nanos: exec.map(|exec| exec.cost_nanos).unwrap_or_default(),
        elapsed_ms: state.elapsed_ms(key),
        ..NodeFinished::default()
    }
}

fn only_port(kind: &NodeKind) -> Option<String> {
    match kind {
        NodeKind::End | NodeKind::Fail | NodeKind::Break => None,
        _ => Some("out".into()),
    }
}

/// Returns the port of a node whose outputs were not produced by the node itself.
fn port_for(kind: &NodeKind, outputs: &Fields) -> Option<String> {
    nodes::port_of(kind, outputs).or_else(|| only_port(kind))
}
