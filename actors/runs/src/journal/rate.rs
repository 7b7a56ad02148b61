//! How often the journals of all followed runs are written.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// Minimum interval between commits of one run whose events no writer waits for, so that the events of a burst are
/// folded into fewer.
const MIN_DELAY: Duration = Duration::from_millis(1);
/// Processor time for one commit of a followed run, including everything that it causes: encoding, sending and indexing.
/// A higher value is assumed on a machine that is slower or busy with other work.
const COST: Duration = Duration::from_micros(60);
/// Maximum factor by which that value grows.
const MAX_COST: u32 = 4;
/// Maximum interval, however many runs are busy: text that arrives in steps of this length still appears to flow.
const MAX_DELAY: Duration = Duration::from_millis(50);
/// Length of the windows in which runs are counted. Twice the maximum interval, so that a busy run commits in every window.
const WINDOW: Duration = Duration::from_millis(100);
/// If delayed commits of a window are later than this on average, the machine cannot sustain the number of commits.
const LATE: Duration = Duration::from_millis(4);
/// Minimum number of delayed commits in a window for their average lateness to be meaningful.
const CALLS: u32 = 8;

/// The interval at which the journal of each followed run is written. It grows with the number of followed runs that
/// committed recently, so that together they make no more commits than the machine can sustain; beyond that, every
/// reader would wait for all others. A run that is followed and silent costs nothing and does not count.
///
/// The cost of a commit is derived from the lateness of delayed commits: if they are late, the cores are overloaded, and
/// longer intervals let more events share a commit.
#[derive(Debug)]
pub(super) struct CommitRate {
    started_at: Instant,
    /// Minimum share of the interval that each busy run adds.
    share: Duration,
    windows: Mutex<Windows>,
}

/// Window numbers start at 1.
#[derive(Clone, Copy, Debug)]
struct Windows {
    current: u64,
    /// Number of runs that committed in the current window.
    busy: u32,
    /// Number of runs that committed in the previous window.
    busy_before: u32,
    /// Number of delayed commits that were called in the current window.
    calls: u32,
    /// Total lateness of those commits.
    late: Duration,
    /// Share of the interval that each busy run adds.
    share: Duration,
}

/// The last window in which a run was counted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CountedWindow(u64);

impl CommitRate {
    pub fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32);
        Self::with_share(COST / cores)
    }

    fn with_share(share: Duration) -> Self {
        let windows = Windows { current: 0, busy: 0, busy_before: 0, calls: 0, late: Duration::ZERO, share };
        Self { started_at: Instant::now(), share, windows: Mutex::new(windows) }
    }

    /// Counts a run that committed at `now`, once per window.
    pub fn count(&self, counted: &mut CountedWindow, now: Instant) {
        let window = self.window(now);
        if counted.0 != window {
            counted.0 = window;
            let mut windows = self.windows.lock();
            windows.advance(window, self.share);
            windows.busy = windows.busy.saturating_add(1);
        }
    }

    /// Records a delayed commit that was due at `due` and is called at `now`.
    pub fn note_delay(&self, due: Instant, now: Instant) {
        let mut windows = self.windows.lock();
        windows.advance(self.window(now), self.share);
        windows.calls = windows.calls.saturating_add(1);
        windows.late += now.saturating_duration_since(due);
    }

    /// Minimum time between two commits of a run.
    pub fn interval(&self, now: Instant) -> Duration {
        let window = self.window(now);
        let mut windows = self.windows.lock();
        windows.advance(window, self.share);
        // The current window is incomplete: until it has counted more runs, the previous window is the better estimate.
        let (busy, share) = (windows.busy.max(windows.busy_before), windows.share);
        drop(windows);
        share.saturating_mul(busy).clamp(MIN_DELAY, MAX_DELAY)
    }

    fn window(&self, now: Instant) -> u64 {
        let elapsed = now.saturating_duration_since(self.started_at);
        (elapsed.as_millis() / WINDOW.as_millis()) as u64 + 1
    }
}

impl Windows {
    /// Advances to a window. An earlier window, from a thread that read the clock before another one, has no effect.
    fn advance(&mut self, window: u64, least_share: Duration) {
        if window <= self.current {
            return;
        }
        let is_next = window == self.current + 1;
        let share = match is_next && self.calls >= CALLS {
            true if self.late / self.calls > LATE => self.share * 5 / 4,
            true if self.late / self.calls < LATE / 2 => self.share * 15 / 16,
            true => self.share,
            // Too few delayed commits for a measurement.
            false => self.share / 2,
        };
        let share = share.clamp(least_share, least_share * MAX_COST);
        let busy_before = if is_next { self.busy } else { 0 };
        *self = Self { current: window, busy: 0, busy_before, calls: 0, late: Duration::ZERO, share };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lets `runs` commit twice in the window that contains `now`.
    fn commit(rate: &CommitRate, runs: &mut [CountedWindow], now: Instant) {
        for run in runs {
            rate.count(run, now);
            rate.count(run, now);
        }
    }

    #[test]
    fn interval_grows_with_the_number_of_busy_runs() {
        let rate = CommitRate::with_share(Duration::from_micros(30));
        let mut runs = vec![CountedWindow::default(); 10_000];
        let window = |number: u32| rate.started_at + WINDOW * number;
        assert_eq!(rate.interval(window(0)), MIN_DELAY);
        commit(&rate, &mut runs[..500], window(0));
        assert_eq!(rate.interval(window(0)), Duration::from_millis(15));
        // The runs have not committed in the next window yet.
        assert_eq!(rate.interval(window(1)), Duration::from_millis(15));
        commit(&rate, &mut runs[..100], window(1));
        assert_eq!(rate.interval(window(1)), Duration::from_millis(15));
        assert_eq!(rate.interval(window(2)), Duration::from_millis(3));
        commit(&rate, &mut runs, window(2));
        assert_eq!(rate.interval(window(2)), MAX_DELAY);
    }

    #[test]
    fn silent_runs_do_not_count() {
        let rate = CommitRate::with_share(Duration::from_micros(30));
        let mut runs = vec![CountedWindow::default(); 1_000];
        commit(&rate, &mut runs, rate.started_at);
        assert_eq!(rate.interval(rate.started_at + WINDOW), Duration::from_millis(30));
        assert_eq!(rate.interval(rate.started_at + WINDOW * 2), MIN_DELAY);
        commit(&rate, &mut runs[..100], rate.started_at + WINDOW * 7);
        assert_eq!(rate.interval(rate.started_at + WINDOW * 7), Duration::from_millis(3));
    }

    #[test]
    fn interval_ignores_a_clock_that_was_read_earlier() {
        let rate = CommitRate::with_share(Duration::from_micros(30));
        let mut runs = vec![CountedWindow::default(); 100];
        commit(&rate, &mut runs, rate.started_at + WINDOW);
        assert_eq!(rate.interval(rate.started_at), Duration::from_millis(3));
        assert_eq!(rate.interval(rate.started_at + WINDOW), Duration::from_millis(3));
    }

    /// Records `calls` delayed commits in a window, each late by `late`.
    fn delay(rate: &CommitRate, window: u32, calls: u32, late: Duration) {
        let now = rate.started_at + WINDOW * window;
        (0..calls).for_each(|_| rate.note_delay(now - late, now));
    }

    #[test]
    fn interval_grows_while_delayed_commits_are_late() {
        let rate = CommitRate::with_share(Duration::from_micros(30));
        let mut runs = vec![CountedWindow::default(); 100];
        let mut interval = |window: u32, late: Duration| {
            let now = rate.started_at + WINDOW * window;
            commit(&rate, &mut runs, now);
            delay(&rate, window, CALLS, late);
            rate.interval(now)
        };
        assert_eq!(interval(1, LATE * 2), Duration::from_millis(3));
        assert!(interval(2, LATE * 2) > Duration::from_millis(3));
        let longest = (3..30).map(|window| interval(window, LATE * 2)).last();
        assert_eq!(longest, Some(Duration::from_millis(3) * MAX_COST));
        let shorter = (30..100).map(|window| interval(window, LATE / 4)).last();
        assert_eq!(shorter, Some(Duration::from_millis(3)));
    }
}
