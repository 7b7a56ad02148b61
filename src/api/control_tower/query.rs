//! The query parameters of reports.

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
    /// The beginning, to the next quarter of an hour; or the beginning of that day (`2026-11-01`) in the tenant's
    /// zone. Without it, the beginning of the day 29 days before the last one.
    #[param(value_type = Option<Timestamp>, inline)]
    pub from_date: Option<MomentOrDay>,
    /// The end, to the next quarter of an hour; or the end of that day in the tenant's zone. Without it, now. At
    /// most 400 days after `from_date`.
    #[param(value_type = Option<Timestamp>, inline)]
    pub to_date: Option<MomentOrDay>,
}

impl Validate for SpanQuery {
    fn validate(&self, faults: &mut Faults) {
        check_moments(faults, [("from_date", self.from_date), ("to_date", self.to_date)]);
    }
}

impl SpanQuery {
    /// The period in the tenant's zone.
    pub fn period(&self, reader: &Reader, tenant: TenantId) -> Api<Period> {
        recent_period(reader, tenant, self.from_date, self.to_date)
    }
}

/// The rows of a report, and their order.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct RowsQuery {
    /// The column that rows are ordered by: `name`, `users` (not in the list of users), `conversations`, `messages`,
    /// `errors`, `requests`, `tokens`, `cost`, `last_used_at`; without it, `messages`. Equal rows are ordered by id.
    #[param(inline)]
    pub sort_by: Option<SortBy>,
    /// `asc` or `desc`; without it, names ascend, and numbers descend.
    #[param(inline)]
    pub sort_order: Option<SortOrder>,
    /// Words that the name contains (of users, the name or the address), in any order and case.
    #[param(max_length = 200)]
    pub search: Option<String>,
}

impl Validate for RowsQuery {}

impl RowsQuery {
    /// The report of these rows in a period.
    pub fn report(self, span: &SpanQuery) -> ReportQuery {
        let Self { sort_by, sort_order, search } = self;
        ReportQuery { from: span.from_date, to: span.to_date, sort_by, sort_order, search }
    }
}

/// A part of a list.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct PartQuery {
    /// How many rows at most.
    #[param(required = false, minimum = 1, maximum = 200, default = 50)]
    pub limit: u32,
    /// How many rows are skipped.
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
    /// This part of the items.
    pub fn select<T>(self, items: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
        let offset = usize::try_from(self.offset).unwrap_or(usize::MAX);
        items.into_iter().skip(offset).take(self.limit as usize)
    }
}
