//! Debugging: where the run stops, which outputs are pinned, and which inputs are replaced.

use std::collections::HashSet;

use runs::EventData;
use runs::event::flow::{BreakpointHit, OutputsFrom};
use serde_json::Value;
use storage::records::BreakWhen;

use super::halt::Halts;
use crate::engine::recorder::Recorder;
use crate::engine::state::Key;
use crate::nodes::Fields;
use crate::request::{Order, PlayMode};

/// The instructions of a debug session. Without instructions, the debugger has no effect.
#[derive(Default)]
pub struct Debugger {
    order: Option<Order>,
    /// Number of executions that may still begin in step mode. `None` in other modes.
    budget: Option<u32>,
    /// Executions that may pass the breakpoint before them.
    passed: HashSet<Key>,
    /// Executions with replaced inputs.
    edited: HashSet<Key>,
}

impl Debugger {
    pub fn new(order: Option<Order>) -> Self {
        let budget = order.as_ref().and_then(budget);
        Self { order, budget, ..Self::default() }
    }

    /// Continues with new instructions.
    pub fn set_order(&mut self, order: Order) {
        self.budget = budget(&order);
        self.order = Some(order);
    }

    /// Lets an execution pass the breakpoint before it.
    pub fn let_pass(&mut self, key: Key) {
        self.passed.insert(key);
    }

    /// Counts the beginning of an execution.
    pub fn count_begin(&mut self) {
        self.budget = self.budget.map(|left| left.saturating_sub(1));
    }

    /// Halts before an execution if the instructions require it. Returns whether the run halts.
    pub fn stop_before(&self, recorder: &mut Recorder, halts: &mut Halts, key: Key) -> bool {
        let Some(order) = self.order.as_ref().filter(|_| !self.passed.contains(&key)) else { return false };
        let id = recorder.state.plan.node(key.1).id.clone();
        let reason = if is_breakpoint(order, &id, BreakWhen::Before) {
            "breakpoint"
        } else if order.mode == PlayMode::Until && order.until.as_ref() == Some(&id) {
            "until"
        } else if self.budget == Some(0) {
            "step"
        } else {
            return false;
        };
        if reason == "breakpoint" {
            let hit = BreakpointHit { node: id, when: "before".into() };
            recorder.record_at(key, EventData::BreakpointHit(hit));
        }
        halts.halt_before(&recorder.state, key, reason);
        true
    }

    /// Halts after a successful execution if the instructions require it.
    pub fn stop_after(&self, recorder: &mut Recorder, halts: &mut Halts, key: Key) {
        let Some(order) = &self.order else { return };
        let id = recorder.state.plan.node(key.1).id.clone();
        if !is_breakpoint(order, &id, BreakWhen::After) {
            return;
        }
        let hit = BreakpointHit { node: id, when: "after".into() };
        recorder.record_at(key, EventData::BreakpointHit(hit));
        halts.halt_after(&recorder.state, key, "breakpoint");
    }

    /// Returns the pinned outputs of a node.
    pub fn pinned(&self, node_id: &str) -> Option<Fields> {
        self.order.as_ref().and_then(|order| order.pins.get(node_id)).cloned()
    }

    /// Returns the value that replaces an input.
    pub fn override_of(&self, node_id: &str, input: &str) -> Option<&Value> {
        self.order.as_ref().and_then(|order| order.overrides.get(&format!("{node_id}.in.{input}")))
    }

    /// Remembers whether an execution begins with replaced inputs.
    pub fn set_edited(&mut self, key: Key, edited: bool) {
        match edited {
            true => _ = self.edited.insert(key),
            false => _ = self.edited.remove(&key),
        }
    }

    /// Whether an execution has begun with replaced inputs.
    pub fn is_edited(&self, key: Key) -> bool {
        self.edited.contains(&key)
    }

    /// Returns the origin of an execution's outputs.
    pub fn outputs_from(&self, key: Key) -> OutputsFrom {
        if self.is_edited(key) { OutputsFrom::Edited } else { OutputsFrom::Run }
    }
}

fn budget(order: &Order) -> Option<u32> {
    (order.mode == PlayMode::Step).then_some(1)
}

fn is_breakpoint(order: &Order, id: &str, when: BreakWhen) -> bool {
    order.breakpoints.iter().any(|point| point.node == id && point.when == when)
}
