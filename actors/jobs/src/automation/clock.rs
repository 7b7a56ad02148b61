//! The clock of the scheduler.

use std::sync::atomic::{AtomicI64, Ordering};

use storage::Timestamp;

/// The current time as seen by the scheduler.
pub trait Clock: Send + Sync + 'static {
    /// Returns the current time.
    fn now(&self) -> Timestamp;
}

/// A clock that reads the system time.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// A clock that stands still until it is set. Used by tests, which cannot wait for a year.
#[derive(Debug)]
pub struct ManualClock(AtomicI64);

impl ManualClock {
    /// Creates a clock that shows this time.
    pub fn at(now: Timestamp) -> Self {
        Self(AtomicI64::new(now.as_millis()))
    }

    pub fn set(&self, now: Timestamp) {
        self.0.store(now.as_millis(), Ordering::Release);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::Acquire))
    }
}
