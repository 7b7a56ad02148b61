//! A graph that has been checked and is ready to run.

use std::collections::{BTreeMap, HashMap};

use expr::Template;
use runs::event::ValueType;
use serde_json::Value;

use super::config::NodeKind;
use super::policy::Policy;

/// The index of a node in [`Plan::nodes`].
pub type NodeIx = usize;
/// The index of an edge in [`Plan::edges`].
pub type EdgeIx = usize;

/// A graph that has been checked and is ready to run.
#[derive(Debug)]
pub struct Plan {
    /// SHA-256 (hex) of the graph without the `ui` fields, which only affect drawing. A run pins this hash.
    pub hash: String,
    /// The inputs that a run accepts.
    pub inputs: BTreeMap<String, InputSpec>,
    /// Variables and their initial values.
    pub vars: BTreeMap<String, VarSpec>,
    /// All nodes, in the order of the graph.
    pub nodes: Vec<PlanNode>,
    /// The index of each node, by its id.
    pub by_id: HashMap<String, NodeIx>,
    /// All edges, in the order of the graph.
    pub edges: Vec<PlanEdge>,
    /// Limits that apply to each run of the graph.
    pub limits: Limits,
    /// The nodes at which a run begins: nodes of the outermost level that have no incoming edges and are not compensations. The
    /// `start` node is one of them.
    pub roots: Vec<NodeIx>,
}

#[derive(Debug)]
pub struct PlanNode {
    /// The node's name in the graph.
    pub id: String,
    /// The node's type, with its configuration.
    pub kind: NodeKind,
    /// The container (`each`, `loop`) that contains the node.
    pub parent: Option<NodeIx>,
    /// The inputs of the node: names, each with a value or template.
    pub inputs: Vec<(String, Template)>,
    /// The outputs that the author declared. Empty if the node's type determines them.
    pub outputs: BTreeMap<String, ValueType>,
    /// Timeout, retries, error handling and effect.
    pub policy: Policy,
    /// Edges that lead to the node.
    pub incoming: Vec<EdgeIx>,
    /// Edges that leave the node.
    pub outgoing: Vec<EdgeIx>,
    /// For a container: the nodes directly inside.
    pub children: Vec<NodeIx>,
    /// For a container: the `children` without incoming edges, at which an iteration begins.
    pub roots: Vec<NodeIx>,
    /// Whether the node runs only to undo another node, which names it in `policy.compensate`.
    pub compensates: bool,
    /// SHA-256 (hex) of everything that determines the node's result: type, configuration, inputs, outputs, policy, container and
    /// incoming edges. For a container, this includes all nodes inside.
    pub digest: String,
}

impl Plan {
    /// Whether any node may call a model. Functions and tools count, because what they do is not known here.
    pub fn may_ask_models(&self) -> bool {
        self.nodes.iter().any(|node| {
            use NodeKind::{Agent, Classifier, Extract, Function, Llm, Tool};
            matches!(node.kind, Llm(_) | Agent(_) | Classifier(_) | Extract(_) | Function(_) | Tool(_))
        })
    }
}

#[derive(Debug)]
pub struct PlanEdge {
    /// The node that the edge leaves.
    pub from: NodeIx,
    /// The port of that node. `out` if the node has only one port.
    pub port: String,
    /// The node that the edge leads to.
    pub to: NodeIx,
}

/// An input that a workflow declares.
#[derive(Clone, Debug)]
pub struct InputSpec {
    pub kind: ValueType,
    /// Whether a run requires the input.
    pub required: bool,
    /// The value to use if the input is missing.
    pub default: Option<Value>,
    /// A description for people who fill in a form.
    pub description: Option<String>,
}

/// A variable that a workflow declares.
#[derive(Clone, Debug)]
pub struct VarSpec {
    pub kind: ValueType,
    /// The initial value. `null` if the graph sets none.
    pub initial: Value,
}

/// Limits that apply to each run of a graph.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Maximum number of node executions. Each iteration counts separately.
    pub max_steps: u64,
    /// Maximum working time of a run, in milliseconds. Time spent waiting for people, events and timers does not count.
    pub run_timeout_ms: u64,
    /// Maximum number of nodes of a run that work at the same time.
    pub concurrency: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_steps: 2_000, run_timeout_ms: 3_600_000, concurrency: 16 }
    }
}

impl Plan {
    /// Returns the node at index `ix`.
    pub fn node(&self, ix: NodeIx) -> &PlanNode {
        &self.nodes[ix]
    }

    /// Whether a node may send its inputs to another server: with a request, a tool of a tool server, or another workflow's
    /// graph.
    pub fn sends(&self) -> bool {
        let remote = |tool: &String| tool.contains('/');
        self.nodes.iter().any(|node| match &node.kind {
            NodeKind::Http(_) | NodeKind::Workflow(_) => true,
            NodeKind::Tool(config) => remote(&config.tool),
            NodeKind::Agent(config) => config.tools.iter().any(remote),
            _ => false,
        })
    }

    /// Whether the graph searches the knowledge of the user who runs it. If this graph, or the graph of an ancestor run, may send
    /// the results to another server, the user must approve the search.
    pub fn searches(&self) -> bool {
        self.nodes.iter().any(|node| matches!(node.kind, NodeKind::Retrieve(_)))
    }

    /// Whether `inner` is `outer` or is contained in it at any depth.
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
