//! The state of a run. It is computed only from the events of the journal, so that the actor of a later epoch reaches the same
//! state. Nothing in this module reads or writes anything outside of the state.

mod apply;
mod edges;
mod exec;
mod place;
mod regions;

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::Arc;

use runs::NodeRef;
use runs::event::flow::{FormSubmitted, NodeStatus, RunEnding, RunPaused};
use serde_json::{Map, Value};
use storage::Timestamp;
use uuid::Uuid;

pub use self::exec::{Exec, Iterations, Phase, Region};
pub use self::place::{Key, Path, RegionId, TOP};
use crate::graph::{NodeKind, Plan};

/// The state of a run, computed from its journal.
pub struct State {
    pub plan: Arc<Plan>,
    pub regions: BTreeMap<RegionId, Box<Region>>,
    next_region: RegionId,
    /// Executions that have begun and not ended.
    active: HashSet<Key>,
    /// Regions of running iterations.
    iterations: HashMap<(Key, u64), RegionId>,
    pub vars: Map<String, Value>,
    pub ready: VecDeque<Key>,
    /// Regions in which no execution is ready or active any more.
    pub drained: Vec<RegionId>,
    /// Skipped executions that have no event yet.
    pub skipped: Vec<Arc<NodeRef>>,
    /// Names of executions whose skip is recorded in the journal.
    recorded_skips: HashSet<Arc<str>>,
    pub answered: HashMap<Uuid, FormSubmitted>,
    pub expired: HashSet<Uuid>,
    /// Requested forms with their executions. Entries of ended executions are removed when they are read.
    pub forms: BTreeMap<Uuid, Key>,
    pub paused: Option<RunPaused>,
    /// Whether the run is parked in a wait.
    pub waiting: bool,
    pub steps: u64,
    ends: u64,
    pub outputs: Option<Map<String, Value>>,
    /// How the run will end, once that is recorded.
    pub ending: Option<RunEnding>,
    /// Whether results were copied from an earlier run.
    pub reused: bool,
    /// Whether compensation has begun.
    pub undoing: bool,
    /// Executions whose compensation has ended, whether it succeeded or failed.
    pub undone: HashSet<Arc<str>>,
    /// Executions whose compensation failed, with the reason.
    pub not_undone: BTreeMap<Arc<str>, String>,
    /// Executions whose compensation has begun, with the number of attempts.
    pub undo_attempts: HashMap<Arc<str>, u32>,
    /// The run's answer so far.
    pub answer: String,
    /// Number of failed iterations that were ignored.
    pub items_failed: u64,
}

impl State {
    /// Creates the state of a run that has not begun.
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
            recorded_skips: HashSet::new(),
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

    pub fn region(&self, id: RegionId) -> Option<&Region> {
        self.regions.get(&id).map(|region| &**region)
    }

    pub fn exec(&self, key: Key) -> Option<&Exec> {
        self.regions.get(&key.0)?.execs.get(&key.1).map(|exec| &**exec)
    }

    fn exec_mut(&mut self, key: Key) -> Option<&mut Exec> {
        Some(self.regions.get_mut(&key.0)?.execs.entry(key.1).or_default())
    }

    /// Whether an execution has begun and not ended.
    pub fn is_active(&self, key: Key) -> bool {
        self.exec(key).is_some_and(|exec| exec.phase == Phase::Active)
    }

    /// Returns the name of an execution, including the iterations around it.
    pub fn name(&self, key: Key) -> Arc<NodeRef> {
        let Some(region) = self.regions.get(&key.0) else { return Path::default().node(&self.plan, key.1) };
        match region.execs.get(&key.1) {
            Some(exec) => exec.name.get_or_init(|| region.path.node(&self.plan, key.1)).clone(),
            None => region.path.node(&self.plan, key.1),
        }
    }

    /// Looks up an execution by its name. Returns `None` if an iteration in the name is not running.
    pub fn find(&self, at: &NodeRef) -> Option<Key> {
        let ix = *self.plan.by_id.get(&*at.node_id)?;
        let mut region = TOP;
        for (container, index) in &at.scope {
            let container = *self.plan.by_id.get(&**container)?;
            region = self.iteration((region, container), *index)?;
        }
        Some((region, ix))
    }

    /// Returns the executions that have begun and not ended, in no particular order.
    pub fn active(&self) -> Vec<Key> {
        self.active.iter().copied().collect()
    }

    /// Returns the executions of running regions that ended with a status.
    pub fn ended_with(&self, status: NodeStatus) -> Vec<Key> {
        let mut ended = Vec::new();
        for (id, region) in &self.regions {
            // The regions of ended iterations are retained if they contain executions that may have to be undone.
            let under_way = region.of.is_none_or(|(of, index)| self.iteration(of, index) == Some(*id));
            let over = region.execs.iter().filter(|(_, exec)| under_way && exec.status == Some(status));
            ended.extend(over.map(|(ix, _)| (*id, *ix)));
        }
        ended
    }

    /// Returns the executions of a region that are ready or active.
    pub fn live_in(&self, id: RegionId) -> Vec<Key> {
        let Some(region) = self.region(id) else { return Vec::new() };
        let live = region.execs.iter().filter(|(_, exec)| matches!(exec.phase, Phase::Ready | Phase::Active));
        live.map(|(ix, _)| (id, *ix)).collect()
    }

    /// Returns the executions that wait for `human` or `event`, oldest region first. If `named` is set, only the executions of
    /// that node, or that execution.
    pub fn waiting_on(&self, on: &str, named: Option<&str>) -> Vec<Key> {
        let fits = |key: &Key| {
            let waiting = self.exec(*key).and_then(|exec| exec.waiting.as_ref());
            waiting.is_some_and(|waiting| waiting.on == on) && self.is_named(*key, named)
        };
        let mut keys: Vec<_> = self.active().into_iter().filter(fits).collect();
        keys.sort_unstable();
        keys
    }

    /// Whether the execution or its node has this name. True if no name is given.
    pub fn is_named(&self, key: Key, named: Option<&str>) -> bool {
        let name = self.name(key);
        named.is_none_or(|id| *name.node_id == *id || *name.exec_id == *id)
    }

    /// Whether no execution of the run can continue.
    pub fn is_over(&self) -> bool {
        self.regions.get(&TOP).is_none_or(|top| top.open == 0)
    }

    /// Returns the executions of `start` nodes on the outermost level.
    pub fn starts(&self) -> impl Iterator<Item = Key> {
        let roots = self.plan.roots.iter().map(|root| (TOP, *root));
        roots.filter(|key| matches!(self.plan.node(key.1).kind, NodeKind::Start))
    }

    /// Returns the time since an execution began, in milliseconds.
    pub fn elapsed_ms(&self, key: Key) -> u64 {
        let started = self.exec(key).and_then(|exec| exec.started_at);
        let elapsed = started.map_or(0, |at| Timestamp::now().as_millis() - at.as_millis());
        u64::try_from(elapsed).unwrap_or_default()
    }
}
