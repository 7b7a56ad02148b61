//! Runs that the sweeps find without an actor.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use storage::Row;
use storage::records::Run;
use uuid::Uuid;

/// Runs without an actor that earlier sweeps saw. Kept by the process's own clock: that of the system may be set.
#[derive(Default)]
pub(super) struct MissingRuns {
    since: HashMap<Uuid, Instant>,
}

impl MissingRuns {
    /// Which of the runs that have no actor now had none for as long as `patience` says. The others are for a later sweep.
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

    /// Forgets those that were not seen by the sweep that saw these.
    pub fn retain(&mut self, seen: &HashSet<Uuid>) {
        self.since.retain(|run, _| seen.contains(run));
    }
}
