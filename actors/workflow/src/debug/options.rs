//! The options of a debug command, and their validation against the graph.

use std::collections::BTreeMap;

use runs::GraphFault;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use storage::records::{Breakpoint, DebugSession};
use utoipa::ToSchema;

use crate::graph::{NODE_TYPES, Plan, PlanNode, ValueType};
use crate::nodes::outputs_of;
use crate::{Order, PlayMode};

/// The options of a debug command. Omitted options keep their current value.
#[derive(Clone, Debug, Default)]
pub struct PlayOptions {
    /// How far the run proceeds. Defaults to [`PlayMode::Run`].
    pub mode: Option<PlayMode>,
    /// The node before which the run stops.
    pub until: Option<String>,
    /// The inputs of a new run.
    pub inputs: Option<Map<String, Value>>,
    /// The places where the run stops.
    pub breakpoints: Option<Vec<Breakpoint>>,
    /// Nodes that are not executed, with their outputs.
    pub pins: Option<BTreeMap<String, Map<String, Value>>>,
    /// Inputs whose value replaces the value from the graph, by `node.in.name`.
    pub overrides: Option<BTreeMap<String, Value>>,
}

/// The graph that a restarted run uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WhichGraph {
    /// The graph of the previous run.
    #[default]
    Pinned,
    /// The assistant's current graph.
    Latest,
}

impl PlayOptions {
    /// Writes the options into the session.
    pub(super) fn into_session(self, session: &mut DebugSession) {
        if let Some(mut breakpoints) = self.breakpoints {
            breakpoints.sort();
            breakpoints.dedup();
            session.breakpoints = breakpoints;
        }
        session.pins = self.pins.unwrap_or_else(|| std::mem::take(&mut session.pins));
        session.overrides = self.overrides.unwrap_or_else(|| std::mem::take(&mut session.overrides));
    }

    /// Checks the options against the graph. Faults are located relative to the request body.
    pub(super) fn check(&self, plan: &Plan) -> Vec<GraphFault> {
        let mut faults = Vec::new();
        let mut unknown = |loc: &[&str], node: &str| {
            let known = plan.by_id.contains_key(node);
            if !known {
                faults.push(fault(loc, format!("there is no node {node:?}"), "not_found"));
            }
            known
        };
        if let Some(until) = &self.until {
            unknown(&["until"], until);
        }
        for (at, breakpoint) in self.breakpoints.iter().flatten().enumerate() {
            unknown(&["breakpoints", &at.to_string(), "node"], &breakpoint.node);
        }
        let pins = self.pins.iter().flatten();
        let pins: Vec<_> = pins.filter(|(node, _)| unknown(&["pins", node], node)).collect();
        for (node, outputs) in pins {
            check_pin(&plan.nodes[plan.by_id[node]], outputs, &mut faults);
        }
        for path in self.overrides.iter().flat_map(BTreeMap::keys) {
            check_override(plan, path, &mut faults);
        }
        faults
    }
}

/// Returns the settings of a session that are valid for this graph.
pub(super) fn fitting(session: &DebugSession, plan: &Plan) -> DebugSession {
    let known = |node: &str| plan.by_id.contains_key(node);
    let mut faults = Vec::new();
    let mut fits = |node: &str, outputs: &Map<String, Value>| {
        faults.clear();
        let Some(ix) = plan.by_id.get(node) else { return false };
        check_pin(&plan.nodes[*ix], outputs, &mut faults);
        faults.is_empty()
    };
    let mut session = session.clone();
    session.breakpoints.retain(|breakpoint| known(&breakpoint.node));
    session.pins.retain(|node, outputs| fits(node, outputs));
    session.overrides.retain(|path, _| {
        let mut faults = Vec::new();
        check_override(plan, path, &mut faults);
        faults.is_empty()
    });
    session
}

/// Combines a session with the play mode into the instructions for a run.
pub(super) fn order(session: DebugSession, mode: Option<PlayMode>, until: Option<String>) -> Order {
    let DebugSession { breakpoints, pins, overrides, .. } = session;
    Order { mode: mode.unwrap_or_default(), until, breakpoints, pins, overrides }
}

fn check_pin(node: &PlanNode, outputs: &Map<String, Value>, faults: &mut Vec<GraphFault>) {
    let Some(declared) = declared(node) else { return };
    for (name, value) in outputs {
        let loc = ["pins", node.id.as_str(), name.as_str()];
        match declared.get(name.as_str()) {
            None => {
                let why = format!("the node {:?} has no output {name:?}", node.id);
                faults.push(fault(&loc, why, "not_found"));
            }
            Some(kind) if !value.is_null() && !kind.admits(value) => {
                let why = format!("the output {name:?} is of the type {}", kind.name());
                faults.push(fault(&loc, why, "type_mismatch"));
            }
            Some(_) => {}
        }
    }
}

/// Returns the outputs of a node with their types, or `None` if they depend on the run.
fn declared(node: &PlanNode) -> Option<BTreeMap<&str, ValueType>> {
    let own = node.outputs.iter().map(|(name, kind)| (name.as_str(), *kind));
    match outputs_of(&node.kind) {
        Some(of_type) => Some(of_type.into_iter().chain(own).collect()),
        None if node.outputs.is_empty() => None,
        None => Some(own.collect()),
    }
}

fn check_override(plan: &Plan, path: &str, faults: &mut Vec<GraphFault>) {
    let loc = ["overrides", path];
    let Some((id, name)) = path.split_once(".in.") else {
        return faults.push(fault(&loc, "is named as `node.in.name`".into(), "malformed"));
    };
    let Some(ix) = plan.by_id.get(id) else {
        return faults.push(fault(&loc, format!("there is no node {id:?}"), "not_found"));
    };
    let node = plan.node(*ix);
    let of_type = NODE_TYPES.iter().find(|spec| spec.name == node.kind.type_name());
    let taken =
        of_type.is_some_and(|spec| spec.open_inputs || spec.inputs.iter().any(|known| known.name == name));
    if !taken && !node.inputs.iter().any(|(known, _)| known == name) {
        faults.push(fault(&loc, format!("the node {id:?} has no input {name:?}"), "not_found"));
    }
}

pub(super) fn fault(loc: &[&str], msg: String, kind: &'static str) -> GraphFault {
    GraphFault { loc: loc.iter().map(|step| (*step).to_owned()).collect(), msg, kind }
}
