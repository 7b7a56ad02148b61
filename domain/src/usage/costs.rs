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

/// Which costs to add up.
#[derive(Clone, Debug, Default)]
pub struct CostsQuery {
    /// The beginning; without it, that of the month.
    pub from: Option<MomentOrDay>,
    /// The end; without it, that of the month.
    pub to: Option<MomentOrDay>,
    /// The users; without them, the caller. Only administrators may name others.
    pub user_ids: Option<Vec<Uuid>>,
    /// Which entries of the ledger count.
    pub filter: Filter,
    /// Whether to add up what the caller used in each of their tenants, in place of `user_ids`.
    pub by_tenant: bool,
}

/// Costs of users.
#[derive(Debug)]
pub struct Costs {
    pub period: Period,
    pub tally: Tally,
    /// By tenants, with [`CostsQuery::by_tenant`].
    pub by_tenant: Option<Vec<TenantSpend>>,
}

/// What a user used in a tenant.
#[derive(Clone, Debug)]
pub struct TenantSpend {
    pub tenant_id: Uuid,
    /// The tenant's name.
    pub name: String,
    pub spend: Spend,
}

/// Adds up costs.
///
/// # Errors
/// `role_missing` for other users when the caller is no administrator; `not_found` for users who never used the tenant;
/// `session_required`, `impersonation_limited` for costs by tenant; `invalid` for a period that is too long.
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

/// The users whose costs are added up. A user who has left the tenant is found while the ledger has an entry of them.
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

/// Adds what the caller used in each of their tenants. API tokens and impersonated sessions are for one tenant, so they
/// are refused.
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
