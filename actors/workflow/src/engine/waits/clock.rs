//! Measures the time that a run works, as opposed to the time that it waits or is paused. A graph limits the working time.

use runs::EventData;
use storage::Timestamp;

/// Measures the working time of this epoch, in addition to earlier epochs.
#[derive(Default)]
pub struct WorkClock {
    /// Milliseconds worked before `since`.
    worked_ms: u64,
    /// When the run began to work. `None` while the run waits or is paused.
    since: Option<Timestamp>,
}

impl WorkClock {
    /// Continues from the working time of earlier epochs.
    pub fn resume_from(&mut self, worked_ms: u64) {
        self.worked_ms = worked_ms;
    }

    /// Starts to count. Returns the time at which `limit_ms` will be reached.
    pub fn start(&mut self, limit_ms: u64) -> Timestamp {
        let now = Timestamp::now();
        self.since = Some(now);
        now + std::time::Duration::from_millis(limit_ms.saturating_sub(self.worked_ms))
    }

    pub fn stop(&mut self) {
        if let Some(since) = self.since.take() {
            self.worked_ms += Timestamp::now().since(since).as_millis() as u64;
        }
    }

    pub fn is_running(&self) -> bool {
        self.since.is_some()
    }

    /// Whether the run is working and has worked for `limit_ms`.
    pub fn has_reached(&self, limit_ms: u64) -> bool {
        let current = self.since.map_or(0, |since| Timestamp::now().since(since).as_millis() as u64);
        self.since.is_some() && self.worked_ms + current >= limit_ms
    }
}

/// Computes the working time of earlier epochs from the timestamps of the events.
#[derive(Default)]
pub struct JournalClock {
    worked_ms: u64,
    since: Option<Timestamp>,
    last: Option<Timestamp>,
    /// Whether the run waits or is paused. A crash does not change this.
    parked: bool,
}

impl JournalClock {
    pub fn worked_ms(&self) -> u64 {
        self.worked_ms
    }

    /// Takes the next event of the journal into account.
    pub fn tick(&mut self, ts: Timestamp, event: &EventData) {
        match event {
            EventData::RunStarted { .. } | EventData::RunResumed(_) => {
                (self.since, self.parked) = (Some(ts), false);
            }
            // The time between a crash and the recovery does not count.
            EventData::RunRecovered { .. } => {
                self.stop(self.last);
                self.since = (!self.parked).then_some(ts);
            }
            EventData::RunWaiting(_) | EventData::RunPaused(_) => {
                self.stop(Some(ts));
                self.parked = true;
            }
            _ => {}
        }
        self.last = Some(ts);
    }

    fn stop(&mut self, at: Option<Timestamp>) {
        if let (Some(since), Some(at)) = (self.since.take(), at) {
            self.worked_ms += at.since(since).as_millis() as u64;
        }
    }
}
