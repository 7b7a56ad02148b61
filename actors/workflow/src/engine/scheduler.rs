//! Chooses which executions begin next and which containers need attention, from the state alone.

use std::collections::HashSet;

use runs::event::flow::NodeStatus;

use super::state::{Key, Phase, State};
use crate::graph::{JoinMode, NodeIx, NodeKind, Plan};
use crate::nodes;

/// The result of [`Scheduler::choose`].
#[derive(Default)]
pub struct Choice {
    pub next: Option<Key>,
    /// Executions that must wait for others to end, and that have not been reported as queued before.
    pub queued: Vec<Key>,
}

/// Decides which executions begin next.
pub struct Scheduler {
    /// Joins that continue before all branches have arrived and stop the remaining branches.
    early_joins: Vec<NodeIx>,
    /// Containers in which something has changed.
    changed_containers: HashSet<Key>,
    /// Executions that have been reported as queued.
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

    /// Chooses the next execution to begin. If the number of `working` attempts has reached the limit of the graph, only nodes
    /// that complete immediately are chosen.
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

    /// Whether an execution leads only to a join that has continued without it.
    pub fn is_superseded(&self, state: &State, key: Key) -> bool {
        let Some(region) = state.region(key.0) else { return false };
        self.early_joins.iter().any(|join| {
            let has_succeeded =
                region.execs.get(join).is_some_and(|exec| exec.status == Some(NodeStatus::Succeeded));
            has_succeeded && *join != key.1 && state.plan.leads_only_to(key.1, *join)
        })
    }

    /// Notes that a container has changed: the next iteration may begin, or the container may end.
    pub fn container_changed(&mut self, key: Key) {
        self.changed_containers.insert(key);
    }

    /// Takes the containers that have changed.
    pub fn take_containers(&mut self) -> HashSet<Key> {
        std::mem::take(&mut self.changed_containers)
    }

    /// Whether any container has changed and was not taken yet.
    pub fn has_changed_containers(&self) -> bool {
        !self.changed_containers.is_empty()
    }
}

/// Returns the executions to stop because the join that they lead to has continued without them.
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use runs::EventData;
    use runs::event::flow::NodeFinished;
    use serde_json::{Value, json};
    use storage::Timestamp;

    use super::*;
    use crate::engine::state::TOP;

    /// A graph in which, after `start`, an `http` node, a `template` and the two branches of an early join are ready.
    fn state() -> State {
        let edge = |from: &str, to: &str| json!({"from": from, "port": "out", "to": to});
        let http = |id: &str| json!({"id": id, "type": "http", "in": {"url": "https://example.com"}, "config": {"method": "GET"}});
        let template = |id: &str| json!({"id": id, "type": "template", "in": {"text": "x"}});
        let graph: Value = json!({"schema": 1,
            "nodes": [{"id": "start", "type": "start"}, http("slow"), template("quick"), http("one"), http("other"),
                {"id": "first", "type": "join", "config": {"mode": "any"}}],
            "edges": [edge("start", "slow"), edge("start", "quick"), edge("start", "one"), edge("start", "other"),
                edge("one", "first"), edge("other", "first")]});
        let mut state = State::new(Arc::new(Plan::read(&graph).expect("a valid graph")));
        end(&mut state, "start");
        state
    }

    fn key(state: &State, id: &str) -> Key {
        (TOP, state.plan.by_id[id])
    }

    fn end(state: &mut State, id: &str) {
        let key = key(state, id);
        let done = NodeFinished {
            status: NodeStatus::Succeeded,
            port: Some("out".to_owned()),
            ..NodeFinished::default()
        };
        let at = state.name(key);
        state.apply(Some(&at), Some(key), &EventData::NodeFinished(Box::new(done)), Timestamp::now());
    }

    #[test]
    fn choose_skips_attempts_at_the_concurrency_limit() {
        let mut state = state();
        let mut scheduler = Scheduler::new(&state.plan);
        let limit = state.plan.limits.concurrency;
        let (slow, quick) = (key(&state, "slow"), key(&state, "quick"));
        let choice = scheduler.choose(&mut state, limit);
        assert_eq!((choice.next, choice.queued), (Some(quick), vec![slow]));
        let choice = scheduler.choose(&mut state, limit);
        assert_eq!(choice.next, None);
        assert!(!choice.queued.contains(&slow), "that it is queued is reported once");
        assert_eq!(scheduler.choose(&mut state, limit - 1).next, Some(slow), "the order is kept");
    }

    #[test]
    fn is_superseded_covers_executions_that_lead_only_to_a_completed_join() {
        let mut state = state();
        let scheduler = Scheduler::new(&state.plan);
        let (other, first) = (key(&state, "other"), key(&state, "first"));
        assert!(!scheduler.is_superseded(&state, other));
        end(&mut state, "one");
        end(&mut state, "first");
        assert_eq!(superseded_by(&state, first), [other]);
        assert!(scheduler.is_superseded(&state, other));
        assert!(!scheduler.is_superseded(&state, key(&state, "slow")));
    }
}
