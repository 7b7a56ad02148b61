//! Going on where the epoch before was cut off.

use std::time::Duration;

use runs::event::flow::NodeStatus;
use runs::{Event, EventBody, EventData, NodeRef, RunOutcome, WriteError};
use serde::Deserialize;
use serde_json::Value;
use storage::Timestamp;

use super::Engine;
use super::exec::Phase;
use super::place::{Key, TOP};
use super::timers::Due;
use crate::graph::NodeKind;

/// Epochs that may end in the midst of the same execution before it is held to be the cause.
const SUSPICIOUS: u32 = 3;

/// An event as it stands in the journal.
#[derive(Deserialize)]
struct StoredEvent {
    ts: Timestamp,
    epoch: u32,
    #[serde(flatten)]
    node: Option<NodeRef>,
    #[serde(flatten)]
    event: EventData,
}

impl Engine {
    /// Makes the state of the journal, and sees to what was cut off.
    pub(super) async fn replay(&mut self, history: &[Event]) -> Result<(), WriteError> {
        self.state.ready.reserve(16);
        let mut clock = Clock::default();
        for event in history {
            let Ok(kept) = serde_json::from_slice::<StoredEvent>(&event.json) else {
                let why = format!("event {} of the run's journal cannot be read", event.seq);
                self.outcome = Some(RunOutcome::failed("journal_unreadable", why));
                return Ok(());
            };
            clock.tick(&kept);
            if let (Some(node), EventData::NodeStarted(_)) = (&kept.node, &kept.event) {
                self.count_beginning(node, kept.epoch);
            }
            let key = kept.node.as_ref().and_then(|node| self.state.find(node));
            self.state.apply(kept.node.as_ref(), key, &kept.event, kept.ts);
        }
        self.worked_ms = clock.worked_ms;
        let (epoch, kept_chars) = (self.work.run.epoch, self.state.answer.chars().count() as u64);
        let recovered = EventData::RunRecovered { epoch, kept_chars };
        self.tell(recovered)?;
        self.keep_inputs().await?;
        let begun = self.state.steps > 0;
        if !begun && history.iter().all(|event| &*event.kind != "run.started") {
            return self.begin_again().await;
        }
        // What was being wound up is wound up further, whatever its nodes look like by now.
        if let Some(told) = self.state.ending.clone() {
            self.outcome = Some(told.into());
            return Ok(());
        }
        // Nothing is taken up of a run that was told to stop.
        if self.work.cancel.is_cancelled() {
            self.outcome = Some(RunOutcome::Cancelled);
            return Ok(());
        }
        if let Some(fork) = self.asked.debug.as_ref().and_then(|debug| debug.fork.clone())
            && !fork.reuse.is_empty()
            && !begun
            && !self.state.reused
        {
            return self.take_over(&fork).await;
        }
        self.take_up().await
    }

    /// What the run was started with is what its first node said, whatever has become of the message
    /// since.
    async fn keep_inputs(&mut self) -> Result<(), WriteError> {
        let starts = self.state.plan.roots.iter().map(|root| (TOP, *root));
        let start = starts.filter(|key| matches!(self.state.plan.node(key.1).kind, NodeKind::Start));
        let given = start.filter_map(|key| self.state.exec(key)?.outputs.clone()).next();
        if let Some(Value::Object(given)) = given.as_deref() {
            let inputs = self.vault.load_all(given).await.map_err(|_| WriteError)?;
            self.around.inputs = std::sync::Arc::new(Value::Object(inputs));
        }
        Ok(())
    }

    /// The run had been told of, and had not begun.
    async fn begin_again(&mut self) -> Result<(), WriteError> {
        self.begin_new().await
    }

    fn count_beginning(&mut self, node: &NodeRef, epoch: u32) {
        let Some(exec) = self.state.find(node).and_then(|key| self.state.exec_mut(key)) else { return };
        if exec.begun_in != epoch {
            (exec.begun, exec.begun_in) = (exec.begun + 1, epoch);
        }
    }

    /// Sees to everything that had begun and was not over.
    async fn take_up(&mut self) -> Result<(), WriteError> {
        // What is uncertain is found out anew: it may have been decided, and the crash have come before that was told.
        let kept = self.state.paused.clone().map(super::pause::Halt::kept);
        self.halt = kept.filter(|halt| !halt.asks());
        if self.state.outputs.is_some() {
            self.outcome = Some(self.success());
            return Ok(());
        }
        for key in self.over(NodeStatus::Failed) {
            let error = self.state.exec(key).and_then(|exec| exec.error.clone());
            self.consequence(key, error.unwrap_or_default())?;
        }
        for key in self.over(NodeStatus::Succeeded) {
            self.stop_without(key)?;
        }
        for key in self.state.active() {
            // What came before may have stopped it.
            if self.state.exec(key).is_some_and(|exec| exec.phase == Phase::Active) {
                self.take_up_one(key).await?;
            }
        }
        self.state.forget_told();
        let drained = self.state.regions.iter().filter(|(_, region)| region.open == 0);
        let drained: Vec<_> = drained.map(|(id, _)| *id).collect();
        self.state.drained.extend(drained);
        Ok(())
    }

    /// Executions that are over in what is still under way: the crash may have come before it was seen to what follows
    /// from them.
    fn over(&self, status: NodeStatus) -> Vec<Key> {
        let mut found = Vec::new();
        for (id, region) in &self.state.regions {
            // Iterations are kept when they are over, where something in them may have to be undone.
            let under_way = region.of.is_none_or(|(of, index)| self.state.iteration(of, index) == Some(*id));
            let over = region.execs.iter().filter(|(_, exec)| under_way && exec.status == Some(status));
            found.extend(over.map(|(ix, _)| (*id, *ix)));
        }
        found
    }

    async fn take_up_one(&mut self, key: Key) -> Result<(), WriteError> {
        let plan = self.state.plan.clone();
        let node = plan.node(key.1);
        let Some(exec) = self.state.exec(key) else { return Ok(()) };
        match &node.kind {
            NodeKind::Each(_) | NodeKind::Loop(_) => {
                let failed = exec.iterations.as_ref().and_then(|iterations| iterations.error.clone());
                if let Some(error) = failed.filter(|_| !node.kind.passes_failed()) {
                    return self.fail_node(key, error);
                }
                self.arm_timeout(key);
                self.touched.insert(key);
                Ok(())
            }
            NodeKind::Human(_) | NodeKind::Wait(_) | NodeKind::Delay => {
                if let Some(until) = exec.waiting.as_ref().and_then(|waiting| waiting.until) {
                    self.timers.add(until, Due::Expiry, key);
                }
                self.arm_timeout(key);
                Ok(())
            }
            // The run that it watches tells by itself how it fared.
            NodeKind::Workflow(_) if !exec.retrying => self.attempt_again(key).await,
            _ if exec.retrying => {
                self.timers.add(exec.retry_at.unwrap_or_default(), Due::Retry, key);
                Ok(())
            }
            _ if exec.unbilled.is_some() => {
                self.bill_cut_off(key)?;
                Box::pin(self.take_up_one(key)).await
            }
            _ if node.policy.effect.may_repeat() && exec.begun < SUSPICIOUS => self.attempt_again(key).await,
            _ => {
                let reason = if node.policy.effect.may_repeat() { "crash_loop" } else { "uncertain_effect" };
                self.uncertain.insert(key, reason.into());
                self.halt_for(key, reason);
                Ok(())
            }
        }
    }

    /// Tells by estimate what a model call used that a crash cut off.
    fn bill_cut_off(&mut self, key: Key) -> Result<(), WriteError> {
        let cut_off = self.state.exec_mut(key).map(|exec| (exec.unbilled.take(), exec.answering.take()));
        let (unbilled, answering) = cut_off.unwrap_or_default();
        let Some((read, said)) = unbilled.filter(|unbilled| *unbilled != (0, 0)) else { return Ok(()) };
        let asked = || self.state.plan.node(key.1).kind.model().unwrap_or(&self.work.run.model).to_owned();
        let model = answering.unwrap_or_else(asked);
        let (input_tokens, output_tokens) = (read.div_ceil(4), said.div_ceil(4));
        let used = providers::Usage { input_tokens, output_tokens, estimated: true, ..Default::default() };
        let found = self.run_context.models.find(&model);
        let cost_nanos = found.as_ref().map_or(0, |model| model.info.prices.cost_nanos(&used));
        let model = Some(found.map_or(model, |model| model.info.id.clone()));
        let usage = storage::records::Usage { input_tokens, output_tokens, ..Default::default() };
        self.record_at(key, EventData::Usage { usage, cost_nanos, estimated: true, model })
    }

    /// Arms the time-out of a container, or of what waits.
    pub(super) fn arm_timeout(&mut self, key: Key) {
        let timeout = self.state.plan.node(key.1).policy.timeout_ms;
        let started = self.state.exec(key).and_then(|exec| exec.started_at);
        if let (Some(started), 1..) = (started, timeout) {
            self.timers.add(started + Duration::from_millis(timeout), Due::Timeout, key);
        }
    }

    /// Tells something that belongs to no node.
    pub(super) fn tell(&mut self, data: EventData) -> Result<(), WriteError> {
        self.record(vec![EventBody::from(data)])
    }
}

/// Counts the time that a run has worked, from the times of its events.
#[derive(Default)]
struct Clock {
    worked_ms: u64,
    since: Option<Timestamp>,
    last: Option<Timestamp>,
    /// Whether it waits or is paused, which a crash does not change.
    rests: bool,
}

impl Clock {
    fn tick(&mut self, kept: &StoredEvent) {
        let stop = |clock: &mut Self, at: Option<Timestamp>| {
            if let (Some(since), Some(at)) = (clock.since.take(), at) {
                clock.worked_ms += at.since(since).as_millis() as u64;
            }
        };
        match &kept.event {
            EventData::RunStarted { .. } | EventData::RunResumed(_) => {
                (self.since, self.rests) = (Some(kept.ts), false);
            }
            // The time between a crash and the recovery is nobody's.
            EventData::RunRecovered { .. } => {
                let last = self.last;
                stop(self, last);
                self.since = (!self.rests).then_some(kept.ts);
            }
            EventData::RunWaiting(_) | EventData::RunPaused(_) => {
                stop(self, Some(kept.ts));
                self.rests = true;
            }
            _ => {}
        }
        self.last = Some(kept.ts);
    }
}
