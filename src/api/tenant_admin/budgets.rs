//! Budgets of tenants and users.

use actix_web::web::Data;
use domain::administration::{self, BudgetStatus, NewBudget, SpanSpend};
use serde::{Deserialize, Serialize};
use storage::records::usage::Spend;
use storage::records::{Budget, Principal};
use storage::{Reader, TenantId, Timestamp, Tx};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::App;
use crate::api::money::dollars;
use crate::api::principals::PrincipalResponse;
use crate::http::scopes::{AdminRead, AdminWrite};
use crate::http::{Admin, Api, Auth, Json, Validate, operations};

/// The budget of the tenant or of one user. It replaces the current budget. A limit that is omitted or `null`
/// does not apply.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdateBudgetRequest {
    /// The user. If omitted, the budget applies to the whole tenant.
    pub user_id: Option<Uuid>,
    /// The maximum cost in a month, in billionths of a dollar.
    #[schema(example = 50_000_000_000_u64)]
    pub cost_nanos_month: Option<u64>,
    /// The maximum cost in a day, in billionths of a dollar.
    #[schema(example = 5_000_000_000_u64)]
    pub cost_nanos_day: Option<u64>,
    /// The maximum number of tokens of requests and responses in a day.
    #[schema(example = 1_000_000)]
    pub tokens_day: Option<u64>,
}

impl Validate for UpdateBudgetRequest {}

impl From<UpdateBudgetRequest> for NewBudget {
    fn from(body: UpdateBudgetRequest) -> Self {
        let UpdateBudgetRequest { user_id, cost_nanos_month, cost_nanos_day, tokens_day } = body;
        Self { user_id, budget: Budget { cost_nanos_month, cost_nanos_day, tokens_day } }
    }
}

/// The usage in a period.
#[derive(Debug, Serialize, ToSchema)]
pub struct SpentResponse {
    /// When the period began.
    pub since: Timestamp,
    /// When the next period begins.
    pub renews_at: Timestamp,
    /// The amounts used.
    #[serde(flatten)]
    pub spend: Spend,
    /// The total cost, in dollars.
    #[schema(example = "0.001234000")]
    pub cost: String,
}

impl From<SpanSpend> for SpentResponse {
    fn from(SpanSpend { since, renews_at, spend }: SpanSpend) -> Self {
        Self { since, renews_at, spend, cost: dollars(spend.cost_nanos) }
    }
}

/// The budget of the tenant or of one user.
#[derive(Debug, Serialize, ToSchema)]
pub struct BudgetResponse {
    /// The user. `null` for the whole tenant.
    pub user_id: Option<Uuid>,
    /// The user's email address. `null` for the whole tenant, and for a user who is no longer a member.
    pub email: Option<String>,
    /// The user's display name. `null` in the same cases as `email`.
    pub display_name: Option<String>,
    /// The limits of the budget.
    #[serde(flatten)]
    pub budget: Budget,
    /// The maximum cost in a month, in dollars.
    pub cost_month: Option<String>,
    /// The maximum cost in a day, in dollars.
    pub cost_day: Option<String>,
    pub month: SpentResponse,
    /// The usage of the current day.
    pub day: SpentResponse,
}

impl BudgetResponse {
    /// Builds the view of a budget with the name of its user.
    fn from_status(reader: &Reader, tenant: TenantId, status: BudgetStatus) -> Api<Self> {
        let BudgetStatus { user_id, budget, month, day } = status;
        let user = user_id.map(|user| PrincipalResponse::load(reader, tenant, &Principal::user(user)));
        let user = user.transpose()?.flatten();
        Ok(Self {
            user_id,
            email: user.as_ref().and_then(|user| user.email.clone()),
            display_name: user.map(|user| user.name),
            budget,
            cost_month: budget.cost_nanos_month.map(dollars),
            cost_day: budget.cost_nanos_day.map(dollars),
            month: month.into(),
            day: day.into(),
        })
    }

    /// The budget of a user. `None` if none is set.
    pub fn of_user(reader: &Reader, tenant: TenantId, user: Uuid) -> Api<Option<Self>> {
        let status = administration::budget_of_user(reader, tenant, user)?;
        status.map(|status| Self::from_status(reader, tenant, status)).transpose()
    }
}

/// The budgets of a tenant.
#[derive(Debug, Serialize, ToSchema)]
pub struct BudgetsResponse {
    /// The budget of the whole tenant.
    pub tenant: BudgetResponse,
    /// The budgets of users who have their own.
    pub users: Vec<BudgetResponse>,
}

impl BudgetsResponse {
    fn read(reader: &Reader, tenant: TenantId) -> Api<Self> {
        let (own, users) = administration::all_budgets(reader, tenant)?;
        let users = users.into_iter().map(|status| BudgetResponse::from_status(reader, tenant, status));
        let users = users.collect::<Api<_>>()?;
        Ok(Self { tenant: BudgetResponse::from_status(reader, tenant, own)?, users })
    }
}

/// List the budgets of the tenant and what has been spent.
///
/// Days and months begin at midnight UTC.
#[utoipa::path(get, path = "/api/tenant-admin/budgets")]
async fn get_budgets(auth: Auth<AdminRead, Admin>, app: Data<App>) -> Api<Json<BudgetsResponse>> {
    let tenant = auth.tenant;
    app.store.read(move |reader| BudgetsResponse::read(reader, tenant)).await.map(Json)
}

/// Set the budget of the tenant or of a user.
///
/// Once a budget is used up, requests that would call a model are refused: with 402 `budget_exceeded` until the
/// next month, or 429 `quota_exceeded` until the next day. Running work continues until its next model call.
/// Usage is counted when it is recorded at the end of a run, so runs that execute at the same time can exceed a
/// budget.
#[utoipa::path(put, path = "/api/tenant-admin/budgets")]
async fn update_budget(
    auth: Auth<AdminWrite, Admin>,
    app: Data<App>,
    Json(new): Json<UpdateBudgetRequest>,
) -> Api<Json<BudgetResponse>> {
    let caller = auth.caller();
    let new = NewBudget::from(new);
    let set = move |tx: &mut Tx| {
        let status = administration::set_budget(tx, &caller, new)?;
        BudgetResponse::from_status(tx, caller.tenant, status)
    };
    app.store.run(set).await.map(Json)
}

operations!(get_budgets, update_budget);
