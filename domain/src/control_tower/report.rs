//! The rows of a report: sorting and totals.

use std::cmp::Ordering;

use storage::Timestamp;
use storage::records::activity::{Activity, ActivityCount};

use super::query::{ReportQuery, SortBy};
use crate::usage::Period;

/// How one assistant, model or user appears in a report.
#[derive(Clone, Debug)]
pub struct ReportRow<T> {
    /// The id. Rows with equal sort values are ordered by it, so that pages never overlap.
    pub id: String,
    /// The name by which rows are sorted.
    pub name: String,
    /// The sums of the period.
    pub counted: ActivityCount,
    /// Time of the last use, within the period or not.
    pub last_used_at: Option<Timestamp>,
    /// The assistant, model or user that the row describes.
    pub subject: T,
}

/// A report with all of its rows, in order.
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

    /// Returns the sum of all rows, without the number of users, because several rows may count the
    /// same user.
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
