//! The error of an exhausted budget.

use domain::{Code, Refusal};
use storage::Timestamp;
use storage::records::usage::Span;
use storage::records::{Exhausted, Measure};

/// Whose budget is spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BudgetScope {
    /// The budget of the whole tenant.
    Tenant,
    /// The budget of a single user within the tenant.
    User,
}

/// A budget is exhausted. Requests that start while some of the budget is left are completed, so runs in progress may
/// overdraw it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.message())]
pub struct OverBudget {
    /// Whose budget is exhausted.
    pub scope: BudgetScope,
    /// The limit that was reached.
    pub reached: Exhausted,
}

impl OverBudget {
    /// Error code of a run that fails because its budget is exhausted.
    pub const CODE: &'static str = "budget_exceeded";

    /// Whether the limit applies to a day, so that trying again later makes sense.
    pub fn is_of_the_day(&self) -> bool {
        self.reached.span == Span::Day
    }

    /// Seconds until the budget renews, at least 1.
    pub fn renews_in_s(&self) -> u64 {
        self.reached.renews_at.since(Timestamp::now()).as_secs().max(1)
    }

    fn message(&self) -> String {
        let Exhausted { measure, span, limit, spent, renews_at } = &self.reached;
        let whose = match self.scope {
            BudgetScope::Tenant => "the tenant",
            BudgetScope::User => "you",
        };
        let time = match span {
            Span::Day => "day",
            Span::Month => "month",
        };
        let amount = |amount: &u64| match measure {
            Measure::Cost => format!("${}.{:09}", amount / 1_000_000_000, amount % 1_000_000_000),
            Measure::Tokens => format!("{amount} tokens"),
        };
        let (spent, limit) = (amount(spent), amount(limit));
        format!("{whose} may spend {limit} a {time} and spent {spent}; the budget renews at {renews_at}")
    }
}

impl From<OverBudget> for Refusal {
    fn from(over: OverBudget) -> Self {
        let reached = &over.reached;
        let whose = match over.scope {
            BudgetScope::Tenant => "tenant",
            BudgetScope::User => "user",
        };
        let code = if over.is_of_the_day() { Code::QuotaExceeded } else { Code::BudgetExceeded };
        let error = Self::new(code)
            .detail(over.to_string())
            .extra("budget_of", whose)
            .extra("renews_at", reached.renews_at.to_string());
        if over.is_of_the_day() { error.retry_after(over.renews_in_s()) } else { error }
    }
}
