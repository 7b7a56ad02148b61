//! What is asked for, and what is answered, about logins at tool servers.

use assist::connections::{Prepared, Registration, ServerStanding};
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
    /// Which of its tool servers, by the name that the assistant has for it.
    #[schema(max_length = 32)]
    pub server: String,
    /// Where the browser is sent at the end: a path of this server. `login=ok` or `login_error=<code>` is added to it.
    #[schema(max_length = 1000)]
    pub return_to: Option<String>,
}

impl Validate for McpOauthPrepareBody {
    fn validate(&self, faults: &mut Faults) {
        check_return_to(faults, self.return_to.as_deref());
    }
}

/// A login that may begin.
#[derive(Debug, Serialize, ToSchema)]
pub struct McpOauthPrepareResponse {
    /// The page of the authorization server, for the user's browser.
    pub authorization_url: String,
    /// Who the authorization server is.
    pub issuer: String,
    /// What the tokens will be good for, and for nothing else.
    pub resource: String,
    /// What the user is asked to allow.
    pub scopes: Vec<String>,
    /// How this server came to be known to the authorization server.
    pub registration: Registration,
    /// Until when the login has to have ended.
    pub expires_at: Timestamp,
}

impl From<Prepared> for McpOauthPrepareResponse {
    fn from(prepared: Prepared) -> Self {
        let Prepared { authorization_url, issuer, resource, scopes, registration, expires_at, .. } = prepared;
        let resource = resource.unwrap_or_default();
        Self { authorization_url, issuer, resource, scopes, registration, expires_at }
    }
}

/// Which login is to end.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct McpOauthDisconnectBody {
    /// The tool server, by the name that the assistant has for it.
    #[schema(max_length = 32)]
    pub server: String,
}

impl Validate for McpOauthDisconnectBody {}

/// The caller's logins at the tool servers of an assistant.
#[derive(Debug, Serialize, ToSchema)]
pub struct McpOauthStatusResponse {
    /// Each of them, in the assistant's order.
    pub items: Vec<ServerStanding>,
}
