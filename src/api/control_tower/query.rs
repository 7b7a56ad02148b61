//! Query parameters of reports.

use domain::control_tower::{ReportQuery, SortBy, SortOrder, recent_period};
use serde::Deserialize;
use storage::{Reader, TenantId, Timestamp};
use utoipa::IntoParams;

use crate::api::usage::{MomentOrDay, Period, check_moments};
use crate::http::{Api, DEFAULT_PAGE, Faults, Validate};

/// The period of a report.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct SpanQuery {
    /// Start of the period, rounded up to the next quarter of an hour, or a date (`2026-11-01`) for the start of that day in the tenant's
    /// time zone. Defaults to the start of the day 29 days before the last day.
    #[param(value_type = Option<Timestamp>, inline)]
    pub from_date: Option<MomentOrDay>,
    /// End of the period, rounded up to the next quarter of an hour, or a date for the end of that day in the tenant's time zone. Defaults to
    /// now. At most 400 days after `from_date`.
    #[param(value_type = Option<Timestamp>, inline)]
    pub to_date: Option<MomentOrDay>,
}

impl Validate for SpanQuery {
    fn validate(&self, faults: &mut Faults) {
        check_moments(faults, [("from_date", self.from_date), ("to_date", self.to_date)]);
    }
}

impl SpanQuery {
    /// Returns the period, in the tenant's time zone.
    pub fn period(&self, reader: &Reader, tenant: TenantId) -> Api<Period> {
        recent_period(reader, tenant, self.from_date, self.to_date)
    }
}

/// Selects and sorts the rows of a report.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct RowsQuery {
    /// Column to sort by: `name`, `users` (not in the list of users), `conversations`, `messages`, `errors`, `requests`, `tokens`, `cost`
    /// or `last_used_at`. Defaults to `messages`. Rows with equal values are sorted by id.
    #[param(inline)]
    pub sort_by: Option<SortBy>,
    /// Sort order: `asc` or `desc`. Defaults to ascending for names and descending for numbers.
    #[param(inline)]
    pub sort_order: Option<SortOrder>,
    /// Only rows whose name (for users, name or email address) contains all of these words, in any order and case.
    #[param(max_length = 200)]
    pub search: Option<String>,
}

impl Validate for RowsQuery {}

impl RowsQuery {
    /// Returns the query for a report on this period.
    pub fn report(self, span: &SpanQuery) -> ReportQuery {
        let Self { sort_by, sort_order, search } = self;
        ReportQuery { from: span.from_date, to: span.to_date, sort_by, sort_order, search }
    }
}

/// Selects a part of a list.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct PartQuery {
    /// Maximum number of rows.
    #[param(required = false, minimum = 1, maximum = 200, default = 50)]
    pub limit: u32,
    /// Number of rows to skip.
    #[param(required = false, minimum = 0, default = 0)]
    pub offset: u64,
}

impl Default for PartQuery {
    fn default() -> Self {
        Self { limit: DEFAULT_PAGE, offset: 0 }
    }
}

impl Validate for PartQuery {}

impl PartQuery {
    /// Returns the selected part of the items.
    pub fn select<T>(self, items: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
        let offset = usize::try_from(self.offset).unwrap_or(usize::MAX);
        items.into_iter().skip(offset).take(self.limit as usize)
    }
}
