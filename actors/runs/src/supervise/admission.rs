//! Admission of runs: limits on live runs, and a queue that is fair to users.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use storage::records::Run;
use storage::{Row, TenantId};
use uuid::Uuid;

use super::live::LiveRun;
use super::turns::{RecoveryLimits, RecoveryTurns};

/// Number of runs at the head of a user's queue that are considered for admission. Runs behind them have to move up
/// first, so that a long queue costs no more than a short one.
const LOOKAHEAD: usize = 256;

/// Limits on the number of live runs.
#[derive(Clone, Copy, Debug)]
pub struct RunLimits {
    /// Maximum number of working runs in the whole process.
    pub total: usize,
    pub per_tenant: usize,
    /// Maximum number of working runs of one user within a tenant.
    pub per_user: usize,
    /// Maximum number of additional runs of one user in the queue.
    pub queued_per_user: usize,
    /// Maximum number of runs of one user that are parked: that wait for a person, an event or a time.
    pub parked_per_user: usize,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self { total: 20_000, per_tenant: 5_000, per_user: 64, queued_per_user: 256, parked_per_user: 20_000 }
    }
}

pub(super) type UserKey = (TenantId, Uuid);
/// A run that waits for admission, with its record.
pub(super) type QueuedRun = (Arc<LiveRun>, Box<Row<Run>>);

/// Counts running runs and queues waiting ones. Users take turns, so that a user who starts a thousand runs does not
/// delay a user who starts one.
pub(super) struct Admission {
    limits: RunLimits,
    running: HashMap<Uuid, Arc<LiveRun>>,
    /// Running runs that are parked, and therefore not counted.
    parked: HashSet<Uuid>,
    of_tenant: HashMap<TenantId, usize>,
    of_user: HashMap<UserKey, usize>,
    /// Conversations in which a run is working, with that run.
    busy: HashMap<(TenantId, Uuid), Uuid>,
    waiting: HashMap<UserKey, VecDeque<QueuedRun>>,
    /// All runs in a queue.
    queued: HashSet<Uuid>,
    /// Number of queued runs per conversation.
    queued_in: HashMap<(TenantId, Uuid), usize>,
    turns: VecDeque<UserKey>,
    recovery: RecoveryTurns,
}

impl Admission {
    pub fn new(limits: RunLimits, recovery: RecoveryLimits) -> Self {
        Self {
            limits,
            running: HashMap::new(),
            parked: HashSet::new(),
            of_tenant: HashMap::new(),
            of_user: HashMap::new(),
            busy: HashMap::new(),
            waiting: HashMap::new(),
            queued: HashSet::new(),
            queued_in: HashMap::new(),
            turns: VecDeque::new(),
            recovery: RecoveryTurns::new(recovery),
        }
    }

    /// Appends a run to its user's queue. Does nothing if the run is queued or running: both the code that started it
    /// and the sweep may report it.
    pub fn queue(&mut self, live: Arc<LiveRun>, row: Box<Row<Run>>) {
        if self.running.contains_key(&live.run) || !self.queued.insert(live.run) {
            return;
        }
        if let Some(conversation) = live.conversation_id {
            *self.queued_in.entry((live.tenant, conversation)).or_default() += 1;
        }
        let person = (live.tenant, live.user);
        let line = self.waiting.entry(person).or_default();
        if line.is_empty() {
            self.turns.push_back(person);
        }
        line.push_back((live, row));
    }

    /// Whether a run that is added now would be the next to start.
    pub fn has_place(&self, tenant: TenantId, user: Uuid, conversation: Option<Uuid>) -> bool {
        let is_free = |conversation| !self.busy.contains_key(&(tenant, conversation));
        self.waiting.is_empty() && self.has_room((tenant, user)) && conversation.is_none_or(is_free)
    }

    fn has_room(&self, person: UserKey) -> bool {
        self.working() < self.limits.total
            && self.of_tenant(person.0) < self.limits.per_tenant
            && self.of_user(person) < self.limits.per_user
    }

    /// Takes the next run that may start, if there is one, and counts it as running.
    pub fn admit(&mut self) -> Option<QueuedRun> {
        for _ in 0..self.turns.len() {
            let person = self.turns.pop_front()?;
            let admitted = self.admit_of(person);
            if self.waiting.get(&person).is_some_and(|line| !line.is_empty()) {
                self.turns.push_back(person);
            } else {
                self.waiting.remove(&person);
            }
            if admitted.is_some() {
                return admitted;
            }
        }
        None
    }

    /// Takes a run out of its queue regardless of its position. Returns `None` if the run is not queued.
    pub fn admit_immediately(&mut self, live: &Arc<LiveRun>) -> Option<QueuedRun> {
        if !self.queued.contains(&live.run) {
            return None;
        }
        let person = (live.tenant, live.user);
        let line = self.waiting.get_mut(&person)?;
        let at = line.iter().position(|(other, _)| Arc::ptr_eq(other, live))?;
        let admitted = line.remove(at).map(|queued| self.start(queued));
        // Does not use up a recovery turn, since other runs wait for one.
        self.recovery.end(live.run);
        if self.waiting.get(&person).is_some_and(VecDeque::is_empty) {
            self.waiting.remove(&person);
            self.turns.retain(|other| *other != person);
        }
        admitted
    }

    /// Whether a run waits for admission.
    pub(super) fn is_queued(&self, run: Uuid) -> bool {
        self.queued.contains(&run)
    }

    pub(super) fn limits(&self) -> &RunLimits {
        &self.limits
    }

    /// The queue of a user.
    pub(super) fn queue_of(&self, person: UserKey) -> Option<&VecDeque<QueuedRun>> {
        self.waiting.get(&person)
    }

    /// The users with queued runs, in the order of their turns.
    pub(super) fn turns(&self) -> impl Iterator<Item = &UserKey> {
        self.turns.iter()
    }

    pub(super) fn recovery(&self) -> &RecoveryTurns {
        &self.recovery
    }

    /// Number of working runs of the process.
    pub(super) fn working(&self) -> usize {
        self.running.len() - self.parked.len()
    }

    pub(super) fn of_tenant(&self, tenant: TenantId) -> usize {
        self.of_tenant.get(&tenant).copied().unwrap_or_default()
    }

    pub(super) fn of_user(&self, person: UserKey) -> usize {
        self.of_user.get(&person).copied().unwrap_or_default()
    }

    /// Whether a run other than `run` works in a conversation.
    pub(super) fn is_busy(&self, tenant: TenantId, conversation: Uuid, run: Uuid) -> bool {
        self.busy.get(&(tenant, conversation)).is_some_and(|at_work| *at_work != run)
    }

    /// Number of runs that wait for admission.
    pub fn queued(&self) -> usize {
        self.queued.len()
    }

    /// Whether a run is queued for a conversation that another, waiting run occupies.
    pub fn is_awaited(&self, tenant: TenantId, conversation: Uuid) -> bool {
        self.queued_in.contains_key(&(tenant, conversation))
    }

    /// Releases the slot of a run that has ended or crashed.
    pub fn release(&mut self, live: &Arc<LiveRun>) {
        if self.leave(live)
            && let Some(conversation) = live.conversation_id
            && self.busy.get(&(live.tenant, conversation)) == Some(&live.run)
        {
            self.busy.remove(&(live.tenant, conversation));
        }
    }

    /// Releases the slot of a run that is unloaded. Returns whether another run is queued for the same conversation. In
    /// that case the conversation stays occupied, and the run has to be loaded again, because the queued run starts
    /// after its end.
    pub fn unload(&mut self, live: &Arc<LiveRun>) -> bool {
        let is_awaited = live.conversation_id.is_some_and(|id| self.is_awaited(live.tenant, id));
        match is_awaited {
            true => _ = self.leave(live),
            false => self.release(live),
        }
        is_awaited
    }

    /// Returns false if this run has no slot, for example after it was unloaded and loaded again.
    fn leave(&mut self, live: &Arc<LiveRun>) -> bool {
        if !self.running.get(&live.run).is_some_and(|there| Arc::ptr_eq(there, live)) {
            return false;
        }
        self.set_parked(live.run, true);
        self.parked.remove(&live.run);
        self.running.remove(&live.run);
        self.recovery.end(live.run);
        true
    }

    /// Records that a recovered run has read its journal. Returns whether another run may start as a result.
    pub fn end_reading(&mut self, run: Uuid) -> bool {
        self.recovery.end_reading(run)
    }

    /// Records that a recovered run has received a response from its provider. Returns whether another run may start as
    /// a result.
    pub fn end_recovery(&mut self, run: Uuid) -> bool {
        self.recovery.end(run)
    }

    /// Whether a run has a recovery turn.
    pub fn is_recovering(&self, run: Uuid) -> bool {
        self.recovery.has(run)
    }

    /// Releases the slot of a run that waits for something external. When it continues, it takes a slot immediately,
    /// even over the limit: runs that have begun are not delayed by runs that have not.
    pub fn set_parked(&mut self, run: Uuid, parked: bool) {
        let Some(live) = self.running.get(&run) else { return };
        let (tenant, person) = (live.tenant, (live.tenant, live.user));
        if parked {
            self.recovery.end(run);
        }
        if parked && self.parked.insert(run) {
            count_down(&mut self.of_tenant, tenant);
            count_down(&mut self.of_user, person);
        } else if !parked && self.parked.remove(&run) {
            *self.of_tenant.entry(tenant).or_default() += 1;
            *self.of_user.entry(person).or_default() += 1;
        }
    }

    fn admit_of(&mut self, person: UserKey) -> Option<QueuedRun> {
        let room = self.has_room(person);
        let line = self.waiting.get_mut(&person)?;
        let (busy, recovery) = (&self.busy, &self.recovery);
        // A cancelled run only has to write its end, so it waits for no other run. Runs of one conversation are
        // executed one after the other, in the order in which they were requested.
        let mut held = HashSet::new();
        let at = line.iter().take(LOOKAHEAD).position(|(live, row)| {
            if live.cancel.is_cancelled() || !room {
                return live.cancel.is_cancelled();
            }
            let free = live.conversation_id.is_none_or(|conversation| {
                let at_work = busy.get(&(live.tenant, conversation));
                at_work.is_none_or(|run| *run == live.run) && held.insert(conversation)
            });
            free && recovery.has_room(row)
        })?;
        line.remove(at).map(|queued| self.start(queued))
    }

    /// Counts a run as running.
    fn start(&mut self, (live, row): QueuedRun) -> QueuedRun {
        self.queued.remove(&live.run);
        *self.of_tenant.entry(live.tenant).or_default() += 1;
        *self.of_user.entry((live.tenant, live.user)).or_default() += 1;
        if let Some(conversation) = live.conversation_id {
            count_down(&mut self.queued_in, (live.tenant, conversation));
            self.busy.entry((live.tenant, conversation)).or_insert(live.run);
        }
        self.running.insert(live.run, live.clone());
        self.recovery.take(&row);
        (live, row)
    }
}

fn count_down<K: std::hash::Hash + Eq>(counts: &mut HashMap<K, usize>, key: K) {
    if let Some(count) = counts.get_mut(&key) {
        *count -= 1;
        if *count == 0 {
            counts.remove(&key);
        }
    }
}
