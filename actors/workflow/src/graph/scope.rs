//! What comes before what, and what stands in what.

use std::collections::BTreeSet;

use super::plan::{NodeIx, Plan};

impl Plan {
    /// Nodes that edges lead to from this one, however far: in its own container.
    pub(super) fn after(&self, ix: NodeIx) -> BTreeSet<NodeIx> {
        self.walk(ix, |plan, ix| plan.nodes[ix].outgoing.iter().map(|edge| plan.edges[*edge].to).collect())
    }

    /// Nodes from which edges lead to this one, however far: in its own container.
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

    /// The containers that a node is in, innermost first.
    pub fn containers(&self, ix: NodeIx) -> impl Iterator<Item = NodeIx> {
        std::iter::successors(self.nodes[ix].parent, |ix| self.nodes[*ix].parent)
    }

    /// The outermost container that a node is in, or the node itself.
    pub fn top_of(&self, ix: NodeIx) -> NodeIx {
        self.containers(ix).last().unwrap_or(ix)
    }

    /// All that is in a container, however deep.
    pub fn within(&self, ix: NodeIx) -> BTreeSet<NodeIx> {
        self.walk(ix, |plan, ix| plan.nodes[ix].children.clone())
    }

    /// Nodes whose inputs or turn may depend on this one: those that come after it, those that come
    /// after the containers that it is in, these containers, and all that is in any of them. What follows a
    /// container in a later iteration counts: all of the container does.
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

    /// Nodes that come before this one: by edges in its own container, by edges before the containers
    /// that it is in, and all that is in any of them. The containers that it is in are none of them.
    pub fn upstream(&self, ix: NodeIx) -> BTreeSet<NodeIx> {
        let mut nodes = BTreeSet::new();
        for at in std::iter::once(ix).chain(self.containers(ix)) {
            nodes.extend(self.before(at));
        }
        let inside: Vec<_> = nodes.iter().flat_map(|ix| self.within(*ix)).collect();
        nodes.extend(inside);
        nodes
    }

    /// Nodes that a node may refer to: those that come before it, those that come before the containers it is in, and
    /// these containers. A node that undoes another may refer to that one and to what that one may refer to.
    pub(super) fn visible(&self, ix: NodeIx) -> BTreeSet<NodeIx> {
        let from = self.stands_for(ix);
        let mut nodes: BTreeSet<NodeIx> = Some(from).filter(|from| *from != ix).into_iter().collect();
        for at in std::iter::once(from).chain(self.containers(from)) {
            nodes.extend(self.before(at));
        }
        nodes.extend(self.containers(from));
        nodes
    }

    /// The node that a node undoes, or the node itself.
    pub(super) fn stands_for(&self, ix: NodeIx) -> NodeIx {
        let undone = self.nodes.iter().position(|node| node.policy.compensate == Some(ix));
        undone.unwrap_or(ix)
    }
}
