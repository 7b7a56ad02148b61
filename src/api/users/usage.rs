//! The caller's usage.

use actix_web::web::Data;
use chrono::NaiveDate;
use domain::usage::{self, Filter, MonthUsage, Summary, check_month};
use serde::{Deserialize, Serialize};
use storage::calendar;
use storage::{Reader, Timestamp};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::App;
use crate::api::tenant_admin::budgets::BudgetResponse;
use crate::api::usage::{AssistantUsed, DayUsed, KindUsed, ModelUsed, Used, assistants, list};
use crate::http::scopes::UsageRead;
use crate::http::{Api, Auth, Caller, Faults, Json, Query, Validate, operations};

#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct MonthParams {
    /// The month, in the tenant's time zone. Defaults to the current month.
    #[param(example = "2026-11")]
    pub month: Option<String>,
    /// Whether to count only billable usage.
    pub include_only_billable: Option<bool>,
}

impl Validate for MonthParams {
    fn validate(&self, faults: &mut Faults) {
        check_month(faults, self.month.as_deref());
    }
}

#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DetailParams {
    /// The month, in the tenant's time zone.
    #[param(example = "2026-11")]
    pub month: String,
}

impl Validate for DetailParams {
    fn validate(&self, faults: &mut Faults) {
        check_month(faults, Some(&self.month));
    }
}

#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct UsesParams {
    /// Whether to count only billable usage.
    pub include_only_billable: Option<bool>,
}

impl Validate for UsesParams {}

/// A user's usage in a month.
#[derive(Debug, Serialize, ToSchema)]
pub struct UserUsageResponse {
    #[schema(example = "2026-11")]
    pub month: String,
    /// The start of the month.
    pub from_date: Timestamp,
    /// The start of the next month.
    pub to_date: Timestamp,
    /// The time zone of the month.
    #[schema(example = "Europe/Zurich")]
    pub time_zone: &'static str,
    pub total: Used,
    /// The usage by day. Days without usage are omitted.
    pub by_day: Vec<DayUsed>,
    pub by_model: Vec<ModelUsed>,
}

/// A user's usage in a month, by purpose and assistant. Each list adds up to the total.
#[derive(Debug, Serialize, ToSchema)]
pub struct ControlTowerUserUsageResponse {
    /// The user who caused the usage.
    pub user_id: Uuid,
    #[schema(example = "2026-11")]
    pub month: String,
    /// The start of the month.
    pub from_date: Timestamp,
    /// The start of the next month.
    pub to_date: Timestamp,
    /// The time zone of the month.
    #[schema(example = "Europe/Zurich")]
    pub time_zone: &'static str,
    pub total: Used,
    pub by_assistant: Vec<AssistantUsed>,
    pub by_model: Vec<ModelUsed>,
    /// The usage by day. Days without usage are omitted.
    pub by_day: Vec<DayUsed>,
    pub by_kind: Vec<KindUsed>,
}

/// A user's recent and total usage.
#[derive(Debug, Serialize, ToSchema)]
pub struct UsageSummaryResponse {
    /// The time zone of the days and months.
    #[schema(example = "Europe/Zurich")]
    pub time_zone: &'static str,
    /// The usage since midnight.
    pub today: Used,
    /// The usage since the beginning of the month.
    pub this_month: Used,
    /// The usage in the previous month.
    pub last_month: Used,
    /// The usage since the first use.
    pub all_time: Used,
    /// The user's own budget and when it renews. `null` if the user has no budget of their own.
    pub budget: Option<BudgetResponse>,
}

/// The month of a user's first usage.
#[derive(Debug, Serialize, ToSchema)]
pub struct UserFirstUsageMonthResponse {
    /// The month, in the tenant's time zone. `null` if the user has no usage.
    #[schema(example = "2026-11")]
    pub month: Option<String>,
}

/// Retrieve the caller's usage in a month.
#[utoipa::path(get, path = "/api/users/usage", params(MonthParams))]
async fn get_user_usage(
    auth: Auth<UsageRead>,
    app: Data<App>,
    Query(params): Query<MonthParams>,
) -> Api<Json<UserUsageResponse>> {
    own_report(&app, &auth, params, month).await
}

/// Retrieve the caller's usage in a month by purpose, model and assistant.
#[utoipa::path(get, path = "/api/users/usage-detail", params(DetailParams))]
async fn get_user_usage_detail(
    auth: Auth<UsageRead>,
    app: Data<App>,
    Query(params): Query<DetailParams>,
) -> Api<Json<ControlTowerUserUsageResponse>> {
    let caller = auth.caller();
    app.store.read(move |reader| detail(reader, &caller, caller.user, &params)).await.map(Json)
}

/// Retrieve the caller's usage today, this month, in the previous month and in total.
#[utoipa::path(get, path = "/api/users/usage-summary", params(UsesParams))]
async fn get_user_usage_summary(
    auth: Auth<UsageRead>,
    app: Data<App>,
    Query(params): Query<UsesParams>,
) -> Api<Json<UsageSummaryResponse>> {
    own_report(&app, &auth, params, summary).await
}

/// Retrieve the month of the caller's first usage.
#[utoipa::path(get, path = "/api/users/usage/first-month", params(UsesParams))]
async fn get_user_first_usage_month(
    auth: Auth<UsageRead>,
    app: Data<App>,
    Query(params): Query<UsesParams>,
) -> Api<Json<UserFirstUsageMonthResponse>> {
    own_report(&app, &auth, params, first_month).await
}

/// Reads a report about the caller.
async fn own_report<A: Send + 'static, T: Send + 'static>(
    app: &App,
    caller: &Caller,
    params: A,
    read: fn(&Reader, &Caller, &A) -> Api<T>,
) -> Api<Json<T>> {
    let caller = caller.clone();
    app.store.read(move |reader| read(reader, &caller, &params)).await.map(Json)
}

fn month(reader: &Reader, caller: &Caller, query: &MonthParams) -> Api<UserUsageResponse> {
    let day = query.month.as_deref().and_then(calendar::parse_month);
    let filter = Filter::billable(query.include_only_billable);
    let used = usage::month(reader, caller.tenant, caller.user, day, &filter)?;
    let month = used.name();
    let MonthUsage { period, tally } = used;
    Ok(UserUsageResponse {
        month,
        from_date: period.span.start,
        to_date: period.span.end,
        time_zone: period.zone.name(),
        total: tally.total.into(),
        by_day: list::<NaiveDate, _>(tally.days),
        by_model: list::<String, _>(tally.models),
    })
}

/// The usage of a user of the caller's tenant in a month.
pub(crate) fn detail(
    reader: &Reader,
    caller: &Caller,
    user_id: Uuid,
    query: &DetailParams,
) -> Api<ControlTowerUserUsageResponse> {
    let day = calendar::parse_month(&query.month);
    let used = usage::month(reader, caller.tenant, user_id, day, &Filter::default())?;
    let month = used.name();
    let MonthUsage { period, tally } = used;
    Ok(ControlTowerUserUsageResponse {
        user_id,
        month,
        from_date: period.span.start,
        to_date: period.span.end,
        time_zone: period.zone.name(),
        total: tally.total.into(),
        by_assistant: assistants(reader, caller, tally.assistants)?,
        by_model: list::<String, _>(tally.models),
        by_day: list::<NaiveDate, _>(tally.days),
        by_kind: list::<String, _>(tally.kinds),
    })
}

fn summary(reader: &Reader, caller: &Caller, query: &UsesParams) -> Api<UsageSummaryResponse> {
    let filter = Filter::billable(query.include_only_billable);
    let Summary { zone, today, this_month, last_month, all_time } = usage::summary(reader, caller, &filter)?;
    Ok(UsageSummaryResponse {
        time_zone: zone.name(),
        today: today.into(),
        this_month: this_month.into(),
        last_month: last_month.into(),
        all_time: all_time.into(),
        budget: BudgetResponse::of_user(reader, caller.tenant, caller.user)?,
    })
}

fn first_month(reader: &Reader, caller: &Caller, query: &UsesParams) -> Api<UserFirstUsageMonthResponse> {
    let only_billable = query.include_only_billable.unwrap_or_default();
    Ok(UserFirstUsageMonthResponse { month: usage::first_month(reader, caller, only_billable)? })
}

operations!(get_user_usage, get_user_usage_detail, get_user_usage_summary, get_user_first_usage_month);
