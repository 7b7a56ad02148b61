//! What the settings say of logins.

use std::collections::BTreeMap;

use providers::Secret;
use providers::oauth::ClientMetadata;

use super::sha256_hex;

/// Where authorities send users back to after a login at a tool server.
const TOOL_CALLBACK: &str = "/api/mcp/oauth/callback";
/// Where authorities send users back to after a login at an external service.
const CALLBACK: &str = "/api/external/callback";
/// The path of this server's client metadata, for authorities.
const CLIENT_DOCUMENT: &str = "/api/mcp/oauth/client-metadata.json";

/// What the settings say of logins.
#[derive(Clone, Debug, Default)]
pub struct ConnectionSettings {
    /// The address under which browsers reach this server, without a slash at its end.
    pub base: String,
    /// The external services, by name.
    pub services: BTreeMap<String, ServiceSettings>,
    /// As what this server is known already to the authorities of tool servers, by issuer.
    pub clients: BTreeMap<String, ToolClientSettings>,
}

/// An external service.
#[derive(Clone, Debug, Default)]
pub struct ServiceSettings {
    /// The name shown.
    pub display_name: String,
    /// Who gives tokens; or else the endpoints are named.
    pub issuer: Option<String>,
    /// Where users log in.
    pub authorization_endpoint: Option<String>,
    /// Where tokens are fetched.
    pub token_endpoint: Option<String>,
    /// Where tokens are given back.
    pub revocation_endpoint: Option<String>,
    /// The endpoint that returns the user of a token.
    pub userinfo_endpoint: Option<String>,
    /// As what this server is known there.
    pub client: ClientSettings,
    /// What users are asked to allow.
    pub scopes: Vec<String>,
    /// The resource that the tokens are for, where the authority requires it.
    pub resource: Option<String>,
    /// The servers (scheme, host and port) that tokens may be sent to.
    pub origins: Vec<String>,
    /// Whether users come back to the address that all services share.
    pub unified_callback: bool,
}

/// As what this server is known somewhere.
#[derive(Clone, Debug, Default)]
pub struct ClientSettings {
    pub id: String,
    /// The secret; public clients have none.
    pub secret: Option<Secret>,
}

/// As what this server is known to an authority of tool servers, and for which of them.
#[derive(Clone, Debug, Default)]
pub struct ToolClientSettings {
    pub client: ClientSettings,
    /// The hosts of the tool servers that it is for, with their ports where those are not the usual ones: any tool server
    /// can name any authority as its own, and would get a token of it.
    pub hosts: Vec<String>,
}

impl ConnectionSettings {
    /// Where users come back to from the authorities that name themselves, or that the settings name.
    pub fn tool_callback(&self) -> String {
        format!("{}{TOOL_CALLBACK}", self.base)
    }

    /// Where users come back to from one authority alone: an answer of another one does not come there, since that one
    /// has been told of another place.
    pub fn tool_callback_of(&self, issuer: &str) -> String {
        format!("{}{TOOL_CALLBACK}?as={}", self.base, &sha256_hex(issuer.as_bytes())[..32])
    }

    /// Where users come back to from a service. Each has a place of its own, so that an answer meant for one cannot be
    /// passed off as that of another.
    pub fn callback(&self, service: &str, settings: &ServiceSettings) -> String {
        match settings.unified_callback {
            true => format!("{}{CALLBACK}", self.base),
            false => format!("{}{CALLBACK}/{service}", self.base),
        }
    }

    /// The address of the document about this server, which is its id where authorities read such documents.
    pub fn client_document(&self) -> String {
        format!("{}{CLIENT_DOCUMENT}", self.base)
    }

    /// What this server says of itself to the authorities of tool servers.
    pub fn about(&self, redirect_uri: String) -> ClientMetadata {
        ClientMetadata { name: "Understudy".to_owned(), uri: Some(self.base.clone()), redirect_uri }
    }
}
