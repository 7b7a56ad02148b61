//! Relations between nodes: which nodes come before others, and which contain others.

use std::collections::BTreeSet;

use super::plan::{NodeIx, Plan};

impl Plan {
    /// Returns the nodes in the same container that can be reached from this node.
    pub(super) fn after(&self, ix: NodeIx) -> BTreeSet<NodeIx> {
        self.walk(ix, |plan, ix| plan.nodes[ix].outgoing.iter().map(|edge| plan.edges[*edge].to).collect())
    }

    /// Returns the nodes in the same container from which this node can be reached.
    pub(super) fn before(&self, ix: NodeIx) -> BTreeSet<NodeIx> {
        self.walk(ix, |plan, ix| plan.nodes[ix].incoming.iter().map(|edge| plan.edges[*edge].from).collect())
    }

    fn walk(&self, from: NodeIx, next: impl Fn(&Self, NodeIx) -> Vec<NodeIx>) -> BTreeSet<NodeIx> {
        let mut seen = BTreeSet::new();
        let mut open = next(self, from);
        while let Some(ix) = open.pop() {
            if seen.insert(ix) {
                open.extend(next(self, ix));
            }
        }
        seen
    }

    /// Returns the containers of a node, innermost first.
    pub fn containers(&self, ix: NodeIx) -> impl Iterator<Item = NodeIx> {
        std::iter::successors(self.nodes[ix].parent, |ix| self.nodes[*ix].parent)
    }

    /// Returns the outermost container of a node, or the node itself.
    pub fn top_of(&self, ix: NodeIx) -> NodeIx {
        self.containers(ix).last().unwrap_or(ix)
    }

    /// Returns all nodes inside a container, at any depth.
    pub fn within(&self, ix: NodeIx) -> BTreeSet<NodeIx> {
        self.walk(ix, |plan, ix| plan.nodes[ix].children.clone())
    }

    /// Returns the nodes whose inputs or execution may depend on this node: the nodes after it, the nodes after its containers,
    /// these containers, and everything inside any of them. All nodes of its containers are included, because a later iteration
    /// may depend on this node.
    pub fn downstream(&self, ix: NodeIx) -> BTreeSet<NodeIx> {
        let mut nodes = BTreeSet::new();
        for at in std::iter::once(ix).chain(self.containers(ix)) {
            nodes.extend(self.after(at));
        }
        nodes.extend(self.containers(ix));
        let inside: Vec<_> = nodes.iter().flat_map(|ix| self.within(*ix)).collect();
        nodes.extend(inside);
        nodes.extend(self.within(ix));
        nodes.remove(&ix);
        nodes
    }

    /// Returns the nodes that come before this node in its own container, the nodes that come before its containers, and
    /// everything inside any of them. Its containers themselves are not included.
    pub fn upstream(&self, ix: NodeIx) -> BTreeSet<NodeIx> {
        let mut nodes = BTreeSet::new();
        for at in std::iter::once(ix).chain(self.containers(ix)) {
            nodes.extend(self.before(at));
        }
        let inside: Vec<_> = nodes.iter().flat_map(|ix| self.within(*ix)).collect();
        nodes.extend(inside);
        nodes
    }

    /// Returns the nodes that a node may refer to: the nodes before it, the nodes before its containers, and these containers. A
    /// node that undoes another node may refer to that node and to everything that node may refer to.
    pub(super) fn visible(&self, ix: NodeIx) -> BTreeSet<NodeIx> {
        let from = self.stands_for(ix);
        let mut nodes: BTreeSet<NodeIx> = Some(from).filter(|from| *from != ix).into_iter().collect();
        for at in std::iter::once(from).chain(self.containers(from)) {
            nodes.extend(self.before(at));
        }
        nodes.extend(self.containers(from));
        nodes
    }

    /// Returns the node that this node undoes, or the node itself.
    pub(super) fn stands_for(&self, ix: NodeIx) -> NodeIx {
        let undone = self.nodes.iter().position(|node| node.policy.compensate == Some(ix));
        undone.unwrap_or(ix)
    }
}
