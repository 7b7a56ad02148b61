//! What the operations of this area take and answer.

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

/// Who logs in, and where.
#[derive(Deserialize, ToSchema)]
pub(crate) struct LoginRequest {
    /// The address; letter case does not count.
    #[schema(min_length = 1, max_length = 254, example = "admin@localhost")]
    pub email: String,
    #[schema(min_length = 1, max_length = 1024, example = "correct horse battery staple")]
    pub password: String,
    /// The tenant to work in; without it, the one the user joined first.
    pub tenant_id: Option<Uuid>,
}

impl Validate for LoginRequest {}

/// What ends.
#[derive(Deserialize, ToSchema)]
pub(crate) struct LogoutRequest {
    /// Whether to end all of the user's sessions, on every device, and not only this one.
    #[serde(default)]
    pub all: bool,
}

impl Validate for LogoutRequest {}

/// The refresh token, for callers that do not use cookies.
#[derive(Deserialize, ToSchema)]
pub(crate) struct RefreshRequest {
    /// The refresh token of the last answer. It can also come as a bearer token or as the cookie.
    pub refresh_token: Option<String>,
}

impl Validate for RefreshRequest {}

/// Where to go.
#[derive(Deserialize, ToSchema)]
pub(crate) struct SwitchTenantRequest {
    /// A tenant the user belongs to.
    pub tenant_id: Uuid,
}

impl Validate for SwitchTenantRequest {}

record_view! {
    /// A user in a few words.
    #[derive(Serialize, ToSchema)]
    pub(crate) struct UserSummary from row: Row<User>, row.body => {
        /// The user's id.
        id: Uuid = row.id,
        /// The address.
        email: String,
        /// The name shown.
        display_name: String,
        /// Person or program.
        kind: UserKind,
        /// Whether they may manage tenants.
        platform_admin: bool,
    }
}

record_view! {
    /// A tenant in a few words.
    #[derive(Clone, Serialize, ToSchema)]
    pub(crate) struct TenantSummary from row: Row<Tenant>, row.body => {
        /// The tenant's id.
        id: Uuid = row.id,
        /// The name shown.
        name: String,
        /// The short name.
        slug: Option<String>,
        /// The address of its picture, for its members.
        logo_url: Option<String> = row.body.logo.as_ref().map(logo::address),
    }
}

record_view! {
    /// A tenant, and what the user may do there.
    #[derive(Serialize, ToSchema)]
    pub(crate) struct TenantMembership from (row, role): (Row<Tenant>, Role), row.body => {
        /// The tenant's id.
        id: Uuid = row.id,
        /// The name shown.
        name: String,
        /// The short name.
        slug: Option<String>,
        /// The user's role there.
        role: Role = role,
    }
}

/// A session that has begun or gone on.
#[derive(Serialize, ToSchema)]
pub(crate) struct LoginResponse {
    /// For `Authorization: Bearer`.
    pub access_token: String,
    /// `Bearer`.
    pub token_type: &'static str,
    /// For `POST /api/auth/refresh/`, once; absent where the one in hand stays valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refresh_token: Option<String>,
    /// Seconds for which the access token holds.
    pub expires_in: u64,
    pub user: UserSummary,
    /// The tenant the access token opens.
    pub tenant: TenantSummary,
    /// Every tenant the user belongs to.
    pub tenants: Vec<TenantMembership>,
}

/// An access token in another user's name.
#[derive(Serialize, ToSchema)]
pub(crate) struct ImpersonationResponse {
    /// For `Authorization: Bearer`.
    pub access_token: String,
    /// `Bearer`.
    pub token_type: &'static str,
    /// Seconds for which the token holds.
    pub expires_in: u64,
    /// When it can no longer be renewed.
    pub ends_at: Timestamp,
}

/// Whom to act as.
#[derive(Deserialize, ToSchema)]
pub(crate) struct ImpersonateRequest {
    /// A member of the tenant.
    pub user_id: Uuid,
    /// Why; kept in the audit record.
    #[schema(min_length = 1, max_length = 500)]
    pub reason: String,
}

impl Validate for ImpersonateRequest {}

/// Who the presented credential belongs to.
#[derive(Serialize, ToSchema)]
pub(crate) struct CallerResponse {
    pub user_id: Uuid,
    /// The address.
    pub email: String,
    /// The tenant the credential opens.
    pub tenant_id: Uuid,
    /// The user's role there at present.
    pub role: Role,
    /// Whether the user may manage tenants.
    pub platform_admin: bool,
    /// Everything the credential allows at present.
    pub scopes: Vec<String>,
    /// The API token, if one was presented.
    pub token_id: Option<Uuid>,
    /// The session, unless an API token was presented.
    pub session_id: Option<Uuid>,
    /// Who really acts, if the user is impersonated.
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

/// What a token says.
#[derive(Serialize, ToSchema)]
pub(crate) struct TokenClaimsResponse {
    /// The user.
    pub sub: Uuid,
    /// The tenant.
    pub tid: Uuid,
    /// The session, of an access token.
    pub sid: Option<Uuid>,
    /// The role when the token was made; of an API token, the role at present.
    pub role: Role,
    /// The scopes of an API token; `null` for everything the role allows.
    pub scopes: Option<Vec<String>>,
    /// Who really acts, if the user is impersonated.
    pub act: Option<Uuid>,
    /// When it was made, in seconds since 1970.
    pub iat: i64,
    /// When it ends, in seconds since 1970; `null` for never.
    pub exp: Option<i64>,
    /// The token's own id.
    pub jti: Uuid,
}

/// A member to be added.
#[derive(Deserialize, ToSchema)]
pub(crate) struct AddUserRequest {
    /// The address to log in with.
    pub email: String,
    /// The name shown; the address, if it is left out.
    #[schema(min_length = 1, max_length = 100)]
    pub display_name: Option<String>,
    /// The first password.
    #[schema(schema_with = new_password)]
    pub password: String,
    /// What they may do in this tenant.
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

/// A tenant to be added.
#[derive(Deserialize, ToSchema)]
pub(crate) struct AddTenantRequest {
    #[schema(min_length = 1, max_length = 100)]
    pub name: String,
    /// A short name for addresses.
    pub slug: Option<String>,
}

impl Validate for AddTenantRequest {
    fn validate(&self, faults: &mut Faults) {
        NewTenant { name: self.name.clone(), slug: self.slug.clone() }.check(faults);
    }
}
