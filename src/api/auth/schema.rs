//! Requests and responses of login, sessions and members.

use super::password_schema::new_password;
use crate::api::tenant_admin::logo;
use crate::http::{Caller, Faults, Validate, record_view};
use domain::accounts::NewTenant;
use domain::accounts::users::check_email;
use serde::{Deserialize, Serialize};
use storage::records::{Role, Tenant, User, UserKind};
use storage::{Row, Timestamp};
use utoipa::ToSchema;
use uuid::Uuid;

/// A login with email address and password.
#[derive(Deserialize, ToSchema)]
pub(crate) struct LoginRequest {
    /// Email address of the user; case-insensitive.
    #[schema(min_length = 1, max_length = 254, example = "admin@localhost")]
    pub email: String,
    #[schema(min_length = 1, max_length = 1024, example = "correct horse battery staple")]
    pub password: String,
    /// Id of the tenant to work in. Defaults to the tenant that the user joined first.
    pub tenant_id: Option<Uuid>,
}

impl Validate for LoginRequest {}

/// The sessions to end.
#[derive(Deserialize, ToSchema)]
pub(crate) struct LogoutRequest {
    /// Whether to end all sessions of the user, on every device, instead of only this one.
    #[serde(default)]
    pub all: bool,
}

impl Validate for LogoutRequest {}

/// The refresh token, for callers that do not use cookies.
#[derive(Deserialize, ToSchema)]
pub(crate) struct RefreshRequest {
    /// The refresh token of the last response. It can also be sent as a bearer token or as the cookie.
    pub refresh_token: Option<String>,
}

impl Validate for RefreshRequest {}

/// The tenant to switch to.
#[derive(Deserialize, ToSchema)]
pub(crate) struct SwitchTenantRequest {
    /// Id of a tenant that the user belongs to.
    pub tenant_id: Uuid,
}

impl Validate for SwitchTenantRequest {}

record_view! {
    /// Summary of a user.
    #[derive(Serialize, ToSchema)]
    pub(crate) struct UserSummary from row: Row<User>, row.body => {
        /// Id of the user.
        id: Uuid = row.id,
        /// Email address of the user.
        email: String,
        /// Display name of the user.
        display_name: String,
        /// Whether the user is a person or a program.
        kind: UserKind,
        /// Whether the user may manage tenants.
        platform_admin: bool,
    }
}

record_view! {
    /// Summary of a tenant.
    #[derive(Clone, Serialize, ToSchema)]
    pub(crate) struct TenantSummary from row: Row<Tenant>, row.body => {
        /// Id of the tenant.
        id: Uuid = row.id,
        /// Display name of the tenant.
        name: String,
        /// Short name for addresses.
        slug: Option<String>,
        /// Address of the tenant's picture, visible to its members.
        logo_url: Option<String> = row.body.logo.as_ref().map(logo::address),
    }
}

record_view! {
    /// A tenant, and the user's role in it.
    #[derive(Serialize, ToSchema)]
    pub(crate) struct TenantMembership from (row, role): (Row<Tenant>, Role), row.body => {
        /// Id of the tenant.
        id: Uuid = row.id,
        /// Display name of the tenant.
        name: String,
        /// Short name for addresses.
        slug: Option<String>,
        /// Role of the user in the tenant.
        role: Role = role,
    }
}

/// A session that was started or renewed.
#[derive(Serialize, ToSchema)]
pub(crate) struct LoginResponse {
    /// Access token, for `Authorization: Bearer`.
    pub access_token: String,
    /// Always `Bearer`.
    pub token_type: &'static str,
    /// Refresh token for `POST /api/auth/refresh/`, valid once. Absent if the current one stays valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub refresh_token: Option<String>,
    /// Lifetime of the access token, in seconds.
    pub expires_in: u64,
    pub user: UserSummary,
    /// The tenant for which the access token is valid.
    pub tenant: TenantSummary,
    /// All tenants that the user belongs to.
    pub tenants: Vec<TenantMembership>,
}

/// An access token of an impersonated session.
#[derive(Serialize, ToSchema)]
pub(crate) struct ImpersonationResponse {
    /// Access token, for `Authorization: Bearer`.
    pub access_token: String,
    /// Always `Bearer`.
    pub token_type: &'static str,
    /// Lifetime of the token, in seconds.
    pub expires_in: u64,
    /// When the token can no longer be renewed.
    pub ends_at: Timestamp,
}

/// A request to impersonate a user.
#[derive(Deserialize, ToSchema)]
pub(crate) struct ImpersonateRequest {
    /// Id of a member of the tenant.
    pub user_id: Uuid,
    /// Reason, which is recorded in the audit log.
    #[schema(min_length = 1, max_length = 500)]
    pub reason: String,
}

impl Validate for ImpersonateRequest {}

/// The owner of the presented credentials.
#[derive(Serialize, ToSchema)]
pub(crate) struct CallerResponse {
    pub user_id: Uuid,
    /// Email address of the user.
    pub email: String,
    /// The tenant for which the credentials are valid.
    pub tenant_id: Uuid,
    /// Current role of the user in the tenant.
    pub role: Role,
    /// Whether the user may manage tenants.
    pub platform_admin: bool,
    /// Everything that the credentials currently allow.
    pub scopes: Vec<String>,
    /// Id of the API token, if one was presented.
    pub token_id: Option<Uuid>,
    /// Id of the session, unless an API token was presented.
    pub session_id: Option<Uuid>,
    /// Id of the user who actually acts, if the session is impersonated.
    pub act: Option<Uuid>,
}

impl From<&Caller> for CallerResponse {
    fn from(caller: &Caller) -> Self {
        Self {
            user_id: caller.user,
            email: caller.email.to_string(),
            tenant_id: caller.tenant.0,
            role: caller.role,
            platform_admin: caller.platform_admin,
            scopes: if caller.scopes.is_some_and(|scopes| scopes.is_empty()) {
                Vec::new()
            } else {
                caller.effective_scopes().names()
            },
            token_id: caller.token_id,
            session_id: caller.session,
            act: caller.act,
        }
    }
}

/// The claims of a token.
#[derive(Serialize, ToSchema)]
pub(crate) struct TokenClaimsResponse {
    /// Id of the user.
    pub sub: Uuid,
    /// Id of the tenant.
    pub tid: Uuid,
    /// Id of the session; only for access tokens.
    pub sid: Option<Uuid>,
    /// Role when the token was issued; for an API token, the current role.
    pub role: Role,
    /// Scopes of an API token; `null` for everything that the role allows.
    pub scopes: Option<Vec<String>>,
    /// Id of the user who actually acts, if the session is impersonated.
    pub act: Option<Uuid>,
    /// When the token was issued, in seconds since 1970.
    pub iat: i64,
    /// When the token expires, in seconds since 1970; `null` if it does not expire.
    pub exp: Option<i64>,
    /// Id of the token.
    pub jti: Uuid,
}

/// A user to add to the tenant.
#[derive(Deserialize, ToSchema)]
pub(crate) struct AddUserRequest {
    /// Email address for logging in.
    pub email: String,
    /// Display name of the user. Defaults to the email address.
    #[schema(min_length = 1, max_length = 100)]
    pub display_name: Option<String>,
    /// Initial password of the user.
    #[schema(schema_with = new_password)]
    pub password: String,
    /// Role of the user in this tenant.
    #[serde(default)]
    pub role: Role,
}

impl Validate for AddUserRequest {
    fn validate(&self, faults: &mut Faults) {
        check_email(faults, "email", &self.email);
        if let Some(name) = &self.display_name {
            faults.name("display_name", name);
        }
    }
}

/// A tenant to create.
#[derive(Deserialize, ToSchema)]
pub(crate) struct AddTenantRequest {
    #[schema(min_length = 1, max_length = 100)]
    pub name: String,
    /// Short name for addresses.
    pub slug: Option<String>,
}

impl Validate for AddTenantRequest {
    fn validate(&self, faults: &mut Faults) {
        NewTenant { name: self.name.clone(), slug: self.slug.clone() }.check(faults);
    }
}
