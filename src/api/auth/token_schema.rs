//! What the operations on API tokens take and answer.

use crate::http::{Faults, HasVersion, Scope, Validate, list_of, record_view};
use domain::accounts::NewToken;
use serde::{Deserialize, Deserializer, Serialize};
use storage::records::{ApiToken, Role};
use storage::{Row, Timestamp};
use utoipa::ToSchema;
use uuid::Uuid;

/// A scope.
#[derive(Serialize, ToSchema)]
pub(crate) struct TokenScope {
    /// Its name, as tokens carry it.
    pub scope: &'static str,
    /// What it allows.
    pub description: &'static str,
    /// The role without which it allows nothing.
    pub least_role: Role,
    /// Whether the caller's role allows it at present.
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
    /// Every scope there is.
    pub TokenScopeList of TokenScope
}

/// An API token to be made.
#[derive(Deserialize, ToSchema)]
pub(crate) struct CreateApiTokenRequest {
    /// What its owner calls it.
    #[schema(min_length = 1, max_length = 100)]
    pub name: String,
    /// What it may be used for: `null` for everything its user may do, `[]` for nothing.
    #[schema(example = json!(["conversations:read"]))]
    pub scopes: Option<Vec<String>>,
    /// When it ends by itself; `null` for never, where the tenant allows that.
    pub expires_at: Option<Timestamp>,
}

impl Validate for CreateApiTokenRequest {
    fn validate(&self, faults: &mut Faults) {
        NewToken::check(faults, &self.name, self.scopes.as_deref(), self.expires_at);
    }
}

/// What an API token becomes. Nothing may be left out, so that nothing is widened by accident.
#[derive(Deserialize, ToSchema)]
pub(crate) struct UpdateApiTokenBody {
    /// What its owner calls it.
    #[schema(min_length = 1, max_length = 100)]
    pub name: String,
    /// What it may be used for: `null` for everything its user may do, `[]` for nothing.
    #[serde(deserialize_with = "required_option")]
    #[schema(required = true, example = json!(["conversations:read"]))]
    pub scopes: Option<Vec<String>>,
    /// When it ends by itself; `null` for never, where the tenant allows that.
    #[serde(deserialize_with = "required_option")]
    #[schema(required = true)]
    pub expires_at: Option<Timestamp>,
    /// The version last seen; without it, and without `If-Match`, any.
    pub version: Option<u64>,
}

/// Makes an optional value's key obligatory.
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
        /// The token's id.
        id: Uuid = row.id,
        /// The name that its owner gave it.
        name: String,
        /// Its first characters, which identify it in lists.
        prefix: String,
        /// What it may be used for: `null` for everything its user may do, `[]` for nothing.
        scopes: Option<Vec<String>>,
        /// When it expires.
        expires_at: Option<Timestamp>,
        /// When it was last used, to the minute.
        last_used_at: Option<Timestamp>,
        /// When it was revoked.
        revoked_at: Option<Timestamp>,
        /// How often it was written, from 1; noting a use counts.
        version: u64 = row.version,
        /// When it was created.
        created_at: Timestamp = row.created_at,
        /// When it was last written.
        updated_at: Timestamp = row.updated_at,
    }
}

impl HasVersion for ApiTokenResponse {
    fn version(&self) -> u64 {
        self.version
    }
}

/// A new API token. `token` is shown here and never again.
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
