//! The costs of users, for themselves and for administrators.

use std::collections::BTreeSet;

use storage::records::usage::Spend;
use storage::records::{Membership, Role, ledger};
use storage::{Reader, TenantId};
use uuid::Uuid;

use super::{Filter, MomentOrDay, Period, Tally, zone_of};
use crate::access::policy::Requirement;
use crate::accounts::tenants;
use crate::{Caller, Refusal, Result};

/// Which costs to sum.
#[derive(Clone, Debug, Default)]
pub struct CostsQuery {
    /// Start of the period. Without it, the start of the month.
    pub from: Option<MomentOrDay>,
    /// End of the period. Without it, the end of the month.
    pub to: Option<MomentOrDay>,
    /// The users. Without them, the caller. Only administrators may specify other users.
    pub user_ids: Option<Vec<Uuid>>,
    /// Which entries of the ledger count.
    pub filter: Filter,
    /// Whether to sum the caller's usage in each of their tenants, instead of the usage of `user_ids`.
    pub by_tenant: bool,
}

/// Costs of users.
#[derive(Debug)]
pub struct Costs {
    pub period: Period,
    pub tally: Tally,
    /// Spending by tenant, if [`CostsQuery::by_tenant`] is set.
    pub by_tenant: Option<Vec<TenantSpend>>,
}

/// A user's usage in a tenant.
#[derive(Clone, Debug)]
pub struct TenantSpend {
    pub tenant_id: Uuid,
    /// The tenant's name.
    pub name: String,
    pub spend: Spend,
}

/// Sums the costs of users.
///
/// # Errors
/// `role_missing` for other users if the caller is not an administrator; `not_found` for users who never used the
/// tenant; `session_required`, `impersonation_limited` for costs by tenant; `invalid` for a period that is too long.
pub fn costs(reader: &Reader, caller: &Caller, query: CostsQuery) -> Result<Costs> {
    let CostsQuery { from, to, user_ids, filter, by_tenant } = query;
    let period = Period::from_query(zone_of(reader, caller.tenant)?, from, to)?;
    let mut tally = Tally::new(period.zone);
    let by_tenant = if by_tenant {
        Some(add_all_tenants(reader, caller, &period, &filter, &mut tally)?)
    } else {
        for user in visible_users(reader, caller, user_ids)? {
            tally.add_user(reader, caller.tenant, user, &period, &filter)?;
        }
        None
    };
    Ok(Costs { period, tally, by_tenant })
}

/// Returns the users whose costs are summed. A former member is found as long as the ledger contains an entry for them.
fn visible_users(reader: &Reader, caller: &Caller, ids: Option<Vec<Uuid>>) -> Result<BTreeSet<Uuid>> {
    let users: BTreeSet<_> = ids.map_or_else(|| [caller.user].into(), BTreeSet::from_iter);
    if users.iter().any(|user| *user != caller.user) {
        Requirement { bare: true, role: Role::TenantAdmin, ..Requirement::default() }.check(caller)?;
    }
    for user in &users {
        let is_member = reader.get::<Membership>(TenantId::SYSTEM, &(*user, caller.tenant.0))?.is_some();
        if !is_member && ledger::first(reader, caller.tenant, *user, false)?.is_none() {
            return Err(Refusal::not_found("user"));
        }
    }
    Ok(users)
}

/// Adds the caller's usage in each of their tenants. API tokens and impersonated sessions are restricted to one tenant,
/// so they are refused.
fn add_all_tenants(
    reader: &Reader,
    caller: &Caller,
    period: &Period,
    filter: &Filter,
    all: &mut Tally,
) -> Result<Vec<TenantSpend>> {
    Requirement { bare: true, own_name: true, session: true, ..Requirement::default() }.check(caller)?;
    let mut spends = Vec::new();
    for (tenant, _) in tenants::of_user(reader, caller.user)? {
        let id = TenantId(tenant.id);
        let spend = Tally::of_user(reader, id, caller.user, period, filter)?.total;
        all.add_user(reader, id, caller.user, period, filter)?;
        spends.push(TenantSpend { tenant_id: tenant.id, name: tenant.body.name, spend });
    }
    Ok(spends)
}
