//! The time that an assistant's run may work, excluding the time in which it waits. Time is computed from the timestamps in the
//! run's journal, so that neither a crash nor unloading the automation's own run restarts the count.

use std::time::Duration;

use runs::{Chunk, Event};
use serde::Deserialize;
use storage::Timestamp;

/// The working time of a run, and its limit.
pub(super) struct WorkingTime {
    limit: Duration,
    worked: Duration,
    /// Start of the current period of work. `None` while the run waits.
    since: Option<Timestamp>,
    /// The last event that was counted.
    last: Option<Event>,
}

/// The timestamp of an event.
#[derive(Deserialize)]
struct At {
    ts: Timestamp,
}

impl WorkingTime {
    /// Counts from now on, or from the first event once there is one.
    pub fn new(limit: Duration) -> Self {
        Self { limit, worked: Duration::ZERO, since: Some(Timestamp::now()), last: None }
    }

    /// Counts further events of the run.
    pub fn count(&mut self, chunk: &Chunk) {
        for event in &chunk.events {
            self.tick(event);
            self.last = Some(event.clone());
        }
    }

    fn tick(&mut self, event: &Event) {
        if self.last.is_none() {
            self.since = at(event);
        }
        match &*event.kind {
            "run.resumed" => self.since = self.since.or(at(event)),
            "run.waiting" | "run.paused" => self.stop(at(event)),
            // The time between a crash and the recovery does not count.
            "run.recovered" if self.since.is_some() => {
                self.stop(self.last.as_ref().and_then(at));
                self.since = at(event);
            }
            _ => {}
        }
    }

    fn stop(&mut self, now: Option<Timestamp>) {
        if let (Some(since), Some(now)) = (self.since.take(), now) {
            self.worked += now.since(since);
        }
    }

    /// Returns how much longer the run may work.
    pub fn left(&self) -> Duration {
        let current = self.since.map_or(Duration::ZERO, |since| Timestamp::now().since(since));
        self.limit.saturating_sub(self.worked).saturating_sub(current)
    }
}

fn at(event: &Event) -> Option<Timestamp> {
    serde_json::from_slice::<At>(&event.json).ok().map(|at| at.ts)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    fn events(times: &[(i64, &'static str)]) -> Chunk {
        let begun = Timestamp::now().as_millis() - 1_000_000;
        let event = |(seq, (second, kind)): (usize, &(i64, &'static str))| {
            let ts = Timestamp::from_millis(begun + second * 1_000);
            let json = serde_json::json!({"ts": ts}).to_string();
            Event { seq: seq as u64 + 1, kind: (*kind).into(), json: Bytes::from(json) }
        };
        Chunk::new(times.iter().enumerate().map(event).collect())
    }

    #[test]
    fn left_excludes_waits_and_crashes() {
        let mut time = WorkingTime::new(Duration::from_secs(100));
        time.count(&events(&[
            (0, "run.started"),
            (10, "run.waiting"),
            (50, "run.resumed"),
            (55, "node.started"),
            (90, "run.recovered"),
            (91, "run.paused"),
        ]));
        assert_eq!(time.left(), Duration::from_secs(100 - 10 - 5 - 1));
    }

    #[test]
    fn left_includes_the_current_period_of_work() {
        let mut time = WorkingTime::new(Duration::from_secs(100));
        time.count(&events(&[(0, "run.started")]));
        assert_eq!(time.left(), Duration::ZERO, "it began longer ago");
    }
}
