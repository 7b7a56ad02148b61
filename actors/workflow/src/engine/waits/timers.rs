//! Timers. Their times are in the journal; this only orders them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use storage::Timestamp;

use crate::engine::state::{Key, State, TOP};

/// The key of timers that belong to the run and not to a node.
const RUN: Key = (TOP, usize::MAX);

/// What happens when a timer is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Due {
    /// A failed attempt is repeated.
    Retry,
    /// A delay is over; a form or an event has not come in time.
    Expiry,
    /// An execution has reached its time limit.
    Timeout,
    /// The run may have reached its time limit.
    Run,
}

/// Timers, the next one first. Those that no longer apply are ignored when they are due.
#[derive(Default)]
pub struct Timers(BinaryHeap<Reverse<(Timestamp, Due, Key)>>);

impl Timers {
    pub fn add(&mut self, at: Timestamp, due: Due, key: Key) {
        self.0.push(Reverse((at, due, key)));
    }

    /// Adds the timer of the run's time limit.
    pub fn add_run_limit(&mut self, at: Timestamp) {
        self.add(at, Due::Run, RUN);
    }

    /// Adds the timer of an execution's time limit, if it has one and has begun.
    pub fn add_timeout(&mut self, state: &State, key: Key) {
        let timeout = state.plan.node(key.1).policy.timeout_ms;
        let started = state.exec(key).and_then(|exec| exec.started_at);
        if let (Some(started), 1..) = (started, timeout) {
            self.add(started + Duration::from_millis(timeout), Due::Timeout, key);
        }
    }

    /// When the next timer is due.
    pub fn next(&self) -> Option<Timestamp> {
        self.0.peek().map(|Reverse((at, ..))| *at)
    }

    /// When the next timer of a node is due.
    pub fn next_of_nodes(&self) -> Option<Timestamp> {
        let of_nodes = self.0.iter().filter(|Reverse((_, due, _))| *due != Due::Run);
        of_nodes.map(|Reverse((at, ..))| *at).min()
    }

    /// Takes a timer that is due.
    pub fn pop_due(&mut self, now: Timestamp) -> Option<(Due, Key)> {
        let Reverse((at, ..)) = self.0.peek()?;
        if *at > now {
            return None;
        }
        self.0.pop().map(|Reverse((_, due, key))| (due, key))
    }
}

/// Waits until a time; for ever where there is none. A long wait is divided, because the machine's clock may be set in
/// between.
pub async fn until(at: Option<Timestamp>) {
    let Some(at) = at else { return std::future::pending().await };
    loop {
        let remaining = at.as_millis() - Timestamp::now().as_millis();
        let Ok(remaining @ 1..) = u64::try_from(remaining) else { return };
        tokio::time::sleep(Duration::from_millis(remaining.min(60_000))).await;
    }
}
