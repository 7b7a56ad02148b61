//! What the tenant has used.

use actix_web::HttpResponse;
use actix_web::http::header::CONTENT_DISPOSITION;
use actix_web::web::Data;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use storage::records::usage::Spend;
use storage::records::{Assistant, Group, GroupMember};
use storage::{Reader, Scan, TenantId, Timestamp};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::App;
use crate::api::usage::{
    self, Filter, MomentOrDay, Period, Tally, Used, UserUsed, check_day, check_moments, day_asked, zone_of,
};
use crate::http::scopes::UsageRead;
use crate::http::{Admin, Api, Auth, Faults, Json, Query, Refusal, Validate, operations, streaming};

/// Which days.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct DaysAsked {
    /// The first day, in the tenant's zone, or one of its moments; else the first of the month.
    #[param(example = "2026-11-01")]
    pub from_date: Option<String>,
    /// The last day, or one of its moments; else the last of the month. At most 400 days.
    #[param(example = "2026-11-30")]
    pub to_date: Option<String>,
}

impl Validate for DaysAsked {
    fn validate(&self, faults: &mut Faults) {
        check_day(faults, "from_date", self.from_date.as_deref());
        check_day(faults, "to_date", self.to_date.as_deref());
    }
}

/// By what uses are added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum GroupUsageBy {
    /// Who.
    User,
    /// Which model.
    Model,
    /// The groups of who. Whoever is in several counts in each of them, so these come to more than the total.
    Group,
    /// Which assistant.
    Assistant,
    /// Which day.
    Day,
    /// For what.
    Kind,
}

/// Which report.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ReportAsked {
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

impl Validate for ReportAsked {
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
    /// All.
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
    /// What was used.
    #[serde(flatten)]
    pub used: Used,
}

/// Download what each user has cost on each day.
///
/// Lines are ordered by user and day; days without any use have none. Whoever has left is told by id alone.
#[utoipa::path(get, path = "/api/tenant-admin/usage-report/daily/export",
    operation_id = "tenant-admin.export_daily_user_costs", params(DaysAsked),
    responses((status = 200, description = "The table.", body = String, content_type = "text/csv")))]
async fn export_daily_user_costs(
    auth: Auth<UsageRead, Admin>,
    app: Data<App>,
    Query(asked): Query<DaysAsked>,
) -> Api<HttpResponse> {
    let (tenant, store) = (auth.tenant, app.store.clone());
    let period = store.read(move |reader| days(reader, tenant, &asked)).await?;
    let name = format!("attachment; filename=\"{}\"", file_name(&period));
    let table = usage::stream(store, tenant, period).await?;
    let mut answer = HttpResponse::Ok();
    answer.content_type("text/csv; charset=utf-8").insert_header((CONTENT_DISPOSITION, name));
    Ok(streaming(&mut answer).streaming(table))
}

/// Show what the tenant has used, added up by users, models, groups, assistants, days or purposes.
#[utoipa::path(
    get,
    path = "/api/tenant-admin/usage-report",
    operation_id = "tenant-admin.get_usage_report",
    params(ReportAsked)
)]
async fn get_usage_report(
    auth: Auth<UsageRead, Admin>,
    app: Data<App>,
    Query(asked): Query<ReportAsked>,
) -> Api<Json<UsageReportResponse>> {
    let tenant = auth.tenant;
    app.store.read(move |reader| report(reader, tenant, asked)).await.map(Json)
}

fn days(reader: &Reader, tenant: TenantId, asked: &DaysAsked) -> Api<Period> {
    let zone = zone_of(reader, tenant)?;
    let day = |day: &Option<String>| day_asked(zone, day.as_deref());
    Period::days(zone, day(&asked.from_date), day(&asked.to_date))
}

fn file_name(period: &Period) -> String {
    let last = Timestamp::from_millis(period.span.end.as_millis() - 1);
    format!("costs-{}-{}.csv", period.zone.day(period.span.start), period.zone.day(last))
}

fn report(reader: &Reader, tenant: TenantId, asked: ReportAsked) -> Api<UsageReportResponse> {
    let period = Period::asked(zone_of(reader, tenant)?, asked.from_date, asked.to_date)?;
    let filter = Filter { model: asked.model, ..Filter::billable(asked.include_only_billable) };
    let tally = Tally::of_all(reader, tenant, &period, &filter)?;
    let total = tally.total.into();
    let mut items = parts(reader, tenant, asked.group_by, tally)?;
    if asked.group_by != GroupUsageBy::Day {
        items.sort_by_key(|item| std::cmp::Reverse(item.used.spend.cost_nanos));
    }
    Ok(UsageReportResponse {
        group_by: asked.group_by,
        from_date: period.span.start,
        to_date: period.span.end,
        time_zone: period.zone.name(),
        total,
        items,
    })
}

fn parts(reader: &Reader, tenant: TenantId, by: GroupUsageBy, tally: Tally) -> Api<Vec<UsageReportItem>> {
    let item = |key: String, spend: Spend| UsageReportItem { key: Some(key), name: None, used: spend.into() };
    match by {
        GroupUsageBy::Model => Ok(tally.models.into_iter().map(|(key, spend)| item(key, spend)).collect()),
        GroupUsageBy::Kind => Ok(tally.kinds.into_iter().map(|(key, spend)| item(key, spend)).collect()),
        GroupUsageBy::Day => {
            Ok(tally.days.into_iter().map(|(day, spend)| item(day.to_string(), spend)).collect())
        }
        GroupUsageBy::User => tally
            .users
            .into_iter()
            .map(|(user, spend)| {
                let UserUsed { user_id, display_name, used, .. } = UserUsed::of(reader, tenant, user, spend)?;
                Ok(UsageReportItem { key: Some(user_id.to_string()), name: display_name, used })
            })
            .collect(),
        GroupUsageBy::Assistant => {
            named(tally.assistants, |id| Ok(reader.get::<Assistant>(tenant, &id)?.map(|row| row.body.name)))
        }
        GroupUsageBy::Group => named(by_group(reader, tenant, tally.users)?, |id| {
            Ok(reader.get::<Group>(tenant, &id)?.map(|row| row.body.name))
        }),
    }
}

fn named(
    sums: BTreeMap<Option<Uuid>, Spend>,
    name: impl Fn(Uuid) -> Result<Option<String>, Refusal>,
) -> Api<Vec<UsageReportItem>> {
    let item = |(id, spend): (Option<Uuid>, Spend)| {
        let name = id.map(&name).transpose()?.flatten();
        Ok(UsageReportItem { key: id.map(|id| id.to_string()), name, used: spend.into() })
    };
    sums.into_iter().map(item).collect()
}

/// By the groups in which users are now.
fn by_group(
    reader: &Reader,
    tenant: TenantId,
    users: BTreeMap<Uuid, Spend>,
) -> Api<BTreeMap<Option<Uuid>, Spend>> {
    let mut sums = BTreeMap::<_, Spend>::new();
    for (user, spend) in users {
        let own = Scan::table().prefix(user.as_bytes().to_vec());
        let rows = reader.scan::<GroupMember>(tenant, own)?.items;
        let mut groups: Vec<_> = rows.into_iter().map(|row| Some(row.id.1)).collect();
        if groups.is_empty() {
            groups.push(None);
        }
        for group in groups {
            let sum = sums.entry(group).or_default();
            *sum = sum.plus(spend);
        }
    }
    Ok(sums)
}

operations!(export_daily_user_costs, get_usage_report);
