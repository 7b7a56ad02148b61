//! Checks the remaining budget.

use runs::{BudgetScope, OverBudget};
use storage::records::{Budget, Tenant};
use storage::{Reader, TenantId, Timestamp};
use uuid::Uuid;

/// Returns the exhausted budget that prevents a user from spending more, if any. If there are several, returns the one
/// that is renewed last.
pub(super) fn exhausted(
    reader: &Reader,
    tenant: TenantId,
    user: Uuid,
    at: Timestamp,
) -> storage::Result<Option<OverBudget>> {
    let scopes = [(BudgetScope::Tenant, Uuid::nil(), None), (BudgetScope::User, user, Some(user))];
    let mut found: Option<OverBudget> = None;
    for (scope, id, who) in scopes {
        let Some(budget) = reader.get::<Budget>(tenant, &id)? else { continue };
        let Some(reached) = budget.exhausted(reader, tenant, who, at)? else { continue };
        if found.as_ref().is_none_or(|other| other.reached.renews_at < reached.renews_at) {
            found = Some(OverBudget { scope, reached });
        }
    }
    Ok(found)
}

/// Checks whether a user may spend more. Called by long runs between two model calls.
///
/// # Errors
/// Returns an error if the store fails.
pub fn spendable(reader: &Reader, tenant: TenantId, user: Uuid) -> storage::Result<Result<(), OverBudget>> {
    let row = reader.get_shared::<Tenant>(TenantId::SYSTEM, &tenant.0)?;
    if row.is_none_or(|row| !row.governed.budgets) {
        return Ok(Ok(()));
    }
    Ok(exhausted(reader, tenant, user, Timestamp::now())?.map_or(Ok(()), Err))
}
