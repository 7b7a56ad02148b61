//! Queries for reports: period, filter and order of the rows.

use chrono::Days;
use serde::Deserialize;
use storage::calendar::Zone;
use storage::{Reader, TenantId, Timestamp};
use utoipa::ToSchema;

use crate::Result;
use crate::usage::{MomentOrDay, Period, zone_of};

/// Number of days of a report without a start, including today.
const DEFAULT_DAYS: u64 = 30;

/// The column by which rows are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SortBy {
    /// The name; for models, the full id.
    Name,
    /// Number of users.
    Users,
    /// Number of conversations that began.
    Conversations,
    /// Number of messages.
    Messages,
    /// Number of failed answers.
    Errors,
    /// Number of uses of models.
    Requests,
    /// Number of tokens.
    Tokens,
    Cost,
    /// Time of the last use.
    LastUsedAt,
}

/// The sort direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SortOrder {
    /// Ascending.
    Asc,
    /// Descending.
    Desc,
}

/// Which report to make.
#[derive(Clone, Debug, Default)]
pub struct ReportQuery {
    /// Start of the period. Without it, the start of the day 29 days before the last day.
    pub from: Option<MomentOrDay>,
    /// End of the period. Without it, the current time.
    pub to: Option<MomentOrDay>,
    /// The column to sort by. Without it, messages.
    pub sort_by: Option<SortBy>,
    /// The sort direction. Without it, names are ascending and numbers descending.
    pub sort_order: Option<SortOrder>,
    /// Words that the name of a row contains, in any order and case.
    pub search: Option<String>,
}

impl ReportQuery {
    pub(super) fn period(&self, reader: &Reader, tenant: TenantId) -> Result<Period> {
        recent_period(reader, tenant, self.from, self.to)
    }

    /// Returns the column, and whether the order is descending.
    pub(super) fn order(&self) -> (SortBy, bool) {
        let by = self.sort_by.unwrap_or(SortBy::Messages);
        let default = if by == SortBy::Name { SortOrder::Asc } else { SortOrder::Desc };
        (by, self.sort_order.unwrap_or(default) == SortOrder::Desc)
    }

    /// Returns whether the texts contain all words of the search.
    pub(super) fn matches(&self, texts: &[&str]) -> bool {
        contains_words(self.search.as_deref(), texts)
    }

    pub(super) fn has_search(&self) -> bool {
        words(self.search.as_deref()).next().is_some()
    }
}

/// Returns whether the texts contain all words of a search, in any order and case.
pub(super) fn contains_words(search: Option<&str>, texts: &[&str]) -> bool {
    let text = texts.join("\n").to_lowercase();
    words(search).all(|word| text.contains(&word.to_lowercase()))
}

fn words(search: Option<&str>) -> impl Iterator<Item = &str> {
    search.unwrap_or_default().split_whitespace()
}

/// Returns a period in the tenant's time zone. Without a start, it covers the last 30 days before its end; without an
/// end, it ends now.
///
/// # Errors
/// `invalid` for a period that is too long or ends before it begins.
pub fn recent_period(
    reader: &Reader,
    tenant: TenantId,
    from: Option<MomentOrDay>,
    to: Option<MomentOrDay>,
) -> Result<Period> {
    let zone = zone_of(reader, tenant)?;
    let to = to.map_or_else(Timestamp::now, |to| to.end(zone));
    let from = from.map_or_else(|| default_begin(zone, to), |from| from.begin(zone));
    Period::between(zone, Some(from), Some(to))
}

fn default_begin(zone: Zone, to: Timestamp) -> Timestamp {
    let day = zone.day(Timestamp::from_millis(to.as_millis() - 1));
    zone.begin(day.checked_sub_days(Days::new(DEFAULT_DAYS - 1)).unwrap_or(day))
}
