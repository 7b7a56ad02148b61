//! Determines which nodes of a run must run again, and which results can be reused.

use std::collections::{BTreeMap, BTreeSet};

use expr::{Reference, Template};
use runs::event::flow::OutputsFrom;
use serde_json::{Map, Value};

use super::source::{Execution, Source};
use crate::graph::{ListStep, NodeIx, NodeKind, Plan, PlanNode};

/// The differences between an old run and the new run that repeats it.
pub(super) struct Change<'a> {
    /// What the nodes of the old run did.
    pub source: &'a Source,
    /// The graph of the old run.
    pub old: &'a Plan,
    /// The graph of the new run.
    pub new: &'a Plan,
    /// The node in the new graph that runs again together with everything behind it.
    pub from: Option<NodeIx>,
    /// Whether results are reused where possible.
    pub keep: bool,
    /// Whether the new run has different inputs.
    pub other_inputs: bool,
    /// Outputs of nodes that are not executed.
    pub pins: &'a BTreeMap<String, Map<String, Value>>,
    /// Replaced values of single inputs, by `node.in.name`.
    pub overrides: &'a BTreeMap<String, Value>,
}

/// Which nodes run again and which results are reused. A container and everything inside it are treated as one node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frontier {
    /// Nodes of the outermost level whose executions are reused.
    pub reuse: Vec<String>,
    /// Nodes that run again, including nodes inside containers.
    pub stale: Vec<String>,
}

/// The decision about a node of the outermost level.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NodeDecision {
    /// The result is reused.
    Kept,
    /// The node was skipped and will be skipped again.
    Skipped,
    /// The node is pinned to outputs equal to its result.
    Pinned,
    /// The node is pinned to outputs that differ from its result.
    Repinned,
    /// The node runs again.
    Stale,
}

impl NodeDecision {
    /// Whether nodes behind this node must run again.
    fn spreads(self) -> bool {
        matches!(self, Self::Stale | Self::Repinned)
    }
}

impl Change<'_> {
    /// Computes which nodes run again and which results are reused.
    pub fn frontier(&self) -> Frontier {
        let mut decisions = self.decisions();
        self.reach_behind(&mut decisions);
        while self.spread(&mut decisions) {}
        let (mut reuse, mut stale) = (Vec::new(), Vec::new());
        for (ix, node) in self.new.nodes.iter().enumerate() {
            match decisions.get(&top_of(self.new, ix)) {
                Some(NodeDecision::Kept) if node.parent.is_none() => reuse.push(node.id.clone()),
                Some(NodeDecision::Stale) => stale.push(node.id.clone()),
                _ => {}
            }
        }
        Frontier { reuse, stale }
    }

    /// Decides about each node without regard to other nodes.
    fn decisions(&self) -> BTreeMap<NodeIx, NodeDecision> {
        let nodes = self.new.nodes.iter().enumerate();
        let outermost = nodes.filter(|(_, node)| node.parent.is_none() && !node.compensates);
        outermost.map(|(ix, node)| (ix, self.own_fate(ix, node))).collect()
    }

    fn own_fate(&self, ix: NodeIx, node: &PlanNode) -> NodeDecision {
        let execution = self.source.outermost(&node.id);
        let result = execution.and_then(Execution::result);
        let chosen = self.from.is_some_and(|from| top_of(self.new, from) == ix);
        if let Some(pin) = self.pins.get(&node.id) {
            let same = result.is_some_and(|end| end.outputs == *pin);
            return if same && !chosen { NodeDecision::Pinned } else { NodeDecision::Repinned };
        }
        let renewed = self.other_inputs && matches!(node.kind, NodeKind::Start);
        // Only the `end` node of a run sets the outputs of that run, so it must run.
        let ends = matches!(node.kind, NodeKind::End);
        if !self.keep || chosen || renewed || ends || self.was_changed(node) || self.is_edited(ix) {
            return NodeDecision::Stale;
        }
        match (result, execution.is_some_and(|execution| execution.skipped)) {
            (Some(_), _) => NodeDecision::Kept,
            (None, true) => NodeDecision::Skipped,
            (None, false) => NodeDecision::Stale,
        }
    }

    /// Marks everything behind the named node as stale, including nodes behind a pin.
    fn reach_behind(&self, decisions: &mut BTreeMap<NodeIx, NodeDecision>) {
        let Some(from) = self.from else { return };
        for ix in self.new.downstream(top_of(self.new, from)) {
            if let Some(node_decision @ (NodeDecision::Kept | NodeDecision::Skipped)) = decisions.get_mut(&ix)
            {
                *node_decision = NodeDecision::Stale;
            }
        }
    }

    fn was_changed(&self, node: &PlanNode) -> bool {
        let before = self.old.by_id.get(&node.id).map(|ix| self.old.node(*ix));
        before.is_none_or(|before| before.digest != node.digest)
    }

    /// Whether the pins or replaced inputs of the node, or of a node inside it, have changed since the old run, or whether its
    /// work was undone.
    fn is_edited(&self, outer: NodeIx) -> bool {
        let nodes = self.new.nodes.iter().enumerate();
        let mut within = nodes.filter(|(ix, _)| self.new.is_within(*ix, outer)).map(|(_, node)| node);
        within.any(|node| {
            let set = overrides_of(self.overrides, &node.id);
            let pin = self.pins.get(&node.id);
            self.source.executions_of(&node.id).any(|execution| differs(execution, &set, pin))
        })
    }

    /// Propagates changes by one step. Returns whether a decision changed.
    fn spread(&self, decisions: &mut BTreeMap<NodeIx, NodeDecision>) -> bool {
        let written = self.variables_written(decisions);
        let behind = |ix: NodeIx, decisions: &BTreeMap<NodeIx, NodeDecision>| {
            let mut sources = self.new.node(ix).incoming.iter().map(|edge| self.new.edges[*edge].from);
            sources.any(|from| decisions.get(&from).is_some_and(|node_decision| node_decision.spreads()))
        };
        let reached = decisions.keys().copied().find(|ix| {
            matches!(decisions[ix], NodeDecision::Kept | NodeDecision::Skipped)
                && (behind(*ix, decisions) || self.reads_any(*ix, &written) || self.refers(*ix, decisions))
        });
        if let Some(ix) = reached {
            decisions.insert(ix, NodeDecision::Stale);
        }
        reached.is_some()
    }

    /// Returns the variables whose value may change.
    fn variables_written(&self, decisions: &BTreeMap<NodeIx, NodeDecision>) -> BTreeSet<String> {
        let nodes = self.new.nodes.iter().enumerate();
        let again = nodes.filter(|(ix, node)| {
            let node_decision = decisions.get(&top_of(self.new, *ix));
            matches!(node.kind, NodeKind::Set)
                && node_decision.is_some_and(|node_decision| node_decision.spreads())
        });
        again.flat_map(|(_, node)| node.inputs.iter().map(|(name, _)| name.clone())).collect()
    }

    fn reads_any(&self, outer: NodeIx, variables: &BTreeSet<String>) -> bool {
        !variables.is_empty()
            && self.references_in(outer).any(|path| match path.as_slice() {
                [vars, name, ..] => vars == "vars" && variables.contains(name),
                [vars] => vars == "vars",
                [] => false,
            })
    }

    /// Whether a result was computed from the result of a node that runs again. Edges alone do not show this, because a pinned
    /// node may be in between.
    fn refers(&self, outer: NodeIx, decisions: &BTreeMap<NodeIx, NodeDecision>) -> bool {
        let start = || self.new.nodes.iter().position(|node| matches!(node.kind, NodeKind::Start));
        decisions.get(&outer) == Some(&NodeDecision::Kept)
            && self.references_in(outer).filter_map(|path| path.first()).any(|root| {
                let named = self.new.by_id.get(root).copied();
                let made_by = if root == "inputs" { start() } else { named };
                made_by
                    .and_then(|ix| decisions.get(&top_of(self.new, ix)))
                    .is_some_and(|node_decision| node_decision.spreads())
            })
    }

    /// Returns the references of a node and everything inside it.
    fn references_in(&self, outer: NodeIx) -> impl Iterator<Item = &Reference> {
        let nodes = self.new.nodes.iter().enumerate();
        let within = nodes.filter(move |(ix, _)| self.new.is_within(*ix, outer));
        within.flat_map(|(_, node)| templates(node)).flat_map(Template::references)
    }
}

/// Returns the outermost container of a node, or the node itself.
fn top_of(plan: &Plan, mut ix: NodeIx) -> NodeIx {
    while let Some(parent) = plan.node(ix).parent {
        ix = parent;
    }
    ix
}

/// Returns the replaced inputs of a node, by name.
fn overrides_of<'a>(all: &'a BTreeMap<String, Value>, node: &str) -> BTreeMap<&'a str, &'a Value> {
    let own = all.iter().filter_map(|(path, value)| {
        let name = path.strip_prefix(node)?.strip_prefix(".in.")?;
        Some((name, value))
    });
    own.collect()
}

/// Whether an execution had different pins or replaced inputs, or was undone.
fn differs(execution: &Execution, set: &BTreeMap<&str, &Value>, pin: Option<&Map<String, Value>>) -> bool {
    if execution.skipped || execution.undone {
        return execution.undone;
    }
    if let Some(pin) = pin {
        let same = execution.end.as_ref().is_some_and(|end| end.outputs == *pin);
        return execution.from() != OutputsFrom::Pinned || !same;
    }
    let input = |name: &str| execution.inputs.as_ref().and_then(|inputs| inputs.get(name));
    match execution.from() {
        OutputsFrom::Pinned => true,
        OutputsFrom::Edited if set.is_empty() => true,
        _ => set.iter().any(|(name, value)| input(name) != Some(*value)),
    }
}

/// Returns all templates of a node, including the templates of its configuration.
fn templates(node: &PlanNode) -> Vec<&Template> {
    let mut all: Vec<_> = node.inputs.iter().map(|(_, template)| template).collect();
    match &node.kind {
        NodeKind::List(list) => all.extend(list.steps.iter().filter_map(|step| match step {
            ListStep::Filter(by) | ListStep::Sort { by, .. } | ListStep::Map(by) | ListStep::Unique(by) => {
                Some(by)
            }
            ListStep::Slice { .. } => None,
        })),
        NodeKind::Each(each) => all.extend(&each.result),
        NodeKind::Loop(turns) => all.extend(turns.condition.iter().chain(&turns.result)),
        _ => {}
    }
    all
}
