//! What is ready begins.

use expr::Values;
use runs::event::flow::{
    NodeFinished, NodeReady, NodeStarted, NodeStatus, Outputs, OutputsFrom, VariableChanged,
};
use runs::{EventBody, EventData, TerminalError, WriteError};
use serde_json::{Map, Value, json};
use storage::Timestamp;

use super::exec::Phase;
use super::place::Key;
use super::values::visible;
use super::{Engine, STRETCH};
use crate::graph::{Effect, NodeKind, Plan, PlanNode, ValueType};
use crate::nodes::{self, Fields, NodeError, NodeResult};

impl Engine {
    /// Begins executions that are ready, as many as may. True where more can be done at once.
    pub(super) async fn begin_ready(&mut self) -> Result<bool, WriteError> {
        for _ in 0..STRETCH {
            if self.halt.is_some() || self.outcome.is_some() {
                return Ok(false);
            }
            let Some(key) = self.next_ready()? else { return Ok(false) };
            if self.stop_before(key)? {
                self.state.ready.push_front(key);
                return Ok(false);
            }
            self.budget = self.budget.map(|left| left.saturating_sub(1));
            self.launch(key).await?;
            if !self.touched.is_empty() || !self.state.drained.is_empty() || !self.state.skipped.is_empty() {
                return Ok(true);
            }
        }
        Ok(true)
    }

    /// The next that may begin: while as many work as may, only what is done on the spot.
    fn next_ready(&mut self) -> Result<Option<Key>, WriteError> {
        let full = self.at_work() >= self.state.plan.limits.concurrency;
        let mut passed = Vec::new();
        let mut found = None;
        while let Some(key) = self.state.ready.pop_front() {
            let ready = self.state.exec(key).is_some_and(|exec| exec.phase == Phase::Ready);
            if !ready {
                continue;
            }
            if !full || nodes::is_inline(&self.state.plan.node(key.1).kind) {
                found = Some(key);
                break;
            }
            passed.push(key);
        }
        for key in passed.into_iter().rev() {
            self.state.ready.push_front(key);
            let told = self.state.exec_mut(key).is_none_or(|exec| std::mem::replace(&mut exec.told, true));
            if !told {
                self.record_at(key, EventData::NodeReady(NodeReady {}))?;
            }
        }
        Ok(found)
    }

    async fn launch(&mut self, key: Key) -> Result<(), WriteError> {
        let plan = self.state.plan.clone();
        let node = plan.node(key.1);
        if self.state.steps >= plan.limits.max_steps {
            let why = format!("the run has made {} steps, which is its limit", plan.limits.max_steps);
            self.fail(TerminalError::new("max_steps", why));
            return Ok(());
        }
        if self.is_passed_by(key) {
            return self.stop(key);
        }
        let pin = self.order.as_ref().and_then(|order| order.pins.get(&node.id)).cloned();
        if let Some(pin) = pin {
            return self.pinned(key, node, pin).await;
        }
        let (inputs, values, edited) = match self.inputs(key, node).await {
            Ok(given) => given,
            Err(why) => {
                let started = EventData::NodeStarted(NodeStarted { inputs: Map::new(), attempt: 1 });
                self.record_at(key, started)?;
                return self.fail_node(key, why.into());
            }
        };
        if let Some(exec) = self.state.exec_mut(key) {
            exec.edited = edited;
        }
        let done = match unfit(&plan, node, &inputs) {
            Some(why) => Some(Err(why)),
            None => nodes::inline(node, inputs.clone(), &values),
        };
        match done {
            Some(done) => self.on_the_spot(key, node, inputs, done).await,
            None => self.set_out(key, node, inputs).await,
        }
    }

    /// What a node is given: its inputs, the values they were made of, and whether whoever debugs
    /// has changed them.
    async fn inputs(&mut self, key: Key, node: &PlanNode) -> Result<(Fields, Values, bool), NodeError> {
        if let NodeKind::Start = node.kind {
            let inputs = self.around.inputs.as_object().cloned().unwrap_or_default();
            return Ok((inputs, Values::new(), false));
        }
        let own = node.inputs.iter().map(|(_, template)| template);
        let all = own.chain(node.kind.templates_on_the_spot());
        let values = visible(&self.state, &mut self.vault, &self.around, key.0, all).await?;
        let (mut inputs, mut edited) = (Fields::with_capacity(node.inputs.len()), false);
        for (name, template) in &node.inputs {
            let own =
                self.order.as_ref().and_then(|order| order.overrides.get(&format!("{}.in.{name}", node.id)));
            edited |= own.is_some();
            let value = match own {
                Some(value) => value.clone(),
                None => template
                    .evaluate(&values)
                    .map_err(|why| NodeError::new("template", format!("in.{name}: {why}")))?,
            };
            inputs.insert(name.clone(), value);
        }
        if let NodeKind::Join(_) = node.kind {
            let arrived = self.state.exec(key).map(|exec| exec.arrived.clone()).unwrap_or_default();
            let names: Vec<_> = arrived.iter().map(|ix| self.state.plan.node(*ix).id.clone()).collect();
            inputs.insert("arrived".into(), json!(names));
        }
        Ok((inputs, values, edited))
    }

    /// A node that does not run, as whoever debugs gives its outputs. What stands beside outputs is
    /// told all the same.
    async fn pinned(&mut self, key: Key, node: &PlanNode, outputs: Fields) -> Result<(), WriteError> {
        let port = port_for(&node.kind, &outputs);
        let kept = match self.beside(key, &node.kind, &outputs).await {
            Ok(before) => self.vault.store(outputs).await.map(|outputs| (before, outputs)),
            Err(why) => Err(why),
        };
        match kept {
            Ok((before, outputs)) => {
                let finished = self.finished(key, NodeStatus::Succeeded);
                self.finish(
                    key,
                    before,
                    NodeFinished { outputs, port, from: OutputsFrom::Pinned, ..finished },
                )
            }
            Err(why) => self.fail_node(key, why.into()),
        }
    }

    /// Nodes that are done as soon as they begin: beginning and end become durable together.
    async fn on_the_spot(
        &mut self,
        key: Key,
        node: &PlanNode,
        inputs: Fields,
        done: Result<NodeResult, NodeError>,
    ) -> Result<(), WriteError> {
        let at = self.state.name(key);
        let shown = match node.kind {
            // What it was given is what it gives.
            NodeKind::Start | NodeKind::Set | NodeKind::End | NodeKind::Answer => Fields::new(),
            _ => inputs.clone(),
        };
        let started = match self.vault.store(shown).await {
            Ok(inputs) => EventBody::of(&at, EventData::NodeStarted(NodeStarted { inputs, attempt: 1 })),
            Err(why) => return self.fail_node(key, why.into()),
        };
        let mut events = vec![started];
        let done = match done {
            Ok(done) => done,
            Err(why) => {
                self.record(events)?;
                return self.fail_node(key, why.into());
            }
        };
        if let NodeKind::Join(_) = &node.kind
            && self.is_unmet(key, node)
        {
            self.record(events)?;
            let why = "too few branches have come";
            return self.fail_node(key, NodeError::new("join_unmet", why).into());
        }
        match self.beside(key, &node.kind, &done.outputs).await {
            Ok(beside) => events.extend(beside),
            Err(why) => return self.fail_node(key, why.into()),
        }
        self.complete(key, done, events).await
    }

    /// What stands beside the outputs of a node: variables that are set, words of the answer, outputs
    /// of the run.
    async fn beside(
        &mut self,
        key: Key,
        kind: &NodeKind,
        outputs: &Fields,
    ) -> Result<Vec<EventBody>, NodeError> {
        let at = self.state.name(key);
        match kind {
            NodeKind::Set => {
                let mut changes = Vec::with_capacity(outputs.len());
                for (name, value) in outputs {
                    let value = self.vault.store_one(value.clone()).await?;
                    let change = VariableChanged { name: name.clone(), value };
                    changes.push(EventBody::of(&at, EventData::VariableChanged(change)));
                }
                Ok(changes)
            }
            NodeKind::Answer => {
                Ok(said(&at, outputs.get("text").and_then(Value::as_str).unwrap_or_default()))
            }
            NodeKind::End => {
                let outputs = self.vault.store(outputs.clone()).await?;
                Ok(vec![EventBody::from(EventData::Outputs(Outputs { outputs }))])
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Whether only a join needs it that has gone on without it.
    fn is_passed_by(&self, key: Key) -> bool {
        let Some(region) = self.state.region(key.0) else { return false };
        self.early_joins.iter().any(|join| {
            let gone = region.execs.get(join).is_some_and(|exec| exec.status == Some(NodeStatus::Succeeded));
            gone && *join != key.1 && self.state.plan.leads_only_to(key.1, *join)
        })
    }

    fn is_unmet(&self, key: Key, node: &PlanNode) -> bool {
        let needed = match &node.kind {
            NodeKind::Join(join) => match join.mode {
                crate::graph::JoinMode::N(n) => n,
                _ => 1,
            },
            _ => 0,
        };
        self.state.exec(key).is_some_and(|exec| exec.taken < needed)
    }

    /// An execution has given what it was to give.
    pub(super) async fn complete(
        &mut self,
        key: Key,
        done: NodeResult,
        before: Vec<EventBody>,
    ) -> Result<(), WriteError> {
        let node = self.state.plan.clone();
        let node = node.node(key.1);
        let port = done.port.or_else(|| only_port(&node.kind));
        let outputs = match self.vault.store(done.outputs).await {
            Ok(outputs) => outputs,
            Err(why) => return self.fail_node(key, why.into()),
        };
        let edited = self.state.exec(key).is_some_and(|exec| exec.edited);
        let from = if edited { OutputsFrom::Edited } else { OutputsFrom::Run };
        let finished = self.finished(key, NodeStatus::Succeeded);
        self.finish(key, before, NodeFinished { outputs, port, from, ..finished })
    }

    /// Nodes that take their time.
    async fn set_out(&mut self, key: Key, node: &PlanNode, inputs: Fields) -> Result<(), WriteError> {
        let stored = match self.vault.store(inputs.clone()).await {
            Ok(stored) => stored,
            Err(why) => return self.fail_node(key, why.into()),
        };
        let started = EventData::NodeStarted(NodeStarted { inputs: stored, attempt: 1 });
        match &node.kind {
            NodeKind::Each(_) | NodeKind::Loop(_) => {
                self.record_at(key, started)?;
                self.arm_timeout(key);
                self.touched.insert(key);
                Ok(())
            }
            NodeKind::Human(config) => self.ask_person(key, config, started, &inputs),
            NodeKind::Wait(config) => self.wait_for_event(key, config, started),
            NodeKind::Delay => self.delay(key, started, &inputs),
            _ => {
                self.record_at(key, started)?;
                self.spawn(key, inputs, node.policy.effect != Effect::Pure)
            }
        }
    }

    /// An execution failed for good.
    pub(super) fn fail_node(&mut self, key: Key, error: TerminalError) -> Result<(), WriteError> {
        use crate::graph::OnError;
        let plan = self.state.plan.clone();
        let policy = &plan.node(key.1).policy;
        for (region, of, _) in self.state.regions_within(key.0) {
            if of == key {
                self.stop_region(region)?;
            }
        }
        let finished =
            NodeFinished { error: Some(error.clone()), ..self.finished(key, NodeStatus::ErrorHandled) };
        let ends_all = matches!(plan.node(key.1).kind, NodeKind::Fail);
        match policy.on_error {
            OnError::Continue if !ends_all => {
                let outputs = self.defaults.get(&key.1).cloned().unwrap_or_default();
                let port = port_for(&plan.node(key.1).kind, &outputs);
                self.finish(key, Vec::new(), NodeFinished { outputs, port, ..finished })
            }
            OnError::Branch if !ends_all => {
                self.finish(key, Vec::new(), NodeFinished { port: Some("error".into()), ..finished })
            }
            _ => {
                let finished = NodeFinished { status: NodeStatus::Failed, ..finished };
                self.finish(key, Vec::new(), finished)?;
                // The words of a `fail` node are its author's.
                let mut named = match ends_all {
                    true => TerminalError { authored: true, ..error },
                    false => {
                        let message = format!("{}: {}", self.state.name(key).exec_id, error.message);
                        TerminalError { message, ..error }
                    }
                };
                named.node_id.get_or_insert_with(|| plan.node(key.1).id.clone());
                self.consequence(key, named)
            }
        }
    }

    /// The next time that belongs to a node.
    pub(super) fn next_of_a_node(&self) -> Option<Timestamp> {
        self.timers.next_of_a_node()
    }
}

/// Why what a `set` node is given cannot be in the variables that it names. `null` can: it is what a variable without
/// `initial` begins with.
fn unfit(plan: &Plan, node: &PlanNode, inputs: &Fields) -> Option<NodeError> {
    let NodeKind::Set = node.kind else { return None };
    let wrong: Vec<_> = inputs
        .iter()
        .filter_map(|(name, value)| {
            let wanted = plan.vars.get(name)?.kind;
            let fits = value.is_null() || wanted.admits(value);
            let given = ValueType::of(value).name();
            (!fits).then(|| format!("the variable {name:?} is of the type {}, not {given}", wanted.name()))
        })
        .collect();
    (!wrong.is_empty()).then(|| NodeError::new("type_mismatch", wrong.join("; ")))
}

/// The port of nodes that have one only.
fn only_port(kind: &NodeKind) -> Option<String> {
    match kind {
        NodeKind::End | NodeKind::Fail | NodeKind::Break => None,
        _ => Some("out".into()),
    }
}

/// The port that outputs lead to which the node itself did not make.
fn port_for(kind: &NodeKind, outputs: &Fields) -> Option<String> {
    nodes::port_of(kind, outputs).or_else(|| only_port(kind))
}

/// A text as a part of the run's answer.
pub(super) fn said(at: &std::sync::Arc<runs::NodeRef>, text: &str) -> Vec<EventBody> {
    if text.is_empty() {
        return Vec::new();
    }
    let part = at.exec_id.to_string();
    let events = [
        EventData::TextStart { part: part.clone() },
        EventData::TextDelta { part: part.clone(), text: text.to_owned() },
        EventData::TextEnd { part },
    ];
    events.into_iter().map(|data| EventBody::of(at, data)).collect()
}
