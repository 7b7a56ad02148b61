//! Connects nodes: containers, edges and compensations.

use std::collections::HashSet;

use super::config::{JoinMode, NodeKind};
use super::faults::{Faults, Loc};
use super::node::Links;
use super::plan::{Plan, PlanEdge};

/// Maximum nesting depth of containers.
const NESTING: usize = 5;

/// An edge as written in the graph: names of nodes, and the location of the edge.
pub(super) struct EdgeDraft<'v> {
    pub from: &'v str,
    pub port: &'v str,
    pub to: &'v str,
    pub loc: Loc,
}

/// Assigns nodes to their containers.
pub(super) fn join_parents(plan: &mut Plan, links: &[Links<'_>], faults: &mut Faults) {
    for (ix, link) in links.iter().enumerate() {
        let Some(name) = link.parent else { continue };
        let loc = link.loc.at("parent");
        match plan.by_id.get(name).copied() {
            None => faults.add(&loc, "dangling", format!("there is no node {name:?}")),
            Some(parent) if !plan.nodes[parent].kind.spec().is_container() => {
                faults.add(&loc, "not_allowed", format!("{name:?} is neither an `each` nor a `loop`"));
            }
            Some(parent) => plan.nodes[ix].parent = Some(parent),
        }
    }
    for (ix, link) in links.iter().enumerate() {
        let mut outer = Vec::new();
        let mut at = plan.nodes[ix].parent;
        while let Some(parent) = at.filter(|parent| *parent != ix && !outer.contains(parent)) {
            outer.push(parent);
            at = plan.nodes[parent].parent;
        }
        if at.is_some() {
            faults.add(&link.loc.at("parent"), "cycle", "containers contain each other");
            plan.nodes[ix].parent = None;
        } else if outer.len() > NESTING {
            faults.add(
                &link.loc.at("parent"),
                "too_deep",
                format!("containers are nested at most {NESTING} levels deep"),
            );
        }
    }
    for ix in 0..plan.nodes.len() {
        if let Some(parent) = plan.nodes[ix].parent {
            plan.nodes[parent].children.push(ix);
        }
    }
    for (node, link) in plan.nodes.iter().zip(links) {
        if node.kind.spec().is_container() && node.children.is_empty() {
            faults.add(
                &link.loc,
                "missing",
                "a container must contain at least one node (`parent` names the container)",
            );
        }
        if matches!(node.kind, NodeKind::Break) && node.parent.is_none() {
            faults.add(&link.loc, "not_allowed", "a `break` must be inside an `each` or a `loop`");
        }
    }
}

/// Connects nodes to the nodes that undo them.
pub(super) fn join_compensations(plan: &mut Plan, links: &[Links<'_>], faults: &mut Faults) {
    for (ix, link) in links.iter().enumerate() {
        let Some(name) = link.compensate else { continue };
        let loc = link.loc.at("policy").at("compensate");
        let Some(by) = plan.by_id.get(name).copied() else {
            faults.add(&loc, "dangling", format!("there is no node {name:?}"));
            continue;
        };
        let (node, other) = (&plan.nodes[ix], &plan.nodes[by]);
        let refused = if by == ix {
            Some("a node cannot undo itself".to_owned())
        } else if link.known && node.kind.spec().only_leads() {
            Some("a node of this type does nothing that could be undone".to_owned())
        } else if links[by].known && other.kind.spec().only_leads() {
            Some(format!("a node of type {:?} cannot undo anything", other.kind.type_name()))
        } else if links[by].compensate.is_some() {
            Some(format!("{name:?} undoes another node and cannot be undone itself"))
        } else if other.parent.is_some() && other.parent != node.parent {
            Some(format!("{name:?} must be in the same container as this node or at the top level"))
        } else if other.compensates {
            Some(format!("{name:?} undoes another node already"))
        } else {
            None
        };
        match refused {
            Some(why) => faults.add(&loc, "not_allowed", why),
            None => {
                plan.nodes[by].compensates = true;
                plan.nodes[ix].policy.compensate = Some(by);
            }
        }
    }
}

/// Adds the edges that are valid.
pub(super) fn join_edges(plan: &mut Plan, edges: &[EdgeDraft<'_>], faults: &mut Faults) {
    let mut seen = HashSet::new();
    for edge in edges {
        let (from, to) = (plan.by_id.get(edge.from).copied(), plan.by_id.get(edge.to).copied());
        for (field, name, found) in [("from", edge.from, from), ("to", edge.to, to)] {
            if found.is_none() {
                faults.add(&edge.loc.at(field), "dangling", format!("there is no node {name:?}"));
            }
        }
        let (Some(from), Some(to)) = (from, to) else { continue };
        if !seen.insert((from, edge.port, to)) {
            faults.add(&edge.loc, "duplicate", "another edge connects the same port and the same nodes");
            continue;
        }
        let before = plan.edges.len();
        if is_allowed(plan, edge, from, to, faults) {
            plan.edges.push(PlanEdge::new(from, edge.port, to));
            plan.nodes[from].outgoing.push(before);
            plan.nodes[to].incoming.push(before);
        }
    }
}

fn is_allowed(plan: &Plan, edge: &EdgeDraft<'_>, from: usize, to: usize, faults: &mut Faults) -> bool {
    let (source, target) = (&plan.nodes[from], &plan.nodes[to]);
    if source.parent != target.parent {
        let why = format!("{:?} and {:?} are not in the same container", edge.from, edge.to);
        faults.add(&edge.loc, "crosses_container", why);
        return false;
    }
    for (field, name, node) in [("from", edge.from, source), ("to", edge.to, target)] {
        if node.compensates {
            let why = format!("{name:?} undoes another node, so it cannot have edges");
            faults.add(&edge.loc.at(field), "not_allowed", why);
            return false;
        }
    }
    if matches!(target.kind, NodeKind::Start) {
        faults.add(&edge.loc.at("to"), "not_allowed", "an edge cannot lead to the start");
        return false;
    }
    let ports = source.kind.ports(&source.policy);
    if ports.is_empty() {
        let why = format!("a node of type {:?} cannot have outgoing edges", source.kind.type_name());
        faults.add(&edge.loc.at("from"), "not_allowed", why);
        return false;
    }
    if !ports.iter().any(|port| port == edge.port) {
        let why = format!("{:?} has no port {:?}, only {}", edge.from, edge.port, ports.join(", "));
        faults.add(&edge.loc.at("port"), "unknown_port", why);
        // The edge is added anyway, so that the nodes behind it are not also reported as unreachable.
    }
    true
}

/// Finds the nodes at which a run and the iterations of containers begin.
pub(super) fn find_roots(plan: &mut Plan) {
    let is_root = |ix: &usize| plan.nodes[*ix].incoming.is_empty() && !plan.nodes[*ix].compensates;
    let top = (0..plan.nodes.len()).filter(|ix| plan.nodes[*ix].parent.is_none());
    let roots: Vec<_> = top.filter(is_root).collect();
    let inner: Vec<Vec<_>> =
        plan.nodes.iter().map(|node| node.children.iter().copied().filter(is_root).collect()).collect();
    plan.roots = roots;
    for (node, roots) in plan.nodes.iter_mut().zip(inner) {
        node.roots = roots;
    }
}

/// Checks that no join waits for more branches than lead to it.
pub(super) fn check_joins(plan: &Plan, links: &[Links<'_>], faults: &mut Faults) {
    for (node, link) in plan.nodes.iter().zip(links) {
        let NodeKind::Join(join) = &node.kind else { continue };
        let JoinMode::N(n) = join.mode else { continue };
        if n == 0 || n as usize > node.incoming.len() {
            let why = format!("{} edges lead here, so it must be 1 to {0}", node.incoming.len());
            faults.add(&link.loc.at("config").at("mode"), "out_of_range", why);
        }
    }
}
