//! Decisions of a tenant's administrators: settings, features, models, budgets and provider keys.

mod audience;
mod audit_log;
mod budgets;
mod features;
mod logo;
mod models;
mod prices;
mod provider_keys;
mod settings;

use serde_json::Value;
use storage::records::Tenant;
use storage::{Row, TenantId, Tx};

use crate::Caller;
use crate::audit::{Actor, audit};

pub use audit_log::{AuditFilter, AuditPage, list_audit};
pub use budgets::{BudgetStatus, NewBudget, SpanSpend, all_budgets, budget_of_user, set_budget};
pub use features::{ResolvedFeatures, feature_rule, resolve_features, set_feature};
pub use logo::set_logo;
pub use models::{
    InstalledModels, ModelAudience, default_embedding_model, default_model, model_audience,
    set_default_embedding_model, set_default_model, set_model_audience,
};
pub use prices::{import_price_list, price_list, replace_price_list};
pub use provider_keys::set_provider_keys;
pub use settings::{Provision, UpdateSettings, change_settings, set_provisioning};

fn tenant(tx: &Tx, caller: &Caller) -> storage::Result<Row<Tenant>> {
    tx.require::<Tenant>(TenantId::SYSTEM, &caller.tenant.0)
}

/// Writes the tenant's row and an audit record. Every decision writes that row, so that the second of two concurrent
/// decisions is retried and sees the first: a model cannot be hidden while it is chosen as the default.
fn decide(
    tx: &mut Tx,
    caller: &Caller,
    tenant: Row<Tenant>,
    action: &str,
    target: String,
    detail: Value,
) -> storage::Result<Row<Tenant>> {
    audit(tx, caller.tenant, Actor::from(caller), action, target, detail)?;
    tx.update(TenantId::SYSTEM, tenant)
}
