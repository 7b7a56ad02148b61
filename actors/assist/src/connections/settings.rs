//! Settings of logins at other servers.

use std::collections::BTreeMap;

use providers::Secret;
use providers::oauth::ClientMetadata;

use super::sha256_hex;

/// Path to which authorization servers redirect users after a login at a tool server.
const TOOL_CALLBACK: &str = "/api/mcp/oauth/callback";
/// Path to which authorization servers redirect users after a login at an external service.
const CALLBACK: &str = "/api/external/callback";
/// Path of this server's client metadata for authorization servers.
const CLIENT_DOCUMENT: &str = "/api/mcp/oauth/client-metadata.json";

/// Settings of logins at other servers.
#[derive(Clone, Debug, Default)]
pub struct ConnectionSettings {
    /// URL under which browsers reach this server, without a trailing slash.
    pub base: String,
    /// The external services, by name.
    pub services: BTreeMap<String, ServiceSettings>,
    /// Preregistered clients at authorization servers of tool servers, by issuer.
    pub clients: BTreeMap<String, ToolClientSettings>,
}

/// Settings of an external service.
#[derive(Clone, Debug, Default)]
pub struct ServiceSettings {
    /// Name that is shown to users.
    pub display_name: String,
    /// Issuer of the tokens. If absent, the endpoints are given instead.
    pub issuer: Option<String>,
    /// Endpoint for logins of users.
    pub authorization_endpoint: Option<String>,
    /// Endpoint that issues tokens.
    pub token_endpoint: Option<String>,
    /// Endpoint that revokes tokens.
    pub revocation_endpoint: Option<String>,
    /// The endpoint that returns the user of a token.
    pub userinfo_endpoint: Option<String>,
    /// The client as which this server is registered at the service.
    pub client: ClientSettings,
    /// Scopes that users are asked to grant.
    pub scopes: Vec<String>,
    /// The resource that the tokens are for, if the authorization server requires it.
    pub resource: Option<String>,
    /// The origins (scheme, host and port) that tokens may be sent to.
    pub origins: Vec<String>,
    /// Whether users return to the callback URL that all services share.
    pub unified_callback: bool,
}

/// The credentials of a registered client.
#[derive(Clone, Debug, Default)]
pub struct ClientSettings {
    pub id: String,
    /// Secret of the client; absent for public clients.
    pub secret: Option<Secret>,
}

/// A preregistered client at an authorization server, and the tool servers that it is for.
#[derive(Clone, Debug, Default)]
pub struct ToolClientSettings {
    pub client: ClientSettings,
    /// The hosts of the tool servers that may use it, with ports that differ from the default: any tool server can name
    /// any authorization server as its own, and would obtain a token from it.
    pub hosts: Vec<String>,
}

impl ConnectionSettings {
    /// The callback URL for authorization servers that identify themselves or are named in the settings.
    pub fn tool_callback(&self) -> String {
        format!("{}{TOOL_CALLBACK}", self.base)
    }

    /// The callback URL for one authorization server only. Responses of other authorization servers do not arrive there,
    /// because those were given different URLs.
    pub fn tool_callback_of(&self, issuer: &str) -> String {
        format!("{}{TOOL_CALLBACK}?as={}", self.base, &sha256_hex(issuer.as_bytes())[..32])
    }

    /// The callback URL for a service. Each service has its own, so that a response for one cannot be passed off as
    /// that of another.
    pub fn callback(&self, service: &str, settings: &ServiceSettings) -> String {
        match settings.unified_callback {
            true => format!("{}{CALLBACK}", self.base),
            false => format!("{}{CALLBACK}/{service}", self.base),
        }
    }

    /// The URL of this server's client metadata document, which is the client ID where such documents are supported.
    pub fn client_document(&self) -> String {
        format!("{}{CLIENT_DOCUMENT}", self.base)
    }

    /// The client metadata that this server sends to authorization servers of tool servers.
    pub fn about(&self, redirect_uri: String) -> ClientMetadata {
        ClientMetadata { name: "Understudy".to_owned(), uri: Some(self.base.clone()), redirect_uri }
    }
}
