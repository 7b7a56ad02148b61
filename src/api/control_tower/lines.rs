//! Lines of a report, before they are shown: sorted, counted, cut into parts.

use std::cmp::Ordering;

use storage::Timestamp;
use storage::records::activity::Counted;

use super::asked::{Sifted, SortBy};
use super::view::{ActivityFigures, total};

/// A line.
#[derive(Clone, Debug)]
pub struct Line<T> {
    /// What it is of; lines that are alike are ordered by it, so that parts never overlap.
    pub id: String,
    /// Its name, as lines are ordered by it.
    pub name: String,
    /// What was counted.
    pub counted: Counted,
    /// When anything was last counted.
    pub last: Option<Timestamp>,
    /// What else is shown.
    pub of: T,
}

/// Lines in their order.
pub struct Lines<T>(pub Vec<Line<T>>);

impl<T> Lines<T> {
    /// Sorts them as asked.
    pub fn sorted(mut lines: Vec<Line<T>>, asked: &Sifted) -> Self {
        let (by, descends) = asked.order();
        lines.sort_by(|one, two| {
            let order = compare(by, one, two);
            let order = if descends { order.reverse() } else { order };
            order.then_with(|| one.id.cmp(&two.id))
        });
        Self(lines)
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.0.len() as u64
    }

    /// What all of them come to.
    pub fn totals(&self) -> ActivityFigures {
        total(self.0.iter().map(|line| &line.counted))
    }
}

fn compare<T>(by: SortBy, one: &Line<T>, two: &Line<T>) -> Ordering {
    let number = |line: &Line<T>| {
        let activity = &line.counted.activity;
        match by {
            SortBy::Users => line.counted.users,
            SortBy::Conversations => activity.conversations,
            SortBy::Messages => activity.messages,
            SortBy::Errors => activity.errors,
            SortBy::Requests => activity.spend.requests,
            SortBy::Tokens => activity.spend.tokens(),
            SortBy::Cost => activity.spend.cost_nanos,
            SortBy::Name | SortBy::LastUsedAt => 0,
        }
    };
    match by {
        SortBy::Name => one.name.to_lowercase().cmp(&two.name.to_lowercase()),
        SortBy::LastUsedAt => one.last.cmp(&two.last),
        _ => number(one).cmp(&number(two)),
    }
}
