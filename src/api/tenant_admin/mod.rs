//! What administrators of a tenant decide for its people: models, features, keys, budgets, service accounts.

mod audience;
mod audit;
pub(crate) mod budgets;
mod defaults;
mod features;
mod invitations;
mod join_requests;
mod keys;
pub(crate) mod logo;
mod members;
mod price_table;
mod providers;
mod service_accounts;
mod service_tokens;
mod settings;
mod usage_export;
mod visibility;

use serde_json::Value;
use storage::records::{Governed, Tenant};
use storage::{Row, TenantId, Tx};

use crate::http::{Caller, operations};
use domain::audit::{Actor, audit};

operations!(mod
    defaults, visibility, features, service_accounts, service_tokens, logo, audit, keys, budgets, providers,
    settings, invitations, join_requests, members, usage_export, price_table
);

/// Writes the tenant's row, and down who did what. Whoever decides anything writes that row, so that two
/// at once see each other: a default that one of them hides is not chosen by the other.
fn decide(
    tx: &mut Tx,
    caller: &Caller,
    tenant: Row<Tenant>,
    action: &str,
    target: String,
    detail: Value,
) -> storage::Result<Row<Tenant>> {
    let actor = Actor::from(caller);
    audit(tx, caller.tenant, actor, action, target, detail)?;
    tx.update(TenantId::SYSTEM, tenant)
}

fn tenant_of(tx: &Tx, caller: &Caller) -> storage::Result<Row<Tenant>> {
    tx.require::<Tenant>(TenantId::SYSTEM, &caller.tenant.0)
}

/// Notes in the tenant's row whether a table holds anything.
fn note(tenant: &mut Row<Tenant>, change: impl FnOnce(&mut Governed)) {
    change(&mut tenant.body.governed);
}
