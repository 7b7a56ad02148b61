//! How often and how soon a run that went down is started again.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use rand::Rng;

/// Restarts within the window before a run is given up.
const INTENSITY: usize = 5;
const WINDOW: Duration = Duration::from_secs(60);
const FIRST_DELAY: Duration = Duration::from_millis(200);
const LONGEST_DELAY: Duration = Duration::from_secs(30);

/// The restarts of one run, counted across them.
#[derive(Default)]
pub(super) struct Restarts {
    recent: VecDeque<Instant>,
}

impl Restarts {
    /// Counts a crash at `now`: how long to wait before the next start, or none when it was one
    /// too many.
    pub fn next(&mut self, now: Instant) -> Option<Duration> {
        while self.recent.front().is_some_and(|then| now.duration_since(*then) > WINDOW) {
            self.recent.pop_front();
        }
        if self.recent.len() >= INTENSITY {
            return None;
        }
        let doubled = FIRST_DELAY.saturating_mul(1 << self.recent.len().min(16));
        self.recent.push_back(now);
        // Jitter spreads what went down together.
        let jitter = rand::rng().random_range(0.8..1.2);
        Some(doubled.min(LONGEST_DELAY).mul_f64(jitter))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_up_after_too_many_in_a_window_and_forgives_later() {
        let mut restarts = Restarts::default();
        let start = Instant::now();
        let delays: Vec<_> = (0..INTENSITY).map(|_| restarts.next(start)).collect();
        assert!(delays.iter().all(Option::is_some));
        assert!(delays[4].unwrap() > delays[0].unwrap(), "{delays:?}");
        assert_eq!(restarts.next(start), None);
        assert!(restarts.next(start + WINDOW + Duration::from_secs(1)).is_some());
    }
}
