//! Which report is made: its period, its rows and their order.

use chrono::Days;
use serde::Deserialize;
use storage::calendar::Zone;
use storage::{Reader, TenantId, Timestamp};
use utoipa::ToSchema;

use crate::Result;
use crate::usage::{MomentOrDay, Period, zone_of};

/// Days of a report without a beginning, today included.
const DEFAULT_DAYS: u64 = 30;

/// The column that rows are ordered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SortBy {
    /// The name; of models, the full id.
    Name,
    /// How many users.
    Users,
    /// How many conversations began.
    Conversations,
    /// How many messages there were.
    Messages,
    /// How many answers failed.
    Errors,
    /// How often models were used.
    Requests,
    /// How many tokens that took.
    Tokens,
    Cost,
    /// When it was last used.
    LastUsedAt,
}

/// The direction of the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SortOrder {
    /// The least first.
    Asc,
    /// The greatest first.
    Desc,
}

/// Which report to make.
#[derive(Clone, Debug, Default)]
pub struct ReportQuery {
    /// The beginning; without it, that of the day 29 days before the last one.
    pub from: Option<MomentOrDay>,
    /// The end; without it, now.
    pub to: Option<MomentOrDay>,
    /// The column of the order; without it, messages.
    pub sort_by: Option<SortBy>,
    /// The direction; without it, names ascend and numbers descend.
    pub sort_order: Option<SortOrder>,
    /// Words that the name of a row contains, in any order and case.
    pub search: Option<String>,
}

impl ReportQuery {
    pub(super) fn period(&self, reader: &Reader, tenant: TenantId) -> Result<Period> {
        recent_period(reader, tenant, self.from, self.to)
    }

    /// The column, and whether the greatest comes first.
    pub(super) fn order(&self) -> (SortBy, bool) {
        let by = self.sort_by.unwrap_or(SortBy::Messages);
        let default = if by == SortBy::Name { SortOrder::Asc } else { SortOrder::Desc };
        (by, self.sort_order.unwrap_or(default) == SortOrder::Desc)
    }

    /// Whether the texts contain all words of the search.
    pub(super) fn matches(&self, texts: &[&str]) -> bool {
        contains_words(self.search.as_deref(), texts)
    }

    pub(super) fn has_search(&self) -> bool {
        words(self.search.as_deref()).next().is_some()
    }
}

/// Whether the texts contain all words of a search, in any order and case.
pub(super) fn contains_words(search: Option<&str>, texts: &[&str]) -> bool {
    let text = texts.join("\n").to_lowercase();
    words(search).all(|word| text.contains(&word.to_lowercase()))
}

fn words(search: Option<&str>) -> impl Iterator<Item = &str> {
    search.unwrap_or_default().split_whitespace()
}

/// A period in the tenant's zone; without a beginning, the last 30 days before its end, and without an end, until now.
///
/// # Errors
/// `invalid` for a period that is too long, or ends before it begins.
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
