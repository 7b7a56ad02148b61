//! The progress of executions along the edges of the graph: what begins and ends, and what becomes ready or is skipped as a
//! result.

use std::sync::Arc;

use runs::TerminalError;
use runs::event::flow::NodeStatus;
use serde_json::{Map, Value};
use storage::Timestamp;

use super::State;
use super::exec::{Phase, chars};
use super::place::Key;
use crate::graph::{JoinMode, NodeIx, NodeKind};

/// The effect of a decided edge on the node it leads to.
enum Arrival {
    Nothing,
    Ready,
    Skipped,
}

impl State {
    /// Applies the beginning of an execution or of another attempt.
    pub(super) fn started(&mut self, key: Key, inputs: Map<String, Value>, attempt: u32, at: Timestamp) {
        let Some(region) = self.regions.get_mut(&key.0) else { return };
        let exec = region.execs.entry(key.1).or_default();
        if exec.phase == Phase::Pending {
            region.open += 1;
        }
        if exec.phase != Phase::Active {
            self.steps += 1;
            self.active.insert(key);
        }
        exec.phase = Phase::Active;
        exec.attempt = attempt;
        exec.retrying = false;
        let asks = self.plan.nodes[key.1].kind.asks_model();
        exec.unbilled = asks.then(|| (inputs.values().map(chars).sum(), 0));
        exec.answering = None;
        exec.started_at.get_or_insert(at);
        exec.inputs = Arc::new(inputs);
        if matches!(self.plan.nodes[key.1].kind, NodeKind::Each(_) | NodeKind::Loop(_)) {
            exec.iterations.get_or_insert_default();
        }
    }

    /// Applies the end of an execution. The run continues along the edges of `port`, or along no edge if `port` is `None`.
    pub(super) fn end_execution(
        &mut self,
        key: Key,
        status: NodeStatus,
        port: Option<&str>,
        outputs: Value,
        error: Option<TerminalError>,
    ) {
        self.ends += 1;
        // Compensation inside the container may need the items.
        let (ends, keeps) = (self.ends, self.plan.undoes_within(key.1));
        let Some(region) = self.regions.get_mut(&key.0) else { return };
        let exec = region.execs.entry(key.1).or_default();
        self.active.remove(&key);
        let was = std::mem::replace(&mut exec.phase, Phase::Over);
        if was == Phase::Over {
            return;
        }
        exec.status = Some(status);
        exec.outputs = Some(Arc::new(outputs));
        exec.error = error;
        exec.waiting = None;
        exec.form = None;
        let container = exec.iterations.is_some();
        if !keeps {
            exec.iterations = None;
        }
        exec.ended = ends;
        if status == NodeStatus::Succeeded {
            region.last = Some(key.1);
        }
        if container {
            for (_, of, index) in self.regions_within(key.0) {
                if of == key {
                    self.close_iteration(of, index);
                }
            }
        }
        self.decide(key, port);
        if was != Phase::Pending {
            self.close_one(key.0);
        }
    }

    /// Decides the outgoing edges of an execution.
    fn decide(&mut self, key: Key, port: Option<&str>) {
        let plan = self.plan.clone();
        // Skips propagate along edges. A list is used instead of recursion because graphs may be long.
        let mut decided = vec![(key.1, port)];
        while let Some((from, port)) = decided.pop() {
            for edge in &plan.nodes[from].outgoing {
                let edge = &plan.edges[*edge];
                let taken = port == Some(edge.port.as_str());
                match self.arrive((key.0, edge.to), from, taken) {
                    Arrival::Nothing => {}
                    Arrival::Ready => self.make_ready((key.0, edge.to)),
                    Arrival::Skipped => {
                        let name = self.name((key.0, edge.to));
                        if !self.recorded_skips.contains(&name.exec_id) {
                            self.skipped.push(name);
                        }
                        decided.push((edge.to, None));
                    }
                }
            }
        }
    }

    fn arrive(&mut self, key: Key, from: NodeIx, taken: bool) -> Arrival {
        let node = &self.plan.nodes[key.1];
        let total = u32::try_from(node.incoming.len()).unwrap_or(u32::MAX);
        let needed = match &node.kind {
            NodeKind::Join(join) => match join.mode {
                JoinMode::All => total,
                JoinMode::Any => 1,
                JoinMode::N(n) => n,
            },
            _ => total,
        };
        let Some(exec) = self.exec_mut(key) else { return Arrival::Nothing };
        match taken {
            true => {
                exec.taken += 1;
                exec.arrived.push(from);
            }
            false => exec.dead += 1,
        }
        if exec.phase != Phase::Pending {
            return Arrival::Nothing;
        }
        let decided = exec.taken + exec.dead >= total;
        match (exec.taken >= needed, decided, exec.taken > 0) {
            (true, ..) | (_, true, true) => Arrival::Ready,
            (_, true, false) => {
                exec.phase = Phase::Over;
                Arrival::Skipped
            }
            _ => Arrival::Nothing,
        }
    }

    /// Notes that the journal contains the event of a skipped execution.
    pub(super) fn skip_recorded(&mut self, exec_id: &Arc<str>) {
        self.skipped.retain(|at| at.exec_id != *exec_id);
        self.recorded_skips.insert(exec_id.clone());
    }

    /// Frees data that only a replay needs: the names of executions whose skip was recorded.
    pub fn forget_recorded_skips(&mut self) {
        self.recorded_skips.clear();
    }
}
