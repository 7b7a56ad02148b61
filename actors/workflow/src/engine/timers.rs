//! What is due later. Times stand in the journal; this only remembers which is next.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use storage::Timestamp;

use super::place::Key;

/// What a time is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Due {
    /// A failed attempt is made again.
    Retry,
    /// A delay is over, a form or an event has not come in time.
    Expiry,
    /// A container has taken too long.
    Timeout,
    /// The run has worked too long.
    Run,
}

/// Times, the next one first. Those that no longer matter are passed over when they come.
#[derive(Default)]
pub struct Timers(BinaryHeap<Reverse<(Timestamp, Due, Key)>>);

impl Timers {
    /// Remembers a time.
    pub fn add(&mut self, at: Timestamp, due: Due, key: Key) {
        self.0.push(Reverse((at, due, key)));
    }

    /// The next time.
    pub fn next(&self) -> Option<Timestamp> {
        self.0.peek().map(|Reverse((at, ..))| *at)
    }

    /// The next time that belongs to a node.
    pub fn next_of_a_node(&self) -> Option<Timestamp> {
        let of_nodes = self.0.iter().filter(|Reverse((_, due, _))| *due != Due::Run);
        of_nodes.map(|Reverse((at, ..))| *at).min()
    }

    /// Takes out what is due.
    pub fn pop_due(&mut self, now: Timestamp) -> Option<(Due, Key)> {
        let Reverse((at, ..)) = self.0.peek()?;
        if *at > now {
            return None;
        }
        self.0.pop().map(|Reverse((_, due, key))| (due, key))
    }
}

/// Waits for a time; for ever where there is none. Long waits are taken in pieces, as the clock of the
/// machine may be set.
pub async fn until(at: Option<Timestamp>) {
    let Some(at) = at else { return std::future::pending().await };
    loop {
        let left = at.as_millis() - Timestamp::now().as_millis();
        let Ok(left @ 1..) = u64::try_from(left) else { return };
        tokio::time::sleep(Duration::from_millis(left.min(60_000))).await;
    }
}
