//! Requests and responses of logins at tool servers.

use assist::connections::{PreparedLogin, Registration, ServerStanding};
use serde::{Deserialize, Serialize};
use storage::Timestamp;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::api::logins::check_return_to;
use crate::http::{Faults, Validate};

/// The tool server to log in to.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct McpOauthPrepareBody {
    pub assistant_id: Uuid,
    /// The name of the tool server in the assistant's settings.
    #[schema(max_length = 32)]
    pub server: String,
    /// The path of this server to which the browser is redirected after the login. `login=ok` or
    /// `login_error=<code>` is added to its query.
    #[schema(max_length = 1000)]
    pub return_to: Option<String>,
}

impl Validate for McpOauthPrepareBody {
    fn validate(&self, faults: &mut Faults) {
        check_return_to(faults, self.return_to.as_deref());
    }
}

/// A prepared login.
#[derive(Debug, Serialize, ToSchema)]
pub struct McpOauthPrepareResponse {
    /// The page of the authorization server, to open in the user's browser.
    pub authorization_url: String,
    /// The issuer identifier of the authorization server.
    pub issuer: String,
    /// The only resource for which the tokens are valid.
    pub resource: String,
    /// The OAuth scopes that the user is asked to grant.
    pub scopes: Vec<String>,
    /// How this server registered with the authorization server.
    pub registration: Registration,
    /// The time by which the login must be completed.
    pub expires_at: Timestamp,
}

impl From<PreparedLogin> for McpOauthPrepareResponse {
    fn from(prepared: PreparedLogin) -> Self {
        let PreparedLogin { authorization_url, issuer, resource, scopes, registration, expires_at, .. } =
            prepared;
        let resource = resource.unwrap_or_default();
        Self { authorization_url, issuer, resource, scopes, registration, expires_at }
    }
}

/// The login to end.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct McpOauthDisconnectBody {
    /// The name of the tool server in the assistant's settings.
    #[schema(max_length = 32)]
    pub server: String,
}

impl Validate for McpOauthDisconnectBody {}

/// The caller's logins at the tool servers of an assistant.
#[derive(Debug, Serialize, ToSchema)]
pub struct McpOauthStatusResponse {
    /// The logins, in the order of the assistant's tool servers.
    pub items: Vec<ServerStanding>,
}
