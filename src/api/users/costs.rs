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
    /// From when on, or from the beginning of that day (`2026-11-01`) in the tenant's zone; else from the beginning of the
    /// month. The first quarter of an hour that begins then or later is the first that counts.
    #[param(value_type = Option<Timestamp>, inline)]
    pub from_date: Option<MomentOrDay>,
    /// Until when, or until the end of that day; else until the end of the month. What begins then or later does not
    /// count. At most 400 days after `from_date`.
    #[param(value_type = Option<Timestamp>, inline)]
    pub to_date: Option<MomentOrDay>,
    /// Whose, for administrators of the tenant; else the caller's own.
    #[param(max_items = 200)]
    pub user_ids: Option<Vec<Uuid>>,
    /// Those of one model alone, by its full id.
    pub model: Option<String>,
    /// The caller's own in all tenants that they belong to. Needs a session.
    pub group_by_tenant: Option<bool>,
    /// What is to be paid alone.
    pub include_only_billable: Option<bool>,
}

impl Validate for CostsParams {
    fn validate(&self, faults: &mut Faults) {
        check_moments(faults, [("from_date", self.from_date), ("to_date", self.to_date)]);
        if self.group_by_tenant == Some(true) && self.user_ids.is_some() {
            faults.add(["group_by_tenant"], "is for one's own costs, without `user_ids`", "conflict");
        }
    }
}

/// What was used, and what it cost. The days, the models, the users and the tenants each come to the total.
#[derive(Debug, Serialize, ToSchema)]
pub struct GetCostsResponseModel {
    /// When what counts begins.
    pub from_date: Timestamp,
    /// When it ends.
    pub to_date: Timestamp,
    /// Whose days they are.
    #[schema(example = "Europe/Zurich")]
    pub time_zone: &'static str,
    /// Whether only what is to be paid counts.
    pub only_billable: bool,
    pub total: Used,
    /// By days; those without any use are not told.
    pub by_day: Vec<DayUsed>,
    pub by_model: Vec<ModelUsed>,
    pub by_user: Vec<UserUsed>,
    /// By tenants, where that was asked for.
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

/// Show what one's use of models has cost.
///
/// Administrators of the tenant may ask for others, too. Costs are exact, in billionths of a dollar, and those of a span
/// are those of its parts. What is used while one is impersonated is one's own.
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
