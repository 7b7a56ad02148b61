//! How often the journals of all followed runs are written together.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Events of one run that nothing waits for are committed at most once in so much time, so that those of a burst fold
/// into fewer.
const LEAST: Duration = Duration::from_millis(1);
/// The processor time that one commit of a followed run may take together with all that it brings: it is encoded, sent, indexed.
const COST: Duration = Duration::from_micros(60);
/// The longest interval, however many runs are followed: text that comes in steps of this length still seems to flow.
const MOST: Duration = Duration::from_millis(50);

/// The interval at which the journal of each followed run is written. It grows with their number, so that together they take no more
/// commits than the machine can make: with more, every reader would wait for all the others.
#[derive(Debug)]
pub(super) struct CommitRate {
    followed: AtomicUsize,
    /// The share of the interval that each followed run adds.
    share: Duration,
}

impl CommitRate {
    pub fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32);
        Self { followed: AtomicUsize::new(0), share: COST / cores }
    }

    /// Counts a run that is followed from now on.
    pub fn enter(&self) {
        self.followed.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a run that no longer is.
    pub fn leave(&self) {
        self.followed.fetch_sub(1, Ordering::Relaxed);
    }

    /// The least time from one commit of a run to the next.
    pub fn interval(&self) -> Duration {
        let followed = u32::try_from(self.followed.load(Ordering::Relaxed)).unwrap_or(u32::MAX);
        self.share.saturating_mul(followed).clamp(LEAST, MOST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interval_grows_with_the_number_of_followed_runs() {
        let rate = CommitRate { followed: AtomicUsize::new(0), share: Duration::from_micros(30) };
        assert_eq!(rate.interval(), LEAST);
        (0..500).for_each(|_| rate.enter());
        assert_eq!(rate.interval(), Duration::from_millis(15));
        (0..400).for_each(|_| rate.leave());
        assert_eq!(rate.interval(), Duration::from_millis(3));
        (0..1_000_000).for_each(|_| rate.enter());
        assert_eq!(rate.interval(), MOST);
    }
}
