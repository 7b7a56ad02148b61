//! Which executions begin next, and which containers need attention: decided from the state alone.

use std::collections::HashSet;

use runs::event::flow::NodeStatus;

use super::state::{Key, Phase, State};
use crate::graph::{JoinMode, NodeIx, NodeKind, Plan};
use crate::nodes;

/// The choice of the next execution.
#[derive(Default)]
pub struct Choice {
    pub next: Option<Key>,
    /// Executions that have to wait until others are over, and for which that is new.
    pub queued: Vec<Key>,
}

/// Decides which executions begin next.
pub struct Scheduler {
    /// Joins that go on before all branches have arrived, and stop the others.
    early_joins: Vec<NodeIx>,
    /// Containers in which something has changed.
    changed_containers: HashSet<Key>,
    /// Executions that are known to be queued.
    queued: HashSet<Key>,
}

impl Scheduler {
    pub fn new(plan: &Plan) -> Self {
        let early = |ix: &NodeIx| is_early_join(&plan.node(*ix).kind);
        Self {
            early_joins: (0..plan.nodes.len()).filter(early).collect(),
            changed_containers: HashSet::new(),
            queued: HashSet::new(),
        }
    }

    /// The next execution that may begin. With `working` attempts, which may be as many as the graph allows, only nodes
    /// that are done at once may begin.
    pub fn choose(&mut self, state: &mut State, working: usize) -> Choice {
        let full = working >= state.plan.limits.concurrency;
        let (mut choice, mut passed) = (Choice::default(), Vec::new());
        while let Some(key) = state.ready.pop_front() {
            if !state.exec(key).is_some_and(|exec| exec.phase == Phase::Ready) {
                continue;
            }
            if !full || nodes::is_inline(&state.plan.node(key.1).kind) {
                choice.next = Some(key);
                break;
            }
            passed.push(key);
        }
        for key in passed.into_iter().rev() {
            state.ready.push_front(key);
            if self.queued.insert(key) {
                choice.queued.push(key);
            }
        }
        if let Some(key) = &choice.next {
            self.queued.remove(key);
        }
        choice
    }

    /// Whether an execution leads only to a join that has gone on without it.
    pub fn is_superseded(&self, state: &State, key: Key) -> bool {
        let Some(region) = state.region(key.0) else { return false };
        self.early_joins.iter().any(|join| {
            let gone = region.execs.get(join).is_some_and(|exec| exec.status == Some(NodeStatus::Succeeded));
            gone && *join != key.1 && state.plan.leads_only_to(key.1, *join)
        })
    }

    /// Something has changed in a container: the next iteration may begin, or the container may be over.
    pub fn container_changed(&mut self, key: Key) {
        self.changed_containers.insert(key);
    }

    /// Takes the containers in which something has changed.
    pub fn take_containers(&mut self) -> HashSet<Key> {
        std::mem::take(&mut self.changed_containers)
    }

    /// Whether there are such containers.
    pub fn has_changed_containers(&self) -> bool {
        !self.changed_containers.is_empty()
    }
}

/// Executions that are stopped because the join that they lead to has gone on without them.
pub fn superseded_by(state: &State, join: Key) -> Vec<Key> {
    if !is_early_join(&state.plan.nodes[join.1].kind) {
        return Vec::new();
    }
    let live = state.live_in(join.0).into_iter();
    live.filter(|(_, ix)| state.plan.leads_only_to(*ix, join.1)).collect()
}

fn is_early_join(kind: &NodeKind) -> bool {
    matches!(kind, NodeKind::Join(join) if !join.keep_others && join.mode != JoinMode::All)
}
