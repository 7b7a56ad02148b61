//! Who may run now: limits on live runs, and a queue that is fair to users.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use storage::records::Run;
use storage::{Row, TenantId};
use uuid::Uuid;

use super::live::LiveRun;
use super::turns::{RecoveryLimits, RecoveryTurns};

/// Runs at the head of a user's line among which one is looked for that may start. Others have to come closer first, so
/// that a long line costs no more than a short one.
const IN_SIGHT: usize = 256;

/// How many runs may be live at once.
#[derive(Clone, Copy, Debug)]
pub struct RunLimits {
    /// In the whole process.
    pub total: usize,
    pub per_tenant: usize,
    /// Of one user within a tenant.
    pub per_user: usize,
    /// How many more of one user's may wait in the queue.
    pub queued_per_user: usize,
    /// How many of one user's may wait for something outside: a person, an event, a time.
    pub parked_per_user: usize,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self { total: 20_000, per_tenant: 5_000, per_user: 64, queued_per_user: 256, parked_per_user: 20_000 }
    }
}

type UserKey = (TenantId, Uuid);
/// A run that waits for its turn, with its record.
pub(super) type QueuedRun = (Arc<LiveRun>, Box<Row<Run>>);

/// Counts what runs and keeps what waits. Users take turns, so that one who asks for a thousand
/// runs does not hold up one who asks for one.
pub(super) struct Admission {
    limits: RunLimits,
    running: HashMap<Uuid, Arc<LiveRun>>,
    /// Those of them that wait for something outside, and are not counted.
    parked: HashSet<Uuid>,
    of_tenant: HashMap<TenantId, usize>,
    of_user: HashMap<UserKey, usize>,
    /// Conversations in which a run is at work, with that run.
    busy: HashMap<(TenantId, Uuid), Uuid>,
    waiting: HashMap<UserKey, VecDeque<QueuedRun>>,
    /// All that are in a line,
    queued: HashSet<Uuid>,
    /// and how many of them are in one for a conversation.
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

    /// Puts a run at the end of its user's line. Nothing happens if it is there or runs already: its starter and the
    /// sweep may both report it.
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
        self.running.len() - self.parked.len() < self.limits.total
            && self.of_tenant.get(&person.0).is_none_or(|n| *n < self.limits.per_tenant)
            && self.of_user.get(&person).is_none_or(|n| *n < self.limits.per_user)
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

    /// Takes a run out of its line, whether or not it is its turn; none where it is in none.
    pub fn admit_at_once(&mut self, live: &Arc<LiveRun>) -> Option<QueuedRun> {
        if !self.queued.contains(&live.run) {
            return None;
        }
        let person = (live.tenant, live.user);
        let line = self.waiting.get_mut(&person)?;
        let at = line.iter().position(|(other, _)| Arc::ptr_eq(other, live))?;
        let admitted = line.remove(at).map(|queued| self.start(queued));
        // It takes no turn from those that wait for one.
        self.recovery.end(live.run);
        if self.waiting.get(&person).is_some_and(VecDeque::is_empty) {
            self.waiting.remove(&person);
            self.turns.retain(|other| *other != person);
        }
        admitted
    }

    /// How many wait for their turn.
    pub fn queued(&self) -> usize {
        self.queued.len()
    }

    /// Whether a run is in line for a conversation, in which another one waits.
    pub fn is_awaited(&self, tenant: TenantId, conversation: Uuid) -> bool {
        self.queued_in.contains_key(&(tenant, conversation))
    }

    /// Gives back the place of a run that is over, or went down.
    pub fn release(&mut self, live: &Arc<LiveRun>) {
        if self.leave(live)
            && let Some(conversation) = live.conversation_id
            && self.busy.get(&(live.tenant, conversation)) == Some(&live.run)
        {
            self.busy.remove(&(live.tenant, conversation));
        }
    }

    /// Gives back the place of a run that is unloaded. Where another one is in line for its conversation, that stays
    /// occupied, and the run has to be loaded again: the other one comes after its end. Tells whether that is so.
    pub fn unload(&mut self, live: &Arc<LiveRun>) -> bool {
        let is_awaited = live.conversation_id.is_some_and(|id| self.is_awaited(live.tenant, id));
        match is_awaited {
            true => _ = self.leave(live),
            false => self.release(live),
        }
        is_awaited
    }

    /// False where this run has no place, as after it was unloaded and loaded again.
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

    /// A recovered run has read its journal. Tells whether another one may start for that.
    pub fn end_reading(&mut self, run: Uuid) -> bool {
        self.recovery.end_reading(run)
    }

    /// A recovered run has an answer of its provider. Tells whether another one may start for that.
    pub fn end_recovery(&mut self, run: Uuid) -> bool {
        self.recovery.end(run)
    }

    /// Whether a run has a turn to recover.
    pub fn is_recovering(&self, run: Uuid) -> bool {
        self.recovery.has(run)
    }

    /// A run that waits for something outside gives its place back; when it goes on, it takes one
    /// at once, over the limit if need be: what has begun is not held up by what has not.
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
        // A cancelled run only has to write its end, so it waits for no other run. Runs of one
        // conversation go one after the other, in the order they were asked for.
        let mut held = HashSet::new();
        let at = line.iter().take(IN_SIGHT).position(|(live, row)| {
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
