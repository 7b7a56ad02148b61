//! Isolation of failures of single rows and tenants in work that processes many of them.

use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::fmt::Display;

/// Number of failures that are remembered, so that each is logged once instead of in every round.
const MAX_LOGGED: usize = 4_096;

static LOGGED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Returns the value, or `None` for a failure, so that a loop at start or in the background continues with the next row
/// or tenant. Every failure counts in `upkeep_failures_total`, by task. It is logged only the first time: the same
/// reason at the same place is not logged again.
pub fn isolated<T, E: Display>(task: &'static str, place: impl Display, outcome: Result<T, E>) -> Option<T> {
    let why = match outcome {
        Ok(value) => return Some(value),
        Err(why) => why.to_string(),
    };
    telemetry::metrics::table::UPKEEP_FAILURES.add([task], 1);
    let place = place.to_string();
    let mut logged = LOGGED.lock();
    if logged.len() >= MAX_LOGGED {
        logged.clear();
    }
    if logged.insert(format!("{task} {place} {why}")) {
        tracing::error!(task, %place, %why, "skipped after a failure; `understudy doctor` names damaged rows");
    }
    None
}
