//! Budgets.

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

impl Validate for UpdateBudgetRequest {}

impl From<UpdateBudgetRequest> for NewBudget {
    fn from(body: UpdateBudgetRequest) -> Self {
        let UpdateBudgetRequest { user_id, cost_nanos_month, cost_nanos_day, tokens_day } = body;
        Self { user_id, budget: Budget { cost_nanos_month, cost_nanos_day, tokens_day } }
    }
}

/// What was spent in a span of time.
#[derive(Debug, Serialize, ToSchema)]
pub struct SpentResponse {
    /// When the span began.
    pub since: Timestamp,
    /// When the next span begins.
    pub renews_at: Timestamp,
    /// What was used.
    #[serde(flatten)]
    pub spend: Spend,
    /// What it cost, in dollars.
    #[schema(example = "0.001234000")]
    pub cost: String,
}

impl From<SpanSpend> for SpentResponse {
    fn from(SpanSpend { since, renews_at, spend }: SpanSpend) -> Self {
        Self { since, renews_at, spend, cost: dollars(spend.cost_nanos) }
    }
}

/// The budget of the tenant, or of one user.
#[derive(Debug, Serialize, ToSchema)]
pub struct BudgetResponse {
    /// The user; `null` for the whole tenant.
    pub user_id: Option<Uuid>,
    /// Their address; `null` for the whole tenant, and for a user who is not a member any more.
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
    pub month: SpentResponse,
    /// What was spent today.
    pub day: SpentResponse,
}

impl BudgetResponse {
    /// A budget, with the name of its user.
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

    /// The budget of a user; `None` where none is set.
    pub fn of_user(reader: &Reader, tenant: TenantId, user: Uuid) -> Api<Option<Self>> {
        let status = administration::budget_of_user(reader, tenant, user)?;
        status.map(|status| Self::from_status(reader, tenant, status)).transpose()
    }
}

/// All budgets.
#[derive(Debug, Serialize, ToSchema)]
pub struct BudgetsResponse {
    /// The whole tenant's.
    pub tenant: BudgetResponse,
    /// Those of users who have one of their own.
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

/// Show what may be spent, and what was.
///
/// Days and months begin at midnight UTC.
#[utoipa::path(get, path = "/api/tenant-admin/budgets")]
async fn get_budgets(auth: Auth<AdminRead, Admin>, app: Data<App>) -> Api<Json<BudgetsResponse>> {
    let tenant = auth.tenant;
    app.store.read(move |reader| BudgetsResponse::read(reader, tenant)).await.map(Json)
}

/// Say what the tenant, or one user, may spend.
///
/// What is used up refuses whatever would ask a model: 402 `budget_exceeded` until the next month, 429
/// `quota_exceeded` until the next day. What is running then goes on to its next question to a model. A use counts once
/// it is booked, at the end of a run; so what runs at the same time may overdraw a budget.
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
