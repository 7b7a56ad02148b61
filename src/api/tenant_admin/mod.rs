//! `/api/tenant-admin`: routes, schemas and views for the administrators of a tenant.

mod audience;
mod audit;
pub(crate) mod budgets;
mod defaults;
mod features;
mod installed_models;
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

use crate::http::Area;

/// The operations of this area.
pub fn operations(area: &mut Area) {
    defaults::operations(area);
    visibility::operations(area);
    features::operations(area);
    service_accounts::operations(area);
    service_tokens::operations(area);
    logo::operations(area);
    audit::operations(area);
    keys::operations(area);
    budgets::operations(area);
    providers::operations(area);
    settings::operations(area);
    invitations::operations(area);
    join_requests::operations(area);
    members::operations(area);
    usage_export::operations(area);
    price_table::operations(area);
}
