//! What may be spent.

use actix_web::web::Data;
use serde::{Deserialize, Serialize};
use serde_json::json;
use storage::records::usage::{Span, Spend};
use storage::records::{Budget, Principal};
use storage::{Reader, Scan, TenantId, Timestamp, Tx};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{decide, note, tenant_of};
use crate::App;
use crate::api::conversations::dollars;
use crate::api::principals::PrincipalResponse;
use crate::api::sharing::is_principal;
use crate::http::scopes::{AdminRead, AdminWrite};
use crate::http::{Admin, Api, Auth, Caller, Faults, Json, Refusal, Validate, operations};

/// What is to be the budget of the tenant, or of one user. It replaces the one before; limits that are left out,
/// or `null`, are none.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdateBudgetRequest {
    /// The user; without one, the whole tenant.
    pub user_id: Option<Uuid>,
    /// Billionths of a dollar in a month.
    #[schema(example = 50_000_000_000_u64)]
    pub cost_nanos_month: Option<u64>,
    /// Billionths of a dollar in a day.
    #[schema(example = 5_000_000_000_u64)]
    pub cost_nanos_day: Option<u64>,
    /// Tokens of requests and answers in a day.
    #[schema(example = 1_000_000)]
    pub tokens_day: Option<u64>,
}

impl Validate for UpdateBudgetRequest {
    fn validate(&self, _: &mut Faults) {}
}

impl UpdateBudgetRequest {
    fn budget(&self) -> Budget {
        let Self { cost_nanos_month, cost_nanos_day, tokens_day, .. } = *self;
        Budget { cost_nanos_month, cost_nanos_day, tokens_day }
    }
}

/// What was spent in a span of time.
#[derive(Debug, Serialize, ToSchema)]
pub struct SpentResponse {
    /// When the span began.
    pub since: Timestamp,
    /// When it begins anew.
    pub renews_at: Timestamp,
    /// What was used.
    #[serde(flatten)]
    pub spend: Spend,
    /// What it cost, in dollars.
    #[schema(example = "0.001234000")]
    pub cost: String,
}

/// The budget of the tenant, or of one user.
#[derive(Debug, Serialize, ToSchema)]
pub struct BudgetResponse {
    /// The user; `null` for the whole tenant.
    pub user_id: Option<Uuid>,
    /// Their address; `null` for the whole tenant, and for somebody who is no member any more.
    pub email: Option<String>,
    /// The name shown, likewise.
    pub display_name: Option<String>,
    /// What may be spent.
    #[serde(flatten)]
    pub budget: Budget,
    /// What may be spent in a month, in dollars.
    pub cost_month: Option<String>,
    /// What may be spent in a day, in dollars.
    pub cost_day: Option<String>,
    /// What was spent this month.
    pub month: SpentResponse,
    /// What was spent today.
    pub day: SpentResponse,
}

/// All budgets.
#[derive(Debug, Serialize, ToSchema)]
pub struct BudgetsResponse {
    /// The whole tenant's.
    pub tenant: BudgetResponse,
    /// Those of users who have one of their own.
    pub users: Vec<BudgetResponse>,
}

/// Show what may be spent, and what was.
///
/// Days and months begin at midnight UTC.
#[utoipa::path(get, path = "/api/tenant-admin/budgets", operation_id = "tenant-admin.get_budgets")]
async fn get_budgets(auth: Auth<AdminRead, Admin>, app: Data<App>) -> Api<Json<BudgetsResponse>> {
    let tenant = auth.tenant;
    app.store.read(move |reader| all(reader, tenant)).await.map(Json)
}

/// Say what the tenant, or one user, may spend.
///
/// What is used up refuses whatever would ask a model: 402 `budget_exceeded` until the next month, 429
/// `quota_exceeded` until the next day. What is running then goes on to its next question to a model. A use counts once
/// it is booked, at the end of a run; so what runs at the same time may overdraw a budget.
#[utoipa::path(put, path = "/api/tenant-admin/budgets", operation_id = "tenant-admin.update_budget")]
async fn update_budget(
    auth: Auth<AdminWrite, Admin>,
    app: Data<App>,
    Json(new): Json<UpdateBudgetRequest>,
) -> Api<Json<BudgetResponse>> {
    let caller = auth.caller();
    app.store.run(move |tx| set(tx, &caller, &new)).await.map(Json)
}

fn all(reader: &Reader, tenant: TenantId) -> Api<BudgetsResponse> {
    let rows = reader.scan::<Budget>(tenant, Scan::table())?.items;
    let now = Timestamp::now();
    let (mut own, mut users) = (Budget::default(), Vec::new());
    for row in rows {
        match row.id.is_nil() {
            true => own = row.body,
            false => users.push(response(reader, tenant, Some(row.id), row.body, now)?),
        }
    }
    Ok(BudgetsResponse { tenant: response(reader, tenant, None, own, now)?, users })
}

fn set(tx: &mut Tx, caller: &Caller, new: &UpdateBudgetRequest) -> Api<BudgetResponse> {
    let (tenant, budget) = (caller.tenant, new.budget());
    let id = new.user_id.unwrap_or_default();
    let before = tx.get::<Budget>(tenant, &id)?;
    // What somebody had who has left can be taken away, and nothing else be said of them.
    let is_clearing = before.is_some() && budget.is_empty();
    if new.user_id.is_some() && !is_clearing && !is_principal(tx, tenant, &Principal::user(id))? {
        return Err(Refusal::invalid("body", ["user_id"], "there is no such user", "not_found"));
    }
    match (before, budget.is_empty()) {
        (_, true) => drop(tx.delete::<Budget>(tenant, &id)?),
        (Some(mut row), false) => {
            row.body = budget;
            tx.update(tenant, row)?;
        }
        (None, false) => tx.insert(tenant, id, budget).map(drop)?,
    }
    let mut row = tenant_of(tx, caller)?;
    let any = !tx.scan::<Budget>(tenant, Scan::table().limit(1))?.items.is_empty();
    note(&mut row, |governed| governed.budgets = any);
    let target = new.user_id.map_or_else(|| format!("tenant {tenant}"), |user| format!("user {user}"));
    decide(tx, caller, row, "budget.update", target, json!(budget))?;
    response(tx, tenant, new.user_id, budget, Timestamp::now())
}

/// What one user of the tenant may spend by a budget of their own, and what they spent; none without one.
pub fn of_user(reader: &Reader, tenant: TenantId, user: Uuid) -> Api<Option<BudgetResponse>> {
    let row = reader.get::<Budget>(tenant, &user)?;
    row.map(|row| response(reader, tenant, Some(user), row.body, Timestamp::now())).transpose()
}

fn response(
    reader: &Reader,
    tenant: TenantId,
    user_id: Option<Uuid>,
    budget: Budget,
    now: Timestamp,
) -> Api<BudgetResponse> {
    let spent = |span: Span| {
        let spend = Spend::read(reader, tenant, user_id, span, now)?;
        let (since, renews_at) = (span.begin(now), span.end(now));
        Api::Ok(SpentResponse { since, renews_at, spend, cost: dollars(spend.cost_nanos) })
    };
    let user = user_id.map(|user| PrincipalResponse::of(reader, tenant, &Principal::user(user)));
    let user = user.transpose()?.flatten();
    Ok(BudgetResponse {
        user_id,
        email: user.as_ref().and_then(|user| user.email.clone()),
        display_name: user.map(|user| user.name),
        budget,
        cost_month: budget.cost_nanos_month.map(dollars),
        cost_day: budget.cost_nanos_day.map(dollars),
        month: spent(Span::Month)?,
        day: spent(Span::Day)?,
    })
}

operations!(get_budgets, update_budget);
