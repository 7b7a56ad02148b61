//! What things cost.

use actix_web::web::Data;
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use storage::records::{Membership, Role, ledger};
use storage::{Reader, TenantId, Timestamp};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::App;
use crate::api::usage::{
    DayUsed, Filter, ModelUsed, MomentOrDay, Period, Tally, TenantUsed, Used, UserUsed, check_moments, list,
    zone_of,
};
use crate::http::scopes::UsageRead;
use crate::http::{Api, Auth, Caller, Faults, Json, Query, Refusal, Validate, operations};
use domain::access::policy::Requirement;
use domain::accounts::tenants;

/// Which costs.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct CostsAsked {
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

impl Validate for CostsAsked {
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
    /// All.
    pub total: Used,
    /// By days; those without any use are not told.
    pub by_day: Vec<DayUsed>,
    /// By models.
    pub by_model: Vec<ModelUsed>,
    /// By users.
    pub by_user: Vec<UserUsed>,
    /// By tenants, where that was asked for.
    pub by_tenant: Option<Vec<TenantUsed>>,
}

/// Show what one's use of models has cost.
///
/// Administrators of the tenant may ask for others, too. Costs are exact, in billionths of a dollar, and those of a span
/// are those of its parts. What is used while one is impersonated is one's own.
#[utoipa::path(get, path = "/api/users/costs", operation_id = "users.get_user_costs", params(CostsAsked))]
async fn get_user_costs(
    auth: Auth<UsageRead>,
    app: Data<App>,
    Query(asked): Query<CostsAsked>,
) -> Api<Json<GetCostsResponseModel>> {
    let caller = auth.caller();
    app.store.read(move |reader| costs(reader, &caller, asked)).await.map(Json)
}

fn costs(reader: &Reader, caller: &Caller, asked: CostsAsked) -> Api<GetCostsResponseModel> {
    let period = Period::asked(zone_of(reader, caller.tenant)?, asked.from_date, asked.to_date)?;
    let filter = Filter { model: asked.model, ..Filter::billable(asked.include_only_billable) };
    let mut tally = Tally::new(period.zone);
    let by_tenant = match asked.group_by_tenant {
        Some(true) => Some(everywhere(reader, caller, &period, &filter, &mut tally)?),
        _ => {
            for user in users(reader, caller, asked.user_ids)? {
                tally.add_user(reader, caller.tenant, user, &period, &filter)?;
            }
            None
        }
    };
    let named = |(user, spend)| UserUsed::of(reader, caller.tenant, user, spend);
    Ok(GetCostsResponseModel {
        from_date: period.span.start,
        to_date: period.span.end,
        time_zone: period.zone.name(),
        only_billable: filter.only_billable,
        total: tally.total.into(),
        by_day: list::<NaiveDate, _>(tally.days),
        by_model: list::<String, _>(tally.models),
        by_user: tally.users.into_iter().map(named).collect::<Api<_>>()?,
        by_tenant,
    })
}

/// Whose costs are told: others' to administrators alone. Who was never here is not found.
fn users(reader: &Reader, caller: &Caller, asked: Option<Vec<Uuid>>) -> Api<BTreeSet<Uuid>> {
    let users: BTreeSet<_> = asked.map_or_else(|| [caller.user].into(), BTreeSet::from_iter);
    if users.iter().any(|user| *user != caller.user) {
        Requirement { bare: true, role: Role::TenantAdmin, ..Requirement::default() }.of(caller)?;
    }
    for user in &users {
        let is_member = reader.get::<Membership>(TenantId::SYSTEM, &(*user, caller.tenant.0))?.is_some();
        if !is_member && ledger::first(reader, caller.tenant, *user, false)?.is_none() {
            return Err(Refusal::not_found("user"));
        }
    }
    Ok(users)
}

/// What the caller has used in each tenant. A credential that opens one tenant alone does not tell of others.
fn everywhere(
    reader: &Reader,
    caller: &Caller,
    period: &Period,
    filter: &Filter,
    all: &mut Tally,
) -> Api<Vec<TenantUsed>> {
    Requirement { bare: true, own_name: true, session: true, ..Requirement::default() }.of(caller)?;
    let mut tenants = Vec::new();
    for (tenant, _) in tenants::of_user(reader, caller.user)? {
        let id = TenantId(tenant.id);
        let there = Tally::of_user(reader, id, caller.user, period, filter)?;
        all.add_user(reader, id, caller.user, period, filter)?;
        tenants.push(TenantUsed { tenant_id: tenant.id, name: tenant.body.name, used: there.total.into() });
    }
    Ok(tenants)
}

operations!(get_user_costs);
