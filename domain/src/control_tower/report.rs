//! The rows of a report: ordered, added up, cut into pages.

use std::cmp::Ordering;

use storage::Timestamp;
use storage::records::activity::{Activity, Counted};

use super::query::{ReportQuery, SortBy};
use crate::usage::Period;

/// How one assistant, model or user appears in a report.
#[derive(Clone, Debug)]
pub struct ReportRow<T> {
    /// The id. Rows of equal rank are ordered by it, so that pages never overlap.
    pub id: String,
    /// The name that rows are ordered by.
    pub name: String,
    /// The sums of the period.
    pub counted: Counted,
    /// The last use, within the period or not.
    pub last_used_at: Option<Timestamp>,
    /// What the row is about.
    pub subject: T,
}

/// A report: all its rows, in order.
#[derive(Clone, Debug)]
pub struct Report<T> {
    pub period: Period,
    pub rows: Vec<ReportRow<T>>,
}

impl<T> Report<T> {
    pub(super) fn new(period: Period, mut rows: Vec<ReportRow<T>>, query: &ReportQuery) -> Self {
        let (by, descends) = query.order();
        rows.sort_by(|one, two| {
            let order = compare(by, one, two);
            let order = if descends { order.reverse() } else { order };
            order.then_with(|| one.id.cmp(&two.id))
        });
        Self { period, rows }
    }

    /// The sum of all rows, without the number of users, since several rows may count the same user.
    pub fn total(&self) -> Activity {
        self.rows.iter().fold(Activity::default(), |sum, row| sum.plus(row.counted.activity))
    }
}

fn compare<T>(by: SortBy, one: &ReportRow<T>, two: &ReportRow<T>) -> Ordering {
    let number = |row: &ReportRow<T>| {
        let activity = &row.counted.activity;
        match by {
            SortBy::Users => row.counted.users,
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
        SortBy::LastUsedAt => one.last_used_at.cmp(&two.last_used_at),
        _ => number(one).cmp(&number(two)),
    }
}
