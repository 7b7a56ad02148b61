//! The places of a conversation's queued runs, which the feed reports. They are not stored, so they are read again at
//! intervals instead of at each change: a run that starts moves all runs behind it.

use std::collections::BTreeMap;
use std::time::Duration;

use runs::{QueuePlace, QueueState, Runs};
use storage::TenantId;
use tokio::time::Instant;
use uuid::Uuid;

/// How long runs near the head of the queue are not read again.
const NEAR: Duration = Duration::from_secs(1);
/// The same for runs that will not start soon, or that are not in memory.
const FAR: Duration = Duration::from_secs(5);
/// Positions up to this one are near the head.
const LAST_NEAR: usize = 20;

/// The places that a reader knows.
pub struct QueueWatch {
    runs: Runs,
    tenant: TenantId,
    /// Runs that have not ended and have not been seen at work since the last stored change.
    live: Vec<Uuid>,
    known: BTreeMap<Uuid, QueuePlace>,
    due: Option<Instant>,
}

impl QueueWatch {
    pub fn new(runs: Runs, tenant: TenantId) -> Self {
        Self { runs, tenant, live: Vec::new(), known: BTreeMap::new(), due: None }
    }

    /// Reads the places of these runs, which have not ended. Returns those that have changed; `None` stands for a run
    /// that has left the queue and has not ended.
    pub fn observe(&mut self, live: Vec<Uuid>) -> Vec<(Uuid, Option<QueuePlace>)> {
        self.live = live;
        self.changes()
    }

    /// Reads the places again.
    pub fn changes(&mut self) -> Vec<(Uuid, Option<QueuePlace>)> {
        let (mut changes, mut known) = (Vec::new(), BTreeMap::new());
        let (runs, tenant, mut pause) = (&self.runs, self.tenant, None::<Duration>);
        self.live.retain(|run| {
            let state = runs.queue_state(tenant, *run);
            let place = match state {
                QueueState::Queued(place) => Some(place),
                QueueState::Admitted | QueueState::Absent => None,
            };
            if place != self.known.get(run).copied() {
                changes.push((*run, place));
            }
            known.extend(place.map(|place| (*run, place)));
            let next = if place.is_some_and(|place| place.position <= LAST_NEAR) { NEAR } else { FAR };
            if state != QueueState::Admitted {
                pause = Some(pause.map_or(next, |pause| pause.min(next)));
            }
            state != QueueState::Admitted
        });
        self.known = known;
        self.due = pause.map(|pause| Instant::now() + pause);
        changes
    }

    /// Waits until the places have to be read again. Can be cancelled.
    pub async fn due(&self) {
        match self.due {
            Some(due) => tokio::time::sleep_until(due).await,
            None => std::future::pending().await,
        }
    }
}
