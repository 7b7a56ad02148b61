//! Recovery: an epoch continues where the previous epoch was interrupted.

use runs::event::flow::NodeStatus;
use runs::{Event, EventData, RunOutcome, StreamEvent, WriteError};
use serde_json::Value;

use super::Engine;
use super::node_end::success;
use super::state::{Exec, Key};
use super::waits::{Due, JournalClock};
use crate::graph::NodeKind;
use crate::nodes::Fields;

/// Number of epochs that may end while an execution is running before the execution is considered the cause.
const CRASH_LOOP: u32 = 3;

impl Engine {
    /// Computes the state from the journal and continues the interrupted work.
    pub(super) async fn recover(&mut self, history: &[Event]) -> Result<(), WriteError> {
        if !self.replay(history) {
            return Ok(());
        }
        let state = &self.recorder.state;
        let (epoch, kept_chars) = (self.recorder.work.run.epoch, state.answer.chars().count() as u64);
        // A run that was loaded after a wait was not interrupted.
        if !self.recorder.work.is_loaded() {
            self.recorder.record_for_run(EventData::RunRecovered { epoch, kept_chars });
        }
        self.restore_inputs().await?;
        let begun = self.recorder.state.steps > 0;
        if !begun && history.iter().all(|event| &*event.kind != "run.started") {
            return self.begin_run().await;
        }
        // If the run was already ending, it continues to end, regardless of the state of its nodes.
        if let Some(ending) = self.recorder.state.ending.clone() {
            self.outcome = Some(ending.into());
            return Ok(());
        }
        // In a cancelled run, no work is continued.
        if self.recorder.work.cancel.is_cancelled() {
            self.outcome = Some(RunOutcome::Cancelled);
            return Ok(());
        }
        if let Some(fork) = self.request.debug.as_ref().and_then(|debug| debug.fork.clone())
            && !fork.reuse.is_empty()
            && !begun
            && !self.recorder.state.reused
        {
            return self.copy_results(&fork).await;
        }
        self.continue_nodes().await
    }

    /// Applies the events of the journal. Returns false if an event cannot be read, which ends the run.
    fn replay(&mut self, history: &[Event]) -> bool {
        let state = &mut self.recorder.state;
        state.ready.reserve(16);
        let mut clock = JournalClock::default();
        for event in history {
            let Some(stored) = StreamEvent::read(event) else {
                let why = format!("event {} of the run's journal cannot be read", event.seq);
                self.outcome = Some(RunOutcome::failed("journal_unreadable", why));
                return false;
            };
            clock.tick(stored.ts, &stored.event);
            if let (Some(node), EventData::NodeStarted(_)) = (&stored.node, &stored.event) {
                state.count_begin(node, stored.epoch);
            }
            let key = stored.node.as_ref().and_then(|node| state.find(node));
            state.apply(stored.node.as_ref(), key, &stored.event, stored.ts);
        }
        self.waits.resume_clock(clock.worked_ms());
        true
    }

    /// Takes the inputs of the run from the outputs of its `start` node, because the message may have changed since.
    async fn restore_inputs(&mut self) -> Result<(), WriteError> {
        let state = &self.recorder.state;
        let outputs = state.starts().find_map(|key| state.exec(key)?.outputs.clone());
        if let Some(Value::Object(stored)) = outputs.as_deref() {
            let inputs = self.values.store.load_all(stored).await.map_err(|_| WriteError)?;
            self.values.inputs = std::sync::Arc::new(Value::Object(inputs));
        }
        Ok(())
    }

    /// Continues all executions that had begun and not ended.
    async fn continue_nodes(&mut self) -> Result<(), WriteError> {
        self.waits.halts.restore(self.recorder.state.paused.clone());
        if self.recorder.state.outputs.is_some() {
            self.outcome = Some(success(&self.recorder.state));
            return Ok(());
        }
        // The crash may have happened after the end of an execution was recorded and before its consequences were.
        for key in self.recorder.state.ended_with(NodeStatus::Failed) {
            let error = self.recorder.state.exec(key).and_then(|exec| exec.error.clone());
            self.ends().propagate_failure(key, error.unwrap_or_default());
        }
        for key in self.recorder.state.ended_with(NodeStatus::Succeeded) {
            self.ends().stop_superseded(key);
        }
        for key in self.recorder.state.active() {
            // The execution may have been stopped by an earlier iteration of this loop.
            if self.recorder.state.is_active(key) {
                self.continue_node(key).await?;
            }
        }
        self.recorder.state.forget_recorded_skips();
        self.recorder.state.find_drained();
        Ok(())
    }

    async fn continue_node(&mut self, key: Key) -> Result<(), WriteError> {
        self.bill_cut_off(key);
        let plan = self.recorder.state.plan.clone();
        let node = plan.node(key.1);
        let (state, timers) = (&self.recorder.state, &mut self.waits.timers);
        let Some(exec) = state.exec(key) else { return Ok(()) };
        match &node.kind {
            NodeKind::Each(_) | NodeKind::Loop(_) => {
                let failed = exec.iterations.as_ref().and_then(|iterations| iterations.error.clone());
                if let Some(error) = failed.filter(|_| !node.kind.passes_failed()) {
                    self.ends().fail(key, error);
                    return Ok(());
                }
                timers.add_timeout(state, key);
                self.scheduler.container_changed(key);
            }
            NodeKind::Human(_) | NodeKind::Wait(_) | NodeKind::Delay => {
                if let Some(until) = exec.waiting.as_ref().and_then(|waiting| waiting.until) {
                    timers.add(until, Due::Expiry, key);
                }
                timers.add_timeout(state, key);
            }
            // The result of the child run is read from the child's own journal.
            NodeKind::Workflow(_) if exec.child.is_some() && self.recorder.work.is_loaded() => {
                return self.begin_attempt(key, Fields::new(), false);
            }
            NodeKind::Workflow(_) if !exec.retrying => return self.repeat_attempt(key).await,
            _ if exec.retrying => timers.add(exec.retry_at.unwrap_or_default(), Due::Retry, key),
            _ if node.policy.effect.may_repeat() && exec.begun < CRASH_LOOP => {
                return self.repeat_attempt(key).await;
            }
            _ => {
                let repeats = node.policy.effect.may_repeat();
                let reason = if repeats { "crash_loop" } else { "uncertain_effect" };
                self.waits.halts.add_uncertain(state, key, reason);
            }
        }
        Ok(())
    }

    /// Records estimated usage for a model call that a crash interrupted before its usage event.
    fn bill_cut_off(&mut self, key: Key) {
        if !self.recorder.state.exec(key).is_some_and(is_cut_off_call) {
            return;
        }
        let (unbilled, answering) = self.recorder.state.take_unbilled(key);
        let Some((read, said)) = unbilled.filter(|unbilled| *unbilled != (0, 0)) else { return };
        let (plan, run) = (&self.recorder.state.plan, &self.recorder.work.run);
        let requested = || plan.node(key.1).kind.model().unwrap_or(&run.model).to_owned();
        let model = answering.unwrap_or_else(requested);
        let (input_tokens, output_tokens) = (read.div_ceil(4), said.div_ceil(4));
        let used = providers::Usage { input_tokens, output_tokens, estimated: true, ..Default::default() };
        let found = self.attempts.run_context().models.find(&model);
        let cost_nanos = found.as_ref().map_or(0, |model| model.info.prices.cost_nanos(&used));
        let model = Some(found.map_or(model, |model| model.info.id.clone()));
        let usage = storage::records::Usage { input_tokens, output_tokens, ..Default::default() };
        self.recorder.record_at(key, EventData::Usage { usage, cost_nanos, estimated: true, model });
    }
}

/// Whether an execution was interrupted during a model call.
fn is_cut_off_call(exec: &Exec) -> bool {
    !exec.retrying && exec.unbilled.is_some()
}
