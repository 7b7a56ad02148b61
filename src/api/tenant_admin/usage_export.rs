//! What the tenant has used.

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
    /// The first day, in the tenant's zone, or one of its moments; else the first of the month.
    #[param(example = "2026-11-01")]
    pub from_date: Option<String>,
    /// The last day, or one of its moments; else the last of the month. At most 400 days.
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
    /// By what uses are added up.
    #[param(inline)]
    pub group_by: GroupUsageBy,
    /// From when on, or from the beginning of that day (`2026-11-01`) in the tenant's zone; else from the beginning of the
    /// month.
    #[serde(default)]
    #[param(value_type = Option<Timestamp>, inline)]
    pub from_date: Option<MomentOrDay>,
    /// Until when, or until the end of that day; else until the end of the month. At most 400 days after `from_date`.
    #[serde(default)]
    #[param(value_type = Option<Timestamp>, inline)]
    pub to_date: Option<MomentOrDay>,
    /// Those of one model alone, by its full id.
    #[serde(default)]
    pub model: Option<String>,
    /// What is to be paid alone.
    #[serde(default)]
    pub include_only_billable: Option<bool>,
}

impl Validate for ReportParams {
    fn validate(&self, faults: &mut Faults) {
        check_moments(faults, [("from_date", self.from_date), ("to_date", self.to_date)]);
    }
}

/// What the tenant has used.
#[derive(Debug, Serialize, ToSchema)]
pub struct UsageReportResponse {
    /// By what it is added up.
    pub group_by: GroupUsageBy,
    /// When what counts begins.
    pub from_date: Timestamp,
    /// When it ends.
    pub to_date: Timestamp,
    /// Whose days they are.
    #[schema(example = "Europe/Zurich")]
    pub time_zone: &'static str,
    pub total: Used,
    /// The parts: days in their order, all else by what it cost.
    pub items: Vec<UsageReportItem>,
}

/// A part of what the tenant has used.
#[derive(Debug, Serialize, ToSchema)]
pub struct UsageReportItem {
    /// The id, the name or the day that it is added up by; `null` for what has none: uses without an assistant, users
    /// without a group.
    pub key: Option<String>,
    /// How that is called; `null` where it is gone, or has no other name.
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

/// Download what each user has cost on each day.
///
/// Lines are ordered by user and day; days without any use have none. Users who have left have their id only.
#[utoipa::path(get, path = "/api/tenant-admin/usage-report/daily/export", params(DaysParams),
    responses((status = 200, description = "The table.", body = String, content_type = "text/csv")))]
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

/// Show what the tenant has used, added up by users, models, groups, assistants, days or purposes.
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
