//! The costs of users.

use actix_web::web::Data;
use chrono::NaiveDate;
use domain::usage::{self, Costs, CostsQuery, Filter, MomentOrDay, check_moments};
use serde::{Deserialize, Serialize};
use storage::{Reader, TenantId, Timestamp};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::App;
use crate::api::usage::{DayUsed, ModelUsed, TenantUsed, Used, UserUsed, list};
use crate::http::scopes::UsageRead;
use crate::http::{Api, Auth, Faults, Json, Query, Validate, operations};

#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct CostsParams {
    /// The start of the period: a time, or the beginning of a day (`2026-11-01`) in the tenant's time zone.
    /// Defaults to the beginning of the month. Counting starts with the first quarter of an hour that begins at
    /// or after this time.
    #[param(value_type = Option<Timestamp>, inline)]
    pub from_date: Option<MomentOrDay>,
    /// The end of the period: a time, or the end of a day. Defaults to the end of the month. Usage that begins
    /// at or after this time is not counted. At most 400 days after `from_date`.
    #[param(value_type = Option<Timestamp>, inline)]
    pub to_date: Option<MomentOrDay>,
    /// The users to report on. Requires an administrator of the tenant. Defaults to the caller.
    #[param(max_items = 200)]
    pub user_ids: Option<Vec<Uuid>>,
    /// Returns only the usage of this model, by its full id.
    pub model: Option<String>,
    /// Whether to report the caller's own usage in all of their tenants. Requires a session.
    pub group_by_tenant: Option<bool>,
    /// Whether to count only billable usage.
    pub include_only_billable: Option<bool>,
}

impl Validate for CostsParams {
    fn validate(&self, faults: &mut Faults) {
        check_moments(faults, [("from_date", self.from_date), ("to_date", self.to_date)]);
        if self.group_by_tenant == Some(true) && self.user_ids.is_some() {
            faults.add(
                ["group_by_tenant"],
                "is only for the caller's own costs and cannot be combined with `user_ids`",
                "conflict",
            );
        }
    }
}

/// Usage and its cost. The days, the models, the users and the tenants each add up to the total.
#[derive(Debug, Serialize, ToSchema)]
pub struct GetCostsResponseModel {
    /// The start of the period.
    pub from_date: Timestamp,
    /// The end of the period.
    pub to_date: Timestamp,
    /// The time zone of the days.
    #[schema(example = "Europe/Zurich")]
    pub time_zone: &'static str,
    /// Whether only billable usage is counted.
    pub only_billable: bool,
    pub total: Used,
    /// The usage by day. Days without usage are omitted.
    pub by_day: Vec<DayUsed>,
    pub by_model: Vec<ModelUsed>,
    pub by_user: Vec<UserUsed>,
    /// The usage by tenant. Present if `group_by_tenant` is set.
    pub by_tenant: Option<Vec<TenantUsed>>,
}

impl From<CostsParams> for CostsQuery {
    fn from(query: CostsParams) -> Self {
        let CostsParams { from_date, to_date, user_ids, model, group_by_tenant, include_only_billable } =
            query;
        Self {
            from: from_date,
            to: to_date,
            user_ids,
            filter: Filter { model, ..Filter::billable(include_only_billable) },
            by_tenant: group_by_tenant == Some(true),
        }
    }
}

impl GetCostsResponseModel {
    fn from_costs(reader: &Reader, tenant: TenantId, costs: Costs, only_billable: bool) -> Api<Self> {
        let Costs { period, tally, by_tenant } = costs;
        let named = |(user, spend)| UserUsed::from_spend(reader, tenant, user, spend);
        Ok(Self {
            from_date: period.span.start,
            to_date: period.span.end,
            time_zone: period.zone.name(),
            only_billable,
            total: tally.total.into(),
            by_day: list::<NaiveDate, _>(tally.days),
            by_model: list::<String, _>(tally.models),
            by_user: tally.users.into_iter().map(named).collect::<Api<_>>()?,
            by_tenant: by_tenant.map(|spends| spends.into_iter().map(TenantUsed::from).collect()),
        })
    }
}

/// Retrieve the cost of the caller's model usage.
///
/// Administrators of the tenant can also request the costs of other users. Costs are exact, in billionths of a
/// dollar, and the costs of a period are the sum of the costs of its parts. Usage during an impersonation is
/// attributed to the impersonated user.
#[utoipa::path(get, path = "/api/users/costs", params(CostsParams))]
async fn get_user_costs(
    auth: Auth<UsageRead>,
    app: Data<App>,
    Query(params): Query<CostsParams>,
) -> Api<Json<GetCostsResponseModel>> {
    let caller = auth.caller();
    let read = move |reader: &Reader| {
        let query = CostsQuery::from(params);
        let only_billable = query.filter.only_billable;
        let costs = usage::costs(reader, &caller, query)?;
        GetCostsResponseModel::from_costs(reader, caller.tenant, costs, only_billable)
    };
    app.store.read(read).await.map(Json)
}

operations!(get_user_costs);
