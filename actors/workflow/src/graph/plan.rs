//! A graph that was checked and is ready to run.

use std::collections::{BTreeMap, HashMap};

use expr::Template;
use runs::event::ValueType;
use serde_json::Value;

use super::config::NodeKind;
use super::policy::Policy;

/// A node by its place in [`Plan::nodes`].
pub type NodeIx = usize;
/// An edge by its place in [`Plan::edges`].
pub type EdgeIx = usize;

/// A graph that was checked and is ready to run.
#[derive(Debug)]
pub struct Plan {
    /// SHA-256 (hex) of the graph without what only its drawing needs (`ui`). A run pins it.
    pub hash: String,
    /// What a run is started with.
    pub inputs: BTreeMap<String, InputSpec>,
    /// Variables with their values at the beginning.
    pub vars: BTreeMap<String, VarSpec>,
    /// All nodes, in the order of the graph.
    pub nodes: Vec<PlanNode>,
    /// Where a node of a name stands.
    pub by_id: HashMap<String, NodeIx>,
    /// All edges, in the order of the graph.
    pub edges: Vec<PlanEdge>,
    /// Limits of a run.
    pub limits: Limits,
    /// Nodes of the outermost level that no edge leads to (the `start` node is one of them) and
    /// that compensate for nothing: where a run begins.
    pub roots: Vec<NodeIx>,
}

#[derive(Debug)]
pub struct PlanNode {
    /// Its name in the graph.
    pub id: String,
    /// What it does, with its configuration.
    pub kind: NodeKind,
    /// The container (`each`, `loop`) that it is in.
    pub parent: Option<NodeIx>,
    /// What its work is given: a name, and the value or template for it.
    pub inputs: Vec<(String, Template)>,
    /// Outputs that its author declared; empty where the type of the node says it all.
    pub outputs: BTreeMap<String, ValueType>,
    /// Time-outs, retries, effects.
    pub policy: Policy,
    /// Edges that lead here.
    pub incoming: Vec<EdgeIx>,
    /// Edges that leave.
    pub outgoing: Vec<EdgeIx>,
    /// Of a container: the nodes in it, directly.
    pub children: Vec<NodeIx>,
    /// Of a container: those of `children` that no edge leads to: where an iteration begins.
    pub roots: Vec<NodeIx>,
    /// Whether it runs only to undo another node (`policy.compensate` of that one names it).
    pub compensates: bool,
    /// SHA-256 (hex) of what decides on its result: type, configuration, inputs, outputs, policy,
    /// container and incoming edges, and for a container all that is in it.
    pub digest: String,
}

impl Plan {
    /// Whether any node may ask a model. Of functions and tools it is not known here what they do.
    pub fn may_ask_models(&self) -> bool {
        self.nodes.iter().any(|node| {
            use NodeKind::{Agent, Classifier, Extract, Function, Llm, Tool};
            matches!(node.kind, Llm(_) | Agent(_) | Classifier(_) | Extract(_) | Function(_) | Tool(_))
        })
    }
}

#[derive(Debug)]
pub struct PlanEdge {
    /// The node it leaves.
    pub from: NodeIx,
    /// Which way out of that node; `out` where there is only one.
    pub port: String,
    /// The node it leads to.
    pub to: NodeIx,
}

/// An input of a run.
#[derive(Clone, Debug)]
pub struct InputSpec {
    pub kind: ValueType,
    /// Whether a run cannot start without it.
    pub required: bool,
    /// What it is where it is not given.
    pub default: Option<Value>,
    /// For people who fill in a form.
    pub description: Option<String>,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct VarSpec {
    pub kind: ValueType,
    /// Its value at the beginning; `null` where the graph gives none.
    pub initial: Value,
}

/// Limits of a run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Executions of nodes, those in iterations counted each.
    pub max_steps: u64,
    /// Time that a run may work, in milliseconds; what it waits for people, events and timers is
    /// not counted.
    pub run_timeout_ms: u64,
    /// Nodes of a run that work at the same time.
    pub concurrency: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_steps: 2_000, run_timeout_ms: 3_600_000, concurrency: 16 }
    }
}

impl Plan {
    /// The node at `ix`.
    pub fn node(&self, ix: NodeIx) -> &PlanNode {
        &self.nodes[ix]
    }

    /// Whether a node may send what it is given to another server: by a request, by a tool of a tool server, or by the
    /// graph of another workflow.
    pub fn sends(&self) -> bool {
        let remote = |tool: &String| tool.contains('/');
        self.nodes.iter().any(|node| match &node.kind {
            NodeKind::Http(_) | NodeKind::Workflow(_) => true,
            NodeKind::Tool(config) => remote(&config.tool),
            NodeKind::Agent(config) => config.tools.iter().any(remote),
            _ => false,
        })
    }

    /// Whether it searches the knowledge of the user who runs it. Where that may be sent to another server, by this graph or
    /// by one that starts it, it has to be approved.
    pub fn searches(&self) -> bool {
        self.nodes.iter().any(|node| matches!(node.kind, NodeKind::Retrieve(_)))
    }

    /// Whether `inner` is `outer` or stands, however deep, in it.
    pub fn is_within(&self, inner: NodeIx, outer: NodeIx) -> bool {
        let mut at = Some(inner);
        while let Some(ix) = at {
            if ix == outer {
                return true;
            }
            at = self.nodes[ix].parent;
        }
        false
    }
}
