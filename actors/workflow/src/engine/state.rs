//! What a run has come to: made of its journal's events, and of nothing else, so that a fresh
//! actor stands where the one before it stood.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::Arc;

use runs::event::flow::{FormSubmitted, NodeStatus, RunEnding, RunPaused};
use runs::{NodeRef, TerminalError};
use serde_json::{Map, Value};
use storage::Timestamp;
use uuid::Uuid;

use super::exec::{Exec, Phase, Region, chars};
use super::place::{Key, Path, RegionId, TOP};
use crate::graph::{JoinMode, NodeIx, NodeKind, Plan};

/// What a run has come to.
pub struct State {
    pub plan: Arc<Plan>,
    pub regions: BTreeMap<RegionId, Box<Region>>,
    next_region: RegionId,
    /// Executions that have begun and are not over.
    active: HashSet<Key>,
    /// Where iterations that are under way are.
    iterations: HashMap<(Key, u64), RegionId>,
    pub vars: Map<String, Value>,
    pub ready: VecDeque<Key>,
    /// Regions in which nothing can go on any more.
    pub drained: Vec<RegionId>,
    /// Executions that were passed over and of which nobody has been told yet.
    pub skipped: Vec<Arc<NodeRef>>,
    told_skipped: HashSet<Arc<str>>,
    pub answered: HashMap<Uuid, FormSubmitted>,
    pub expired: HashSet<Uuid>,
    /// Forms that were asked for, where; those that are over go when it is looked at them.
    pub forms: BTreeMap<Uuid, Key>,
    pub paused: Option<RunPaused>,
    /// Whether the run waits, by its journal.
    pub waiting: bool,
    pub steps: u64,
    pub ends: u64,
    pub outputs: Option<Map<String, Value>>,
    /// How the run is about to end, once that is told.
    pub ending: Option<RunEnding>,
    /// Whether results of an earlier run were taken over.
    pub reused: bool,
    /// Whether it was told what is to be undone.
    pub undoing: bool,
    /// Executions that were undone, whatever came of it.
    pub undone: HashSet<Arc<str>>,
    /// Those of them that could not be, and why.
    pub not_undone: BTreeMap<Arc<str>, String>,
    /// Executions whose undoing has begun, with the attempts that were made at it.
    pub undo_attempts: HashMap<Arc<str>, u32>,
    /// What was said to the run's answer.
    pub answer: String,
    /// Iterations of which nothing came.
    pub items_failed: u64,
}

impl State {
    /// A run that has not begun.
    pub fn new(plan: Arc<Plan>) -> Self {
        let vars = plan.vars.iter().map(|(name, var)| (name.clone(), var.initial.clone())).collect();
        let mut state = Self {
            regions: BTreeMap::new(),
            next_region: TOP,
            active: HashSet::new(),
            iterations: HashMap::new(),
            vars,
            ready: VecDeque::new(),
            drained: Vec::new(),
            skipped: Vec::new(),
            told_skipped: HashSet::new(),
            answered: HashMap::new(),
            expired: HashSet::new(),
            forms: BTreeMap::new(),
            paused: None,
            waiting: false,
            steps: 0,
            ends: 0,
            outputs: None,
            ending: None,
            reused: false,
            undoing: false,
            undone: HashSet::new(),
            not_undone: BTreeMap::new(),
            undo_attempts: HashMap::new(),
            answer: String::new(),
            items_failed: 0,
            plan,
        };
        let roots = state.plan.roots.clone();
        state.open_region(None, Path::default(), &roots);
        state
    }

    /// Opens an iteration of a container.
    pub fn open_iteration(&mut self, of: Key, index: u64) -> RegionId {
        let (container, path) = (&self.plan.nodes[of.1], &self.regions[&of.0].path);
        let (path, roots) = (path.within(&container.id, index), container.roots.clone());
        let id = self.open_region(Some((of, index)), path, &roots);
        self.iterations.insert((of, index), id);
        id
    }

    /// A look into an iteration that has not begun.
    pub fn look_inside(&mut self, of: Key, index: u64) -> RegionId {
        let path = self.regions[&of.0].path.within(&self.plan.nodes[of.1].id, index);
        self.open_region(Some((of, index)), path, &[])
    }

    /// Ends such a look.
    pub fn look_away(&mut self, region: RegionId) {
        self.part(region);
        self.regions.remove(&region);
    }

    /// Takes a region from among those that are under way in the one around it.
    fn part(&mut self, id: RegionId) -> Option<RegionId> {
        let (of, _) = self.regions.get(&id)?.of?;
        self.regions.get_mut(&of.0)?.inner.remove(&id);
        Some(of.0)
    }

    fn open_region(&mut self, of: Option<(Key, u64)>, path: Path, roots: &[NodeIx]) -> RegionId {
        let id = self.next_region;
        self.next_region += 1;
        self.regions.insert(id, Box::new(Region { of, path, ..Region::default() }));
        if let Some(around) = of.and_then(|(of, _)| self.regions.get_mut(&of.0)) {
            around.inner.insert(id);
        }
        for root in roots {
            self.make_ready((id, *root));
        }
        id
    }

    pub fn region(&self, id: RegionId) -> Option<&Region> {
        self.regions.get(&id).map(|region| &**region)
    }

    pub fn exec(&self, key: Key) -> Option<&Exec> {
        self.regions.get(&key.0)?.execs.get(&key.1).map(|exec| &**exec)
    }

    pub fn exec_mut(&mut self, key: Key) -> Option<&mut Exec> {
        Some(self.regions.get_mut(&key.0)?.execs.entry(key.1).or_default())
    }

    /// The name of an execution.
    pub fn name(&self, key: Key) -> Arc<NodeRef> {
        let Some(region) = self.regions.get(&key.0) else { return Path::default().node(&self.plan, key.1) };
        match region.execs.get(&key.1) {
            Some(exec) => exec.name.get_or_init(|| region.path.node(&self.plan, key.1)).clone(),
            None => region.path.node(&self.plan, key.1),
        }
    }

    /// The execution of a name, by its iterations.
    pub fn find(&self, at: &NodeRef) -> Option<Key> {
        let ix = *self.plan.by_id.get(&*at.node_id)?;
        let mut region = TOP;
        for (container, index) in &at.scope {
            let container = *self.plan.by_id.get(&**container)?;
            region = self.iteration((region, container), *index)?;
        }
        Some((region, ix))
    }

    /// The region of an iteration that is under way.
    pub fn iteration(&self, of: Key, index: u64) -> Option<RegionId> {
        self.iterations.get(&(of, index)).copied()
    }

    /// Forgets an iteration with all that was in it.
    pub fn leave_iteration(&mut self, of: Key, index: u64) {
        if let Some(id) = self.iterations.remove(&(of, index)) {
            self.forget(id);
        }
    }

    fn forget(&mut self, id: RegionId) {
        for (inner, of, index) in self.regions_within(id) {
            self.iterations.remove(&(of, index));
            self.forget(inner);
        }
        let around = self.part(id);
        // What was done in it may have to be undone, and that asks for the values around it.
        let keeps = |region: &Region| region.keeps || region.execs.values().any(|exec| exec.undoable);
        match self.region(id).is_some_and(keeps) {
            true => drop(
                around.and_then(|around| self.regions.get_mut(&around)).map(|around| around.keeps = true),
            ),
            false => drop(self.regions.remove(&id)),
        }
    }

    /// The iterations that are under way of containers that stand in a region.
    pub fn regions_within(&self, id: RegionId) -> Vec<(RegionId, Key, u64)> {
        let Some(region) = self.regions.get(&id) else { return Vec::new() };
        let inner = region.inner.iter().filter_map(|inner| {
            let (of, index) = self.regions.get(inner)?.of?;
            Some((*inner, of, index))
        });
        inner.collect()
    }

    fn make_ready(&mut self, key: Key) {
        let Some(region) = self.regions.get_mut(&key.0) else { return };
        region.open += 1;
        region.execs.entry(key.1).or_default().phase = Phase::Ready;
        self.ready.push_back(key);
    }

    /// An execution has begun, or begins another attempt.
    pub fn started(&mut self, key: Key, inputs: Map<String, Value>, attempt: u32, at: Timestamp) {
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

    /// An execution is over: what it gave, and which way the run goes on from it. `port` is none
    /// where it goes on by no edge.
    pub fn over(
        &mut self,
        key: Key,
        status: NodeStatus,
        port: Option<&str>,
        outputs: Value,
        error: Option<TerminalError>,
    ) {
        self.ends += 1;
        // What was done in it may have to be undone, and that may ask for the items.
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
                    self.leave_iteration(of, index);
                }
            }
        }
        self.decide(key, port);
        if was != Phase::Pending {
            self.close_one(key.0);
        }
    }

    fn close_one(&mut self, region: RegionId) {
        if let Some(there) = self.regions.get_mut(&region) {
            there.open = there.open.saturating_sub(1);
            if there.open == 0 {
                self.drained.push(region);
            }
        }
    }

    /// Decides on the edges that leave an execution.
    fn decide(&mut self, key: Key, port: Option<&str>) {
        let plan = self.plan.clone();
        // Skipping spreads; a list instead of recursion, as graphs may be long.
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
                        if !self.told_skipped.contains(&name.exec_id) {
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

    /// Who was told is known now for all that the journal held.
    pub fn forget_told(&mut self) {
        self.told_skipped.clear();
    }

    /// Somebody was told that an execution was passed over.
    pub fn told_skipped(&mut self, exec_id: &Arc<str>) {
        self.skipped.retain(|at| at.exec_id != *exec_id);
        self.told_skipped.insert(exec_id.clone());
    }

    /// Executions that have begun and are not over, in no order.
    pub fn active(&self) -> Vec<Key> {
        self.active.iter().copied().collect()
    }

    /// Whether nothing of the run can go on.
    pub fn is_over(&self) -> bool {
        self.regions.get(&TOP).is_none_or(|top| top.open == 0)
    }
}

/// What an edge that was decided leads to.
enum Arrival {
    Nothing,
    Ready,
    Skipped,
}
