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

use crate::http::operations;

operations!(mod
    defaults, visibility, features, service_accounts, service_tokens, logo, audit, keys, budgets, providers,
    settings, invitations, join_requests, members, usage_export, price_table
);
