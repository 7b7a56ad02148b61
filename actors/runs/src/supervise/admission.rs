//! Who may run now: limits on live runs, and a queue that is fair to users.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use storage::records::Run;
use storage::{Row, TenantId};
use uuid::Uuid;

use super::live::LiveRun;

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
    turns: VecDeque<UserKey>,
}

impl Admission {
    pub fn new(limits: RunLimits) -> Self {
        Self {
            limits,
            running: HashMap::new(),
            parked: HashSet::new(),
            of_tenant: HashMap::new(),
            of_user: HashMap::new(),
            busy: HashMap::new(),
            waiting: HashMap::new(),
            turns: VecDeque::new(),
        }
    }

    /// Puts a run at the end of its user's line. Nothing happens if it is there or runs already: its starter and the
    /// sweep may both report it.
    pub fn queue(&mut self, live: Arc<LiveRun>, row: Box<Row<Run>>) {
        if self.is_running(live.run) || self.is_waiting(&live) {
            return;
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

    /// Gives back the place of a run that went down. False if it had none.
    pub fn release(&mut self, run: Uuid) -> bool {
        self.set_parked(run, true);
        self.parked.remove(&run);
        let Some(live) = self.running.remove(&run) else { return false };
        if let Some(conversation) = live.conversation_id {
            let place = (live.tenant, conversation);
            if self.busy.get(&place) == Some(&run) {
                self.busy.remove(&place);
            }
        }
        true
    }

    /// A run that waits for something outside gives its place back; when it goes on, it takes one
    /// at once, over the limit if need be: what has begun is not held up by what has not.
    pub fn set_parked(&mut self, run: Uuid, parked: bool) {
        let Some(live) = self.running.get(&run) else { return };
        let (tenant, person) = (live.tenant, (live.tenant, live.user));
        if parked && self.parked.insert(run) {
            count_down(&mut self.of_tenant, tenant);
            count_down(&mut self.of_user, person);
        } else if !parked && self.parked.remove(&run) {
            *self.of_tenant.entry(tenant).or_default() += 1;
            *self.of_user.entry(person).or_default() += 1;
        }
    }

    fn is_running(&self, run: Uuid) -> bool {
        self.running.contains_key(&run)
    }

    fn is_waiting(&self, live: &LiveRun) -> bool {
        let line = self.waiting.get(&(live.tenant, live.user));
        line.is_some_and(|line| line.iter().any(|(other, _)| other.run == live.run))
    }

    fn admit_of(&mut self, person: UserKey) -> Option<QueuedRun> {
        let room = self.has_room(person);
        let line = self.waiting.get_mut(&person)?;
        let busy = &self.busy;
        // A cancelled run only has to write its end, so it waits for no other run. Runs of one
        // conversation go one after the other, in the order they were asked for.
        let mut held = HashSet::new();
        let at = line.iter().position(|(live, _)| {
            let free = live.conversation_id.is_none_or(|conversation| {
                !busy.contains_key(&(live.tenant, conversation)) && held.insert(conversation)
            });
            live.cancel.is_cancelled() || (room && free)
        })?;
        let (live, row) = line.remove(at)?;
        *self.of_tenant.entry(live.tenant).or_default() += 1;
        *self.of_user.entry(person).or_default() += 1;
        if let Some(conversation) = live.conversation_id {
            self.busy.entry((live.tenant, conversation)).or_insert(live.run);
        }
        self.running.insert(live.run, live.clone());
        Some((live, row))
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
