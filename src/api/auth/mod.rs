//! Logging in and out, tokens, tenants.

pub(crate) mod api_tokens;
mod explain;
pub(crate) mod impersonation;
mod invitations;
mod joining_schema;
mod login;
mod members;
mod password;
mod password_schema;
mod register;
mod schema;
mod sessions;
mod token_schema;
mod whoami;

pub(crate) use schema::{ImpersonationResponse, LogoutRequest, TenantMembership, TenantSummary};
pub(crate) use sessions::leave as end_session;
pub(crate) use token_schema::{
    ApiTokenList, ApiTokenResponse, CreateApiTokenRequest, CreatedApiTokenResponse, UpdateApiTokenBody,
};

use crate::http::Area;

pub(crate) fn operations(area: &mut Area) {
    login::operations(area);
    whoami::operations(area);
    explain::operations(area);
    api_tokens::operations(area);
    impersonation::operations(area);
    members::operations(area);
    invitations::operations(area);
    register::operations(area);
    password::operations(area);
}
