//! Reports about the tenant's usage.

use actix_web::HttpResponse;
use actix_web::http::header::CONTENT_DISPOSITION;
use actix_web::web::Data;
use domain::usage::{
    Filter, GroupUsageBy, MomentOrDay, Period, Report, ReportPart, ReportQuery, check_day, check_moments,
    day_asked, zone_of,
};
use serde::{Deserialize, Serialize};
use storage::{Reader, TenantId, Timestamp};
use utoipa::{IntoParams, ToSchema};

use crate::App;
use crate::api::usage::{self, Used};
use crate::http::scopes::UsageRead;
use crate::http::{Admin, Api, Auth, Faults, Json, Query, Validate, operations, streaming};

#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct DaysParams {
    /// The first day, in the tenant's time zone, or a time on it. Defaults to the first day of the month.
    #[param(example = "2026-11-01")]
    pub from_date: Option<String>,
    /// The last day, or a time on it. Defaults to the last day of the month. The period is limited to 400 days.
    #[param(example = "2026-11-30")]
    pub to_date: Option<String>,
}

impl Validate for DaysParams {
    fn validate(&self, faults: &mut Faults) {
        check_day(faults, "from_date", self.from_date.as_deref());
        check_day(faults, "to_date", self.to_date.as_deref());
    }
}

#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ReportParams {
    /// The property by which usage is grouped.
    #[param(inline)]
    pub group_by: GroupUsageBy,
    /// The start of the period: a time, or the beginning of a day (`2026-11-01`) in the tenant's time zone.
    /// Defaults to the beginning of the month.
    #[serde(default)]
    #[param(value_type = Option<Timestamp>, inline)]
    pub from_date: Option<MomentOrDay>,
    /// The end of the period: a time, or the end of a day. Defaults to the end of the month. At most 400 days
    /// after `from_date`.
    #[serde(default)]
    #[param(value_type = Option<Timestamp>, inline)]
    pub to_date: Option<MomentOrDay>,
    /// Returns only the usage of this model, by its full id.
    #[serde(default)]
    pub model: Option<String>,
    /// Whether to count only billable usage.
    #[serde(default)]
    pub include_only_billable: Option<bool>,
}

impl Validate for ReportParams {
    fn validate(&self, faults: &mut Faults) {
        check_moments(faults, [("from_date", self.from_date), ("to_date", self.to_date)]);
    }
}

/// The usage of the tenant.
#[derive(Debug, Serialize, ToSchema)]
pub struct UsageReportResponse {
    /// The property by which usage is grouped.
    pub group_by: GroupUsageBy,
    /// The start of the period.
    pub from_date: Timestamp,
    /// The end of the period.
    pub to_date: Timestamp,
    /// The time zone of the days.
    #[schema(example = "Europe/Zurich")]
    pub time_zone: &'static str,
    pub total: Used,
    /// The groups: days in order, all others by cost.
    pub items: Vec<UsageReportItem>,
}

/// The usage of one group of the report.
#[derive(Debug, Serialize, ToSchema)]
pub struct UsageReportItem {
    /// The id, name or day of the group. `null` for usage without one: without an assistant, or of users
    /// without a group.
    pub key: Option<String>,
    /// The name of the group. `null` if the object was deleted, or has no name other than the key.
    pub name: Option<String>,
    #[serde(flatten)]
    pub used: Used,
}

impl From<ReportParams> for ReportQuery {
    fn from(query: ReportParams) -> Self {
        let ReportParams { group_by, from_date, to_date, model, include_only_billable } = query;
        let filter = Filter { model, ..Filter::billable(include_only_billable) };
        Self { group_by, from: from_date, to: to_date, filter }
    }
}

impl UsageReportResponse {
    fn from_report(group_by: GroupUsageBy, report: Report) -> Self {
        let Report { period, total, parts } = report;
        Self {
            group_by,
            from_date: period.span.start,
            to_date: period.span.end,
            time_zone: period.zone.name(),
            total: total.into(),
            items: parts.into_iter().map(UsageReportItem::from).collect(),
        }
    }
}

impl From<ReportPart> for UsageReportItem {
    fn from(ReportPart { key, name, spend }: ReportPart) -> Self {
        Self { key, name, used: spend.into() }
    }
}

/// Download the daily costs of each user.
///
/// Lines are sorted by user and day; days without usage are omitted. Users who have left are listed by id only.
#[utoipa::path(get, path = "/api/tenant-admin/usage-report/daily/export", params(DaysParams),
    responses((status = 200, description = "The table as CSV.", body = String, content_type = "text/csv")))]
async fn export_daily_user_costs(
    auth: Auth<UsageRead, Admin>,
    app: Data<App>,
    Query(params): Query<DaysParams>,
) -> Api<HttpResponse> {
    let (tenant, store) = (auth.tenant, app.store.clone());
    let period = store.read(move |reader| days(reader, tenant, &params)).await?;
    let name = format!("attachment; filename=\"{}\"", file_name(&period));
    let table = usage::stream(store, tenant, period).await?;
    let mut answer = HttpResponse::Ok();
    answer.content_type("text/csv; charset=utf-8").insert_header((CONTENT_DISPOSITION, name));
    Ok(streaming(&mut answer).streaming(table))
}

/// Retrieve the tenant's usage, grouped by user, model, group, assistant, day or purpose.
#[utoipa::path(get, path = "/api/tenant-admin/usage-report", params(ReportParams))]
async fn get_usage_report(
    auth: Auth<UsageRead, Admin>,
    app: Data<App>,
    Query(params): Query<ReportParams>,
) -> Api<Json<UsageReportResponse>> {
    let (tenant, group_by) = (auth.tenant, params.group_by);
    let report = app.store.read(move |reader| domain::usage::report(reader, tenant, params.into())).await?;
    Ok(Json(UsageReportResponse::from_report(group_by, report)))
}

fn days(reader: &Reader, tenant: TenantId, params: &DaysParams) -> Api<Period> {
    let zone = zone_of(reader, tenant)?;
    let day = |day: &Option<String>| day_asked(zone, day.as_deref());
    Period::days(zone, day(&params.from_date), day(&params.to_date))
}

fn file_name(period: &Period) -> String {
    let last = Timestamp::from_millis(period.span.end.as_millis() - 1);
    format!("costs-{}-{}.csv", period.zone.day(period.span.start), period.zone.day(last))
}

operations!(export_daily_user_costs, get_usage_report);
