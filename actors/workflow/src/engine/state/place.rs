//! The position of a node in a run: its level of the graph, and the iterations of the containers around it.

use std::sync::Arc;

use runs::NodeRef;

use crate::graph::{NodeIx, Plan};

/// One activation of the outermost level (0) or of the inside of a container.
pub type RegionId = u32;
/// The outermost level.
pub const TOP: RegionId = 0;

/// A node in an activation of its level, which identifies one execution of the node.
pub type Key = (RegionId, NodeIx);

/// The names of the containers and iterations around an activation.
#[derive(Clone, Debug, Default)]
pub struct Path {
    /// Containers and indexes, outermost first.
    pub scope: Vec<(Arc<str>, u64)>,
    /// The scope in the form of a name prefix: `each1:3/`.
    prefix: String,
}

impl Path {
    /// Returns the path of an iteration of a container in this activation.
    pub fn iteration(&self, container: &str, index: u64) -> Self {
        let mut scope = self.scope.clone();
        scope.push((container.into(), index));
        Self { scope, prefix: format!("{}{container}:{index}/", self.prefix) }
    }

    /// Returns the name of a node's execution in this activation.
    pub fn node(&self, plan: &Plan, ix: NodeIx) -> Arc<NodeRef> {
        let id = plan.node(ix).id.as_str();
        let exec_id = format!("{}{id}", self.prefix).into();
        Arc::new(NodeRef { node_id: id.into(), exec_id, scope: self.scope.clone() })
    }

    /// Returns the name of the execution of `ix` that undoes the execution `undone`.
    pub fn compensation(&self, plan: &Plan, ix: NodeIx, undone: &str) -> Arc<NodeRef> {
        let id = plan.node(ix).id.as_str();
        Arc::new(NodeRef {
            node_id: id.into(),
            exec_id: format!("{undone}~undo").into(),
            scope: self.scope.clone(),
        })
    }
}
