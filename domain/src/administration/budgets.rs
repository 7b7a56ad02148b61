//! Budgets of a tenant and of its users.

use serde_json::json;
use storage::records::usage::{Span, Spend};
use storage::records::{Budget, Principal};
use storage::{Reader, Scan, TenantId, Timestamp, Tx};
use uuid::Uuid;

use super::{decide, tenant};
use crate::sharing::is_principal;
use crate::{Caller, Refusal, Result};

/// A budget to set. A budget without limits removes the current one.
#[derive(Clone, Copy, Debug)]
pub struct NewBudget {
    /// The user; `None` for the whole tenant.
    pub user_id: Option<Uuid>,
    pub budget: Budget,
}

/// A budget with the current spending.
#[derive(Clone, Debug)]
pub struct BudgetStatus {
    /// The user; `None` for the whole tenant.
    pub user_id: Option<Uuid>,
    pub budget: Budget,
    /// The current month, in UTC.
    pub month: SpanSpend,
    /// The current day, in UTC.
    pub day: SpanSpend,
}

/// Spending in a month or a day.
#[derive(Clone, Debug)]
pub struct SpanSpend {
    /// Start of the span.
    pub since: Timestamp,
    /// Start of the next span.
    pub renews_at: Timestamp,
    pub spend: Spend,
}

impl BudgetStatus {
    fn read(
        reader: &Reader,
        tenant: TenantId,
        user_id: Option<Uuid>,
        budget: Budget,
        now: Timestamp,
    ) -> storage::Result<Self> {
        let spent = |span: Span| {
            let spend = Spend::read(reader, tenant, user_id, span, now)?;
            Ok::<_, storage::Error>(SpanSpend { since: span.begin(now), renews_at: span.end(now), spend })
        };
        Ok(Self { user_id, budget, month: spent(Span::Month)?, day: spent(Span::Day)? })
    }
}

/// Returns the budget of the tenant, which is empty if none is set, and the budgets of users.
///
/// # Errors
/// Returns an error if storage fails.
pub fn all_budgets(reader: &Reader, tenant: TenantId) -> Result<(BudgetStatus, Vec<BudgetStatus>)> {
    let rows = reader.scan::<Budget>(tenant, Scan::table())?.items;
    let now = Timestamp::now();
    let (mut own, mut users) = (Budget::default(), Vec::new());
    for row in rows {
        match row.id.is_nil() {
            true => own = row.body,
            false => users.push(BudgetStatus::read(reader, tenant, Some(row.id), row.body, now)?),
        }
    }
    Ok((BudgetStatus::read(reader, tenant, None, own, now)?, users))
}

/// Returns the budget of a user; `None` if none is set.
///
/// # Errors
/// Returns an error if storage fails.
pub fn budget_of_user(reader: &Reader, tenant: TenantId, user: Uuid) -> Result<Option<BudgetStatus>> {
    let row = reader.get::<Budget>(tenant, &user)?;
    let status = row.map(|row| BudgetStatus::read(reader, tenant, Some(user), row.body, Timestamp::now()));
    Ok(status.transpose()?)
}

/// Sets the budget of the tenant or of a user. Replaces the previous one.
///
/// # Errors
/// `invalid` for a user who is not a member, unless the call removes their budget.
pub fn set_budget(tx: &mut Tx, caller: &Caller, new: NewBudget) -> Result<BudgetStatus> {
    let NewBudget { user_id, budget } = new;
    let id = user_id.unwrap_or_default();
    let before = tx.get::<Budget>(caller.tenant, &id)?;
    let is_removal = before.is_some() && budget.is_empty();
    if user_id.is_some() && !is_removal && !is_principal(tx, caller.tenant, &Principal::user(id))? {
        return Err(Refusal::invalid("body", ["user_id"], "there is no such user", "not_found"));
    }
    match (before, budget.is_empty()) {
        (_, true) => drop(tx.delete::<Budget>(caller.tenant, &id)?),
        (Some(mut row), false) => {
            row.body = budget;
            tx.update(caller.tenant, row)?;
        }
        (None, false) => tx.insert(caller.tenant, id, budget).map(drop)?,
    }
    let mut row = tenant(tx, caller)?;
    row.governed.budgets = !tx.scan::<Budget>(caller.tenant, Scan::table().limit(1))?.items.is_empty();
    let target = user_id.map_or_else(|| format!("tenant {}", caller.tenant), |user| format!("user {user}"));
    decide(tx, caller, row, "budget.update", target, json!(budget))?;
    Ok(BudgetStatus::read(tx, caller.tenant, user_id, budget, Timestamp::now())?)
}
