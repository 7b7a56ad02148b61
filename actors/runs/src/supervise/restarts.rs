//! How often and how soon a crashed run is restarted.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use rand::Rng;

/// Number of restarts within the window before a run is failed.
const INTENSITY: usize = 5;
const WINDOW: Duration = Duration::from_secs(60);
const FIRST_DELAY: Duration = Duration::from_millis(200);
const MAX_DELAY: Duration = Duration::from_secs(30);

/// The recent restarts of one run.
#[derive(Default)]
pub(super) struct Restarts {
    recent: VecDeque<Instant>,
}

impl Restarts {
    /// Counts a crash at `now`. Returns the delay before the next start, or `None` if the run exceeded its restart
    /// limit.
    pub fn next(&mut self, now: Instant) -> Option<Duration> {
        while self.recent.front().is_some_and(|then| now.duration_since(*then) > WINDOW) {
            self.recent.pop_front();
        }
        if self.recent.len() >= INTENSITY {
            return None;
        }
        let doubled = FIRST_DELAY.saturating_mul(1 << self.recent.len().min(16));
        self.recent.push_back(now);
        // Jitter spreads the restarts of runs that crashed together.
        let jitter = rand::rng().random_range(0.8..1.2);
        Some(doubled.min(MAX_DELAY).mul_f64(jitter))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn next_gives_up_after_too_many_in_a_window_and_recovers_later() {
        let mut restarts = Restarts::default();
        let start = Instant::now();
        let delays: Vec<_> = (0..INTENSITY).map(|_| restarts.next(start)).collect();
        assert!(delays.iter().all(Option::is_some));
        assert!(delays[4].unwrap() > delays[0].unwrap(), "{delays:?}");
        assert_eq!(restarts.next(start), None);
        assert!(restarts.next(start + WINDOW + Duration::from_secs(1)).is_some());
    }
}
