//! How often the journals of all followed runs are written together.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// Events of one run that nothing waits for are committed at most once in so much time, so that those of a burst fold
/// into fewer.
const LEAST: Duration = Duration::from_millis(1);
/// The processor time that one commit of a followed run takes together with all that it brings: it is encoded, sent, indexed. On a
/// machine that is slower, or busy with other work, it is taken for longer.
const COST: Duration = Duration::from_micros(60);
/// How much longer at most.
const MOST_COST: u32 = 4;
/// The longest interval, however many runs are busy: text that comes in steps of this length still seems to flow.
const MOST: Duration = Duration::from_millis(50);
/// Runs are counted in windows of this length. It is twice the longest interval, so that a busy run commits in each of them.
const WINDOW: Duration = Duration::from_millis(100);
/// When delayed commits of a window come later than this on average, the machine cannot make so many.
const LATE: Duration = Duration::from_millis(4);
/// So many tell.
const CALLS: u32 = 8;

/// The interval at which the journal of each followed run is written. It grows with the number of followed runs that have committed
/// lately, so that together they take no more commits than the machine can make: with more, every reader would wait for
/// all the others. A run that is followed and silent costs nothing, and does not count.
///
/// What a commit costs is measured by how late those are that were delayed: when they come late, the cores have more to do than they
/// can, and longer intervals let more events share a commit.
#[derive(Debug)]
pub(super) struct CommitRate {
    started_at: Instant,
    /// The least share of the interval that each busy run adds.
    share: Duration,
    windows: Mutex<Windows>,
}

/// Numbers of windows begin with 1.
#[derive(Clone, Copy, Debug)]
struct Windows {
    current: u64,
    /// How many runs have committed in the current window
    busy: u32,
    /// and how many did in the previous one.
    busy_before: u32,
    /// How many delayed commits were called for in the current window,
    calls: u32,
    /// and how late they were together.
    late: Duration,
    /// The share of the interval that each busy run adds.
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

    /// Counts a run that has committed `now`, once in each window.
    pub fn count(&self, counted: &mut CountedWindow, now: Instant) {
        let window = self.window(now);
        if counted.0 != window {
            counted.0 = window;
            let mut windows = self.windows.lock();
            windows.advance(window, self.share);
            windows.busy = windows.busy.saturating_add(1);
        }
    }

    /// Notes a delayed commit that is called for `now`, and was to be at another time.
    pub fn note_delay(&self, due: Instant, now: Instant) {
        let mut windows = self.windows.lock();
        windows.advance(self.window(now), self.share);
        windows.calls = windows.calls.saturating_add(1);
        windows.late += now.saturating_duration_since(due);
    }

    /// The least time from one commit of a run to the next.
    pub fn interval(&self, now: Instant) -> Duration {
        let window = self.window(now);
        let mut windows = self.windows.lock();
        windows.advance(window, self.share);
        // The current window is not over: as long as it has counted fewer runs, the one before says more.
        let (busy, share) = (windows.busy.max(windows.busy_before), windows.share);
        drop(windows);
        share.saturating_mul(busy).clamp(LEAST, MOST)
    }

    fn window(&self, now: Instant) -> u64 {
        let elapsed = now.saturating_duration_since(self.started_at);
        (elapsed.as_millis() / WINDOW.as_millis()) as u64 + 1
    }
}

impl Windows {
    /// Goes on to a window. An earlier one, of a thread that read the clock before another, changes nothing.
    fn advance(&mut self, window: u64, least_share: Duration) {
        if window <= self.current {
            return;
        }
        let is_next = window == self.current + 1;
        let share = match is_next && self.calls >= CALLS {
            true if self.late / self.calls > LATE => self.share * 5 / 4,
            true if self.late / self.calls < LATE / 2 => self.share * 15 / 16,
            true => self.share,
            // Little happens.
            false => self.share / 2,
        };
        let share = share.clamp(least_share, least_share * MOST_COST);
        let busy_before = if is_next { self.busy } else { 0 };
        *self = Self { current: window, busy: 0, busy_before, calls: 0, late: Duration::ZERO, share };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lets `runs` runs commit twice in the window that `now` is in.
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
        assert_eq!(rate.interval(window(0)), LEAST);
        commit(&rate, &mut runs[..500], window(0));
        assert_eq!(rate.interval(window(0)), Duration::from_millis(15));
        // In the next window they have not come yet.
        assert_eq!(rate.interval(window(1)), Duration::from_millis(15));
        commit(&rate, &mut runs[..100], window(1));
        assert_eq!(rate.interval(window(1)), Duration::from_millis(15));
        assert_eq!(rate.interval(window(2)), Duration::from_millis(3));
        commit(&rate, &mut runs, window(2));
        assert_eq!(rate.interval(window(2)), MOST);
    }

    #[test]
    fn silent_runs_do_not_count() {
        let rate = CommitRate::with_share(Duration::from_micros(30));
        let mut runs = vec![CountedWindow::default(); 1_000];
        commit(&rate, &mut runs, rate.started_at);
        assert_eq!(rate.interval(rate.started_at + WINDOW), Duration::from_millis(30));
        assert_eq!(rate.interval(rate.started_at + WINDOW * 2), LEAST);
        commit(&rate, &mut runs[..100], rate.started_at + WINDOW * 7);
        assert_eq!(rate.interval(rate.started_at + WINDOW * 7), Duration::from_millis(3));
    }

    #[test]
    fn a_clock_that_was_read_earlier_changes_nothing() {
        let rate = CommitRate::with_share(Duration::from_micros(30));
        let mut runs = vec![CountedWindow::default(); 100];
        commit(&rate, &mut runs, rate.started_at + WINDOW);
        assert_eq!(rate.interval(rate.started_at), Duration::from_millis(3));
        assert_eq!(rate.interval(rate.started_at + WINDOW), Duration::from_millis(3));
    }

    /// So many delayed commits in a window, each late by as much.
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
        assert_eq!(longest, Some(Duration::from_millis(3) * MOST_COST));
        let shorter = (30..100).map(|window| interval(window, LATE / 4)).last();
        assert_eq!(shorter, Some(Duration::from_millis(3)));
    }
}
