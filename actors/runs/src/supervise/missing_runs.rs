//! Runs without an actor, as found by the sweeps.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use storage::Row;
use storage::records::Run;
use uuid::Uuid;

/// Runs without an actor that earlier sweeps found. Uses the monotonic clock, because the system clock may be changed.
#[derive(Default)]
pub(super) struct MissingRuns {
    since: HashMap<Uuid, Instant>,
}

impl MissingRuns {
    /// Returns the runs in `lost` that have had no actor for at least `patience`. The others are left to a later sweep.
    pub fn long_enough(
        &mut self,
        lost: Vec<Row<Run>>,
        now: Instant,
        patience: impl Fn(&Row<Run>) -> Duration,
    ) -> Vec<Row<Run>> {
        let is_due = |row: &Row<Run>| {
            let since = *self.since.entry(row.id).or_insert(now);
            now.duration_since(since) >= patience(row)
        };
        lost.into_iter().filter(is_due).collect()
    }

    /// Forgets all runs that the current sweep has not seen.
    pub fn retain(&mut self, seen: &HashSet<Uuid>) {
        self.since.retain(|run, _| seen.contains(run));
    }
}
