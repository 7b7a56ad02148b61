//! Authentication: login and logout, sessions, API tokens, and joining tenants.

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

use crate::http::operations;

operations!(mod login, whoami, explain, api_tokens, impersonation, members, invitations, register, password);
