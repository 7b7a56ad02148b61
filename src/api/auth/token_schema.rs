//! Requests and responses of API tokens.

use crate::http::{Faults, HasVersion, Scope, Validate, list_of, record_view};
use domain::accounts::NewToken;
use serde::{Deserialize, Deserializer, Serialize};
use storage::records::{ApiToken, Role};
use storage::{Row, Timestamp};
use utoipa::ToSchema;
use uuid::Uuid;

/// A scope that API tokens can be limited to.
#[derive(Serialize, ToSchema)]
pub(crate) struct TokenScope {
    /// Name of the scope, as in tokens.
    pub scope: &'static str,
    /// What the scope allows.
    pub description: &'static str,
    /// The minimum role; with a lower role, the scope allows nothing.
    pub least_role: Role,
    /// Whether the caller's current role is sufficient.
    pub available: bool,
}

impl TokenScope {
    pub fn new(scope: Scope, role: Role) -> Self {
        let least_role = scope.least_role();
        Self {
            scope: scope.as_str(),
            description: scope.sentence(),
            least_role,
            available: role >= least_role,
        }
    }
}

list_of! {
    /// All scopes that exist.
    pub TokenScopeList of TokenScope
}

/// An API token to create.
#[derive(Deserialize, ToSchema)]
pub(crate) struct CreateApiTokenRequest {
    /// Name that the owner uses for the token.
    #[schema(min_length = 1, max_length = 100)]
    pub name: String,
    /// Scopes of the token: `null` for everything that its user may do, `[]` for nothing.
    #[schema(example = json!(["conversations:read"]))]
    pub scopes: Option<Vec<String>>,
    /// When the token expires; `null` for never, if the tenant allows that.
    pub expires_at: Option<Timestamp>,
}

impl Validate for CreateApiTokenRequest {
    fn validate(&self, faults: &mut Faults) {
        NewToken::check(faults, &self.name, self.scopes.as_deref(), self.expires_at);
    }
}

/// The new properties of an API token. All fields are required, so that no right is extended by accident.
#[derive(Deserialize, ToSchema)]
pub(crate) struct UpdateApiTokenBody {
    /// Name that the owner uses for the token.
    #[schema(min_length = 1, max_length = 100)]
    pub name: String,
    /// Scopes of the token: `null` for everything that its user may do, `[]` for nothing.
    #[serde(deserialize_with = "required_option")]
    #[schema(required = true, example = json!(["conversations:read"]))]
    pub scopes: Option<Vec<String>>,
    /// When the token expires; `null` for never, if the tenant allows that.
    #[serde(deserialize_with = "required_option")]
    #[schema(required = true)]
    pub expires_at: Option<Timestamp>,
    /// The expected version. Without it and without `If-Match`, every version is accepted.
    pub version: Option<u64>,
}

/// Makes the key of an optional value required.
fn required_option<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error> {
    Option::deserialize(from)
}

impl Validate for UpdateApiTokenBody {
    fn validate(&self, faults: &mut Faults) {
        NewToken::check(faults, &self.name, self.scopes.as_deref(), self.expires_at);
    }
}

record_view! {
    /// An API token, without its secret.
    #[derive(Serialize, ToSchema)]
    pub(crate) struct ApiTokenResponse from row: Row<ApiToken>, row.body => {
        /// Id of the token.
        id: Uuid = row.id,
        /// Name of the token.
        name: String,
        /// First characters of the token, which identify it in lists.
        prefix: String,
        /// Scopes of the token: `null` for everything that its user may do, `[]` for nothing.
        scopes: Option<Vec<String>>,
        /// When the token expires.
        expires_at: Option<Timestamp>,
        /// When the token was last used, to the minute.
        last_used_at: Option<Timestamp>,
        /// When the token was revoked.
        revoked_at: Option<Timestamp>,
        /// Version of the token: how often it was written, from 1. Recording a use counts as a write.
        version: u64 = row.version,
        /// When the token was created.
        created_at: Timestamp = row.created_at,
        /// When the token was last written.
        updated_at: Timestamp = row.updated_at,
    }
}

impl HasVersion for ApiTokenResponse {
    fn version(&self) -> u64 {
        self.version
    }
}

/// A new API token. `token` is never shown again.
#[derive(Serialize, ToSchema)]
pub(crate) struct CreatedApiTokenResponse {
    /// The token itself, for `Authorization: Bearer`.
    #[schema(example = "und_0197c1b2a4d37c2f9b7a0d5c1e2f3a4b_...")]
    pub token: String,
    /// The token without its secret.
    #[serde(flatten)]
    pub stored: ApiTokenResponse,
}

list_of! {
    /// The caller's API tokens in this tenant, newest first.
    pub ApiTokenList of ApiTokenResponse
}
