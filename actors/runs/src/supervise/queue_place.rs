//! Why a run is in the queue, and how many runs start before it.

use std::collections::VecDeque;

use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::admission::{Admission, QueuedRun, UserKey};
use super::live::LiveRun;
use super::turns::TurnShortage;

/// Positions beyond this one are reported as this one, so that a long queue costs no more than a short one.
const LAST_POSITION: usize = 1_000;

/// What a queued run waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum QueueReason {
    /// Another run of the same conversation has to end first.
    Conversation,
    /// The user has the maximum number of working runs.
    UserLimit,
    /// The tenant has the maximum number of working runs.
    TenantLimit,
    /// The server has the maximum number of working runs.
    ServerLimit,
    /// After a restart of the server, a limited number of interrupted runs continue at the same time.
    Recovery,
    /// After a restart of the server, a limited number of interrupted runs call the same provider at the same time.
    RecoveryOfProvider,
    /// Nothing: the run is about to start.
    Turn,
}

/// The place of a run in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct QueuePlace {
    /// What the run waits for.
    pub reason: QueueReason,
    /// The limit that the reason refers to, in runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub limit: Option<usize>,
    /// The position of the run among those that wait for the same thing: the first one starts next. Runs of other users are
    /// counted only if the limit concerns them, too; users take turns. At most 1000.
    #[schema(minimum = 1, maximum = 1000)]
    pub position: usize,
}

/// Whether a run waits for admission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueState {
    /// The run is in the queue.
    Queued(QueuePlace),
    /// The run has been admitted.
    Admitted,
    /// The run is not in the memory of this process: it is about to be registered, is unloaded or has ended.
    Absent,
}

impl Admission {
    /// The place of a run in the queue. Returns `None` if the run is not queued.
    pub fn place(&self, live: &LiveRun) -> Option<QueuePlace> {
        if !self.is_queued(live.run) {
            return None;
        }
        let person = (live.tenant, live.user);
        let line = self.queue_of(person)?;
        let at = line.iter().position(|(other, _)| other.run == live.run)?;
        let (_, row) = line.get(at)?;
        let before = at.min(LAST_POSITION - 1);
        if let Some(before) = self.before_in_conversation(live, line, at) {
            return Some(place(QueueReason::Conversation, None, before));
        }
        let limits = self.limits();
        Some(if self.of_user(person) >= limits.per_user {
            place(QueueReason::UserLimit, Some(limits.per_user), before)
        } else if self.of_tenant(live.tenant) >= limits.per_tenant {
            let before = self.before(person, at, |other| other.0 == live.tenant);
            place(QueueReason::TenantLimit, Some(limits.per_tenant), before)
        } else if self.working() >= limits.total {
            place(QueueReason::ServerLimit, Some(limits.total), self.before(person, at, |_| true))
        } else {
            let before = self.before(person, at, |_| true);
            match self.recovery().shortage(row) {
                Some(TurnShortage::Reading(limit)) => place(QueueReason::Recovery, Some(limit), before),
                Some(TurnShortage::Provider(limit)) => {
                    place(QueueReason::RecoveryOfProvider, Some(limit), before)
                }
                None => place(QueueReason::Turn, None, before),
            }
        })
    }

    /// Number of queued runs of the same conversation that precede the run at `at`. Returns `None` if the run does not
    /// wait for its conversation.
    fn before_in_conversation(&self, live: &LiveRun, line: &VecDeque<QueuedRun>, at: usize) -> Option<usize> {
        let conversation = live.conversation_id?;
        let is_same = |(other, _): &&QueuedRun| other.conversation_id == Some(conversation);
        let before = line.iter().take(at).filter(is_same).count();
        (before > 0 || self.is_busy(live.tenant, conversation, live.run)).then_some(before)
    }

    /// Number of runs of the users that `concerns` selects that start before the run at `at` of this user, if all of them
    /// wait for the same thing: users take turns.
    fn before(&self, person: UserKey, at: usize, concerns: impl Fn(&UserKey) -> bool) -> usize {
        let (mut before, mut is_behind) = (0, false);
        for other in self.turns().filter(|other| concerns(other)).take(LAST_POSITION) {
            if *other == person {
                is_behind = true;
                before += at;
                continue;
            }
            // A user whose turn is earlier starts one run more until then.
            let rounds = if is_behind { at } else { at + 1 };
            before += self.queue_of(*other).map_or(0, |line| line.len().min(rounds));
        }
        before
    }
}

fn place(reason: QueueReason, limit: Option<usize>, before: usize) -> QueuePlace {
    QueuePlace { reason, limit, position: (before + 1).min(LAST_POSITION) }
}

impl super::runs::Runs {
    /// Whether a run waits for admission, and where.
    pub fn queue_state(&self, tenant: storage::TenantId, run: Uuid) -> QueueState {
        let Some(live) = self.runtime.registry.find(tenant, run) else { return QueueState::Absent };
        if live.mailbox().is_some() {
            return QueueState::Admitted;
        }
        match self.runtime.admission.lock().place(&live) {
            Some(place) => QueueState::Queued(place),
            // Between the queue and its actor, or about to be queued behind a run that is being loaded.
            None => QueueState::Absent,
        }
    }
}
