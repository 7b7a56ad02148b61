//! Logging in and out, tokens, tenants.

mod api_tokens;
mod impersonation;
mod login;
mod members;
mod schema;
mod sessions;
mod token_schema;
mod whoami;

pub(crate) use schema::{TenantMembership, TenantSummary};

use crate::http::Area;

pub(crate) fn operations(area: &mut Area) {
    login::operations(area);
    whoami::operations(area);
    api_tokens::operations(area);
    impersonation::operations(area);
    members::operations(area);
}
