//! Checks the order of nodes: one start, no unreachable nodes, no cycles.

use super::config::NodeKind;
use super::faults::{Faults, Loc};
use super::joints::check_joins;
use super::node::Links;
use super::plan::{NodeIx, Plan};

/// Checks that there is exactly one start, that all nodes can be reached from it, and that edges form no cycle.
pub(super) fn check(plan: &Plan, links: &[Links<'_>], faults: &mut Faults) {
    let starts: Vec<NodeIx> =
        (0..plan.nodes.len()).filter(|ix| matches!(plan.nodes[*ix].kind, NodeKind::Start)).collect();
    if starts.is_empty() {
        faults.add(&Loc::new(["nodes"]), "missing", "there is no `start` node");
    }
    for (at, start) in starts.iter().enumerate() {
        if at > 0 {
            faults.add(&links[*start].loc, "duplicate", "there is another `start` node");
        }
        if plan.nodes[*start].parent.is_some() {
            faults.add(&links[*start].loc.at("parent"), "not_allowed", "a `start` cannot be in a container");
        }
    }
    check_joins(plan, links, faults);
    let round = cycles(plan);
    for cycle in &round {
        let names: Vec<_> = cycle.iter().map(|ix| plan.nodes[*ix].id.as_str()).collect();
        let why = format!("edges form a cycle: {} -> {}; use a `loop`", names.join(" -> "), names[0]);
        faults.add(&links[cycle[0]].loc, "cycle", why);
    }
    if starts.is_empty() {
        return;
    }
    let reached = reach(plan, &starts);
    // Only root nodes are reported. The nodes behind an unreachable root are unreachable for the same reason.
    for ix in plan.roots.iter().copied() {
        if !reached.contains(&ix) {
            faults.add(&links[ix].loc, "unreachable", "no edges lead here from the start");
        }
    }
}

/// Whether edges form no cycle, so that nodes have an order.
pub(super) fn is_ordered(plan: &Plan) -> bool {
    cycles(plan).is_empty()
}

/// Returns the nodes that can be reached from the given nodes, including the given nodes.
fn reach(plan: &Plan, from: &[NodeIx]) -> Vec<NodeIx> {
    let mut seen = vec![false; plan.nodes.len()];
    let mut open = from.to_vec();
    let mut reached = Vec::new();
    while let Some(ix) = open.pop() {
        if !std::mem::replace(&mut seen[ix], true) {
            reached.push(ix);
            open.extend(plan.nodes[ix].outgoing.iter().map(|edge| plan.edges[*edge].to));
        }
    }
    reached
}

/// Returns one cycle for each group of connected cycles. Nodes without (remaining) incoming edges are removed repeatedly. This
/// leaves the cycles and the nodes behind them. Following incoming edges back from any remaining node leads into a cycle.
fn cycles(plan: &Plan) -> Vec<Vec<NodeIx>> {
    let mut waiting: Vec<usize> = plan.nodes.iter().map(|node| node.incoming.len()).collect();
    let mut open: Vec<NodeIx> = (0..waiting.len()).filter(|ix| waiting[*ix] == 0).collect();
    let mut unresolved = vec![true; waiting.len()];
    while let Some(ix) = open.pop() {
        unresolved[ix] = false;
        for edge in &plan.nodes[ix].outgoing {
            let to = plan.edges[*edge].to;
            waiting[to] -= 1;
            if waiting[to] == 0 {
                open.push(to);
            }
        }
    }
    let mut cycles = Vec::new();
    for from in 0..unresolved.len() {
        let mut way: Vec<NodeIx> = Vec::new();
        let mut at = Some(from).filter(|from| unresolved[*from]);
        while let Some(ix) = at {
            if let Some(begin) = way.iter().position(|other| *other == ix) {
                let mut cycle = way.split_off(begin);
                cycle.reverse();
                // The cycle is reported from the node that comes first in the graph.
                let first = (0..cycle.len()).min_by_key(|at| cycle[*at]).unwrap_or_default();
                cycle.rotate_left(first);
                cycles.push(cycle);
                break;
            }
            way.push(ix);
            at = plan.nodes[ix]
                .incoming
                .iter()
                .map(|edge| plan.edges[*edge].from)
                .find(|from| unresolved[*from]);
        }
        if let Some(cycle) = cycles.last() {
            // Nodes reachable from a reported cycle are excluded, so that each cycle is reported once.
            for ix in reach(plan, cycle) {
                unresolved[ix] = false;
            }
        }
    }
    cycles
}
