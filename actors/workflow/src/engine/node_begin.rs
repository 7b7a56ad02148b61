//! How a node begins: its inputs are evaluated; then it completes immediately, becomes an attempt, or begins to wait.

use expr::Values;
use runs::event::flow::{NodeReady, NodeStarted, Outputs, VariableChanged};
use runs::{EventBody, EventData, NodeRef, TerminalError, WriteError};
use serde_json::{Map, Value, json};

use super::Engine;
use super::state::{Key, State};
use super::waits::{delay_until, wait_for_event, wait_for_person, wait_until};
use crate::graph::{Effect, JoinMode, NodeKind, Plan, PlanNode, ValueType};
use crate::nodes::{self, Fields, NodeError, NodeResult};

/// Maximum number of executions that begin before the engine checks for commands and completed attempts.
const BATCH: usize = 64;

impl Engine {
    /// Begins as many ready executions as are allowed. Returns whether more can be done immediately.
    pub(super) async fn begin_ready(&mut self) -> Result<bool, WriteError> {
        for _ in 0..BATCH {
            if self.waits.halts.is_halted() || self.outcome.is_some() {
                return Ok(false);
            }
            let choice = self.scheduler.choose(&mut self.recorder.state, self.attempts.working());
            for key in choice.queued {
                self.recorder.record_at(key, EventData::NodeReady(NodeReady {}));
            }
            let Some(key) = choice.next else { return Ok(false) };
            if self.waits.debugger.stop_before(&mut self.recorder, &mut self.waits.halts, key) {
                self.recorder.state.ready.push_front(key);
                return Ok(false);
            }
            self.waits.debugger.count_begin();
            self.begin_node(key).await?;
            let state = &self.recorder.state;
            let follows = !state.drained.is_empty() || !state.skipped.is_empty();
            if follows || self.scheduler.has_changed_containers() {
                return Ok(true);
            }
        }
        Ok(true)
    }

    async fn begin_node(&mut self, key: Key) -> Result<(), WriteError> {
        let plan = self.recorder.state.plan.clone();
        let node = plan.node(key.1);
        if self.recorder.state.steps >= plan.limits.max_steps {
            let why = format!("the run has reached its limit of {} steps", plan.limits.max_steps);
            self.ends().fail_run(TerminalError::new("max_steps", why));
            return Ok(());
        }
        if self.scheduler.is_superseded(&self.recorder.state, key) {
            self.ends().stop(key);
            return Ok(());
        }
        if let Some(outputs) = self.waits.debugger.pinned(&node.id) {
            self.begin_pinned(key, node, outputs).await;
            return Ok(());
        }
        let (inputs, values) = match self.evaluate_inputs(key, node).await {
            Ok(evaluated) => evaluated,
            Err(why) => {
                let started = EventData::NodeStarted(NodeStarted { inputs: Map::new(), attempt: 1 });
                self.recorder.record_at(key, started);
                self.ends().fail(key, why.into());
                return Ok(());
            }
        };
        let done = match misfit_variables(&plan, node, &inputs) {
            Some(why) => Some(Err(why)),
            None => nodes::inline(node, inputs.clone(), &values),
        };
        match done {
            Some(done) => {
                self.begin_inline(key, node, inputs, done).await;
                Ok(())
            }
            None => self.begin_lasting(key, node, inputs).await,
        }
    }

    /// Evaluates the inputs of a node. Also returns the values that the templates were evaluated with.
    async fn evaluate_inputs(&mut self, key: Key, node: &PlanNode) -> Result<(Fields, Values), NodeError> {
        if let NodeKind::Start = node.kind {
            let inputs = self.values.inputs.as_object().cloned().unwrap_or_default();
            self.waits.debugger.set_edited(key, false);
            return Ok((inputs, Values::new()));
        }
        let own = node.inputs.iter().map(|(_, template)| template);
        let all = own.chain(node.kind.templates_on_the_spot());
        let values = self.values.visible(&self.recorder.state, key.0, all).await?;
        let (mut inputs, mut edited) = (Fields::with_capacity(node.inputs.len()), false);
        for (name, template) in &node.inputs {
            let replaced = self.waits.debugger.override_of(&node.id, name);
            edited |= replaced.is_some();
            let value = match replaced {
                Some(value) => value.clone(),
                None => template
                    .evaluate(&values)
                    .map_err(|why| NodeError::new("template", format!("in.{name}: {why}")))?,
            };
            inputs.insert(name.clone(), value);
        }
        if let NodeKind::Join(_) = node.kind {
            let state = &self.recorder.state;
            let arrived = state.exec(key).map(|exec| exec.arrived.clone()).unwrap_or_default();
            let names: Vec<_> = arrived.iter().map(|ix| state.plan.node(*ix).id.clone()).collect();
            inputs.insert("arrived".into(), json!(names));
        }
        self.waits.debugger.set_edited(key, edited);
        Ok((inputs, values))
    }

    /// Completes a node that is not executed because a debug session provides its outputs. Its side events are recorded as usual.
    async fn begin_pinned(&mut self, key: Key, node: &PlanNode, outputs: Fields) {
        match self.side_events(key, &node.kind, &outputs).await {
            Ok(before) => self.ends().complete_pinned(key, outputs, before).await,
            Err(why) => self.ends().fail(key, why.into()),
        }
    }

    /// Completes a node that needs no waiting. Its beginning and end become durable together.
    async fn begin_inline(
        &mut self,
        key: Key,
        node: &PlanNode,
        inputs: Fields,
        done: Result<NodeResult, NodeError>,
    ) {
        let shown = match node.kind {
            // The inputs equal the outputs, which follow in the next event.
            NodeKind::Start | NodeKind::Set | NodeKind::End | NodeKind::Answer => Fields::new(),
            _ => inputs,
        };
        let inputs = match self.values.store.store(shown).await {
            Ok(inputs) => inputs,
            Err(why) => return self.ends().fail(key, why.into()),
        };
        let at = self.recorder.state.name(key);
        let mut events =
            vec![EventBody::in_node(&at, EventData::NodeStarted(NodeStarted { inputs, attempt: 1 }))];
        let done = match done {
            Ok(done) => done,
            Err(why) => {
                self.recorder.record(events);
                return self.ends().fail(key, why.into());
            }
        };
        if is_unmet_join(&self.recorder.state, key, node) {
            self.recorder.record(events);
            let why = "too few branches have arrived";
            return self.ends().fail(key, NodeError::new("join_unmet", why).into());
        }
        match self.side_events(key, &node.kind, &done.outputs).await {
            Ok(side) => events.extend(side),
            Err(why) => return self.ends().fail(key, why.into()),
        }
        self.ends().complete(key, done, events).await;
    }

    /// Returns the events that accompany the outputs of a node: changed variables, text of the answer, or outputs of the run.
    async fn side_events(
        &mut self,
        key: Key,
        kind: &NodeKind,
        outputs: &Fields,
    ) -> Result<Vec<EventBody>, NodeError> {
        let at = self.recorder.state.name(key);
        match kind {
            NodeKind::Set => {
                let mut changes = Vec::with_capacity(outputs.len());
                for (name, value) in outputs {
                    let value = self.values.store.store_one(value.clone()).await?;
                    let change = VariableChanged { name: name.clone(), value };
                    changes.push(EventBody::in_node(&at, EventData::VariableChanged(change)));
                }
                Ok(changes)
            }
            NodeKind::Answer => {
                Ok(answer_part(&at, outputs.get("text").and_then(Value::as_str).unwrap_or_default()))
            }
            NodeKind::End => {
                let outputs = self.values.store.store(outputs.clone()).await?;
                Ok(vec![EventBody::from(EventData::Outputs(Outputs { outputs }))])
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Begins a node that takes time: a container, a node that waits, or an attempt.
    async fn begin_lasting(&mut self, key: Key, node: &PlanNode, inputs: Fields) -> Result<(), WriteError> {
        let stored = match self.values.store.store(inputs.clone()).await {
            Ok(stored) => stored,
            Err(why) => {
                self.ends().fail(key, why.into());
                return Ok(());
            }
        };
        let started = EventData::NodeStarted(NodeStarted { inputs: stored, attempt: 1 });
        let (recorder, timers) = (&mut self.recorder, &mut self.waits.timers);
        match &node.kind {
            NodeKind::Each(_) | NodeKind::Loop(_) => {
                recorder.record_at(key, started);
                timers.add_timeout(&recorder.state, key);
                self.scheduler.container_changed(key);
            }
            NodeKind::Human(config) => wait_for_person(recorder, timers, key, config, started, &inputs),
            NodeKind::Wait(config) => wait_for_event(recorder, timers, key, config, started),
            NodeKind::Delay => match delay_until(&inputs) {
                Ok(until) => wait_until(recorder, timers, key, started, until),
                Err(why) => {
                    recorder.record_at(key, started);
                    self.ends().fail(key, why.into());
                }
            },
            _ => {
                recorder.record_at(key, started);
                return self.begin_attempt(key, inputs, node.policy.effect != Effect::Pure);
            }
        }
        Ok(())
    }
}

/// Whether too few branches have arrived for a join to continue.
fn is_unmet_join(state: &State, key: Key, node: &PlanNode) -> bool {
    let needed = match &node.kind {
        NodeKind::Join(join) => match join.mode {
            JoinMode::N(n) => n,
            _ => 1,
        },
        _ => 0,
    };
    state.exec(key).is_some_and(|exec| exec.taken < needed)
}

/// Returns an error if the inputs of a `set` node do not match the types of the variables. `null` is always allowed, because it
/// is the value of a variable without `initial`.
fn misfit_variables(plan: &Plan, node: &PlanNode, inputs: &Fields) -> Option<NodeError> {
    let NodeKind::Set = node.kind else { return None };
    let wrong: Vec<_> = inputs
        .iter()
        .filter_map(|(name, value)| {
            let wanted = plan.vars.get(name)?.kind;
            let fits = value.is_null() || wanted.admits(value);
            let actual = ValueType::of_value(value).name();
            (!fits).then(|| format!("the variable {name:?} is of the type {}, not {actual}", wanted.name()))
        })
        .collect();
    (!wrong.is_empty()).then(|| NodeError::new("type_mismatch", wrong.join("; ")))
}

/// Returns the events that add a text to the run's answer as a separate part.
fn answer_part(at: &std::sync::Arc<NodeRef>, text: &str) -> Vec<EventBody> {
    if text.is_empty() {
        return Vec::new();
    }
    let part = at.exec_id.to_string();
    let events = [
        EventData::TextStart { part: part.clone() },
        EventData::TextDelta { part: part.clone(), text: text.to_owned() },
        EventData::TextEnd { part },
    ];
    events.into_iter().map(|data| EventBody::in_node(at, data)).collect()
}
