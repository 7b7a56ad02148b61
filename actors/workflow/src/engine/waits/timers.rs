//! Timers. Their times are recorded in the journal. This module only orders them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use storage::Timestamp;

use crate::engine::state::{Key, State, TOP};

/// The key of timers that belong to the run instead of a node.
const RUN: Key = (TOP, usize::MAX);

/// The action to take when a timer expires.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Due {
    /// Repeat a failed attempt.
    Retry,
    /// End a delay, or the wait for a form or an event.
    Expiry,
    /// Fail an execution that has reached its time limit.
    Timeout,
    /// Check whether the run has reached its time limit.
    Run,
}

/// Timers, ordered by time. Timers that no longer apply are ignored when they expire.
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

    /// Adds the timer of an execution's time limit, if it has a limit and has begun.
    pub fn add_timeout(&mut self, state: &State, key: Key) {
        let timeout = state.plan.node(key.1).policy.timeout_ms;
        let started = state.exec(key).and_then(|exec| exec.started_at);
        if let (Some(started), 1..) = (started, timeout) {
            self.add(started + Duration::from_millis(timeout), Due::Timeout, key);
        }
    }

    /// Returns when the next timer expires.
    pub fn next(&self) -> Option<Timestamp> {
        self.0.peek().map(|Reverse((at, ..))| *at)
    }

    /// Returns when the next timer of a node expires.
    pub fn next_of_nodes(&self) -> Option<Timestamp> {
        let of_nodes = self.0.iter().filter(|Reverse((_, due, _))| *due != Due::Run);
        of_nodes.map(|Reverse((at, ..))| *at).min()
    }

    /// Removes and returns a timer that has expired, if there is one.
    pub fn pop_due(&mut self, now: Timestamp) -> Option<(Due, Key)> {
        let Reverse((at, ..)) = self.0.peek()?;
        if *at > now {
            return None;
        }
        self.0.pop().map(|Reverse((_, due, key))| (due, key))
    }
}

/// Waits until a point in time, or forever if there is none. A long wait is divided, because the system clock may be changed in
/// the meantime.
pub async fn until(at: Option<Timestamp>) {
    let Some(at) = at else { return std::future::pending().await };
    loop {
        let remaining = at.as_millis() - Timestamp::now().as_millis();
        let Ok(remaining @ 1..) = u64::try_from(remaining) else { return };
        tokio::time::sleep(Duration::from_millis(remaining.min(60_000))).await;
    }
}
