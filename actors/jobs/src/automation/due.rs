//! Determines which ticks are due, and which missed ticks are caught up.

use std::time::Duration;

use storage::Timestamp;
use storage::records::{CatchUp, CatchUpPolicy};

use super::Schedule;

/// A tick that is processed within this time is on time, and runs regardless of the catch-up policy. Ticks are at least this far
/// apart.
const ON_TIME: Duration = Duration::from_secs(60);
/// Maximum number of missed ticks that are caught up.
const MAX_CAUGHT_UP: usize = 100;
/// Maximum number of ledger entries for the missed ticks of one interval. The last entry represents all remaining ticks.
const MAX_LINES: usize = 100;
/// Missed ticks are counted individually up to this number. Beyond it, the recorded count is a lower bound.
const MAX_COUNTED: usize = 1_000_000;

/// Ticks that have no ledger entry yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Due {
    /// Ticks that do not run. They are earlier than all ticks that run.
    pub missed: Missed,
    /// Ticks that run, in order.
    pub run: Vec<Timestamp>,
    /// Whether the ticks run one after another, regardless of the overlap policy.
    pub in_turn: bool,
}

/// An interval of ticks that do not run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Missed {
    /// Ticks with an entry of their own.
    pub single: Vec<Timestamp>,
    /// One entry for the remaining ticks: the first tick, the last tick, and their number.
    pub rest: Option<(Timestamp, Timestamp, u32)>,
}

impl Missed {
    fn push(&mut self, tick: Timestamp) {
        match &mut self.rest {
            Some((_, last, count)) => (*last, *count) = (tick, count.saturating_add(1)),
            None if self.single.len() + 1 < MAX_LINES => self.single.push(tick),
            None => self.rest = Some((tick, tick, 1)),
        }
    }

    /// Returns the entries: the tick, the last tick that the entry represents, and the number of ticks.
    pub fn lines(&self) -> impl Iterator<Item = (Timestamp, Timestamp, u32)> {
        self.single.iter().map(|tick| (*tick, *tick, 1)).chain(self.rest)
    }

    /// Whether the interval contains no ticks.
    pub fn is_empty(&self) -> bool {
        self.single.is_empty() && self.rest.is_none()
    }
}

/// Divides all ticks after `after` up to `now` into ticks that run and ticks that do not.
pub(super) fn due(schedule: &Schedule, after: Timestamp, now: Timestamp, catch_up: &CatchUp) -> Due {
    let window = match catch_up.policy {
        CatchUpPolicy::None => ON_TIME,
        CatchUpPolicy::Latest | CatchUpPolicy::All => Duration::from_secs(catch_up.window_s).max(ON_TIME),
    };
    let opens = now - window;
    let most = match catch_up.policy {
        CatchUpPolicy::All => MAX_CAUGHT_UP,
        CatchUpPolicy::Latest | CatchUpPolicy::None => 1,
    };
    let (mut found, mut counted) = (Due::default(), 0);
    let mut run = std::collections::VecDeque::new();
    let mut next = schedule.next(after);
    while let Some(tick) = next.filter(|tick| *tick <= now) {
        counted += 1;
        match tick < opens {
            true => found.missed.push(tick),
            false => run.push_back(tick),
        }
        if run.len() > most
            && let Some(late) = run.pop_front()
        {
            found.missed.push(late);
        }
        let after = if counted < MAX_COUNTED { tick } else { tick.max(opens - Duration::from_millis(1)) };
        next = schedule.next(after);
    }
    found.in_turn = run.len() > 1;
    found.run = run.into();
    found
}

/// Returns all ticks after `after` up to `now` as missed ticks.
pub(super) fn passed(schedule: &Schedule, after: Timestamp, now: Timestamp) -> Missed {
    let mut missed = Missed::default();
    let ticks = std::iter::successors(schedule.next(after), |tick| schedule.next(*tick));
    ticks.take_while(|tick| *tick <= now).take(MAX_COUNTED).for_each(|tick| missed.push(tick));
    missed
}

#[cfg(test)]
mod tests {
    use super::*;
    use storage::records::{Trigger, TriggerKind};

    fn minutely() -> Schedule {
        let trigger = Trigger { kind: TriggerKind::Interval, every_s: Some(60), ..Trigger::default() };
        Schedule::read(&trigger, at(0)).unwrap()
    }

    fn at(minutes: i64) -> Timestamp {
        Timestamp::from_millis(minutes * 60_000)
    }

    fn due_with(policy: CatchUpPolicy, window_s: u64, now: Timestamp) -> Due {
        due(&minutely(), at(10), now, &CatchUp { window_s, policy })
    }

    #[test]
    fn due_runs_a_tick_on_time_with_every_policy() {
        for policy in [CatchUpPolicy::Latest, CatchUpPolicy::All, CatchUpPolicy::None] {
            let late = due_with(policy, 0, at(11) + Duration::from_secs(7));
            assert_eq!((late.run, late.missed, late.in_turn), (vec![at(11)], Missed::default(), false));
            assert_eq!(due_with(policy, 0, at(11) - Duration::from_millis(1)), Due::default());
        }
    }

    #[test]
    fn due_follows_the_catch_up_policy_after_downtime() {
        let latest = due_with(CatchUpPolicy::Latest, 600, at(40));
        assert_eq!((latest.run, latest.missed.single.len()), (vec![at(40)], 29));
        let all = due_with(CatchUpPolicy::All, 600, at(40));
        assert_eq!(all.run, (30..=40).map(at).collect::<Vec<_>>());
        assert_eq!(all.missed.single, (11..30).map(at).collect::<Vec<_>>());
        assert!(all.in_turn);
        let none = due_with(CatchUpPolicy::None, 600, at(40) + Duration::from_secs(1));
        assert_eq!((none.run, none.missed.single.len()), (vec![at(40)], 29));
    }

    #[test]
    fn due_limits_entries_after_long_downtime_and_counts_all_ticks() {
        let year = 366 * 24 * 60;
        let late = due_with(CatchUpPolicy::Latest, 3_600, at(10 + year));
        assert_eq!(late.run, [at(10 + year)]);
        let lines: Vec<_> = late.missed.lines().collect();
        assert_eq!(lines.len(), MAX_LINES);
        assert_eq!(lines.iter().map(|(_, _, count)| i64::from(*count)).sum::<i64>(), year - 1);
        assert_eq!(lines.last().map(|(_, last, _)| *last), Some(at(10 + year - 1)));
        let all = due_with(CatchUpPolicy::All, 604_800, at(10 + year));
        assert_eq!(all.run.len(), MAX_CAUGHT_UP);
        assert_eq!(passed(&minutely(), at(0), at(5)).single, (1..=5).map(at).collect::<Vec<_>>());
    }
}
