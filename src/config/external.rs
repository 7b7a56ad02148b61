//! Settings of services at which users log in by OAuth.

use assist::connections::{ClientSettings, ServiceSettings};
use providers::Secret;
use serde::Deserialize;

/// A service at which users log in.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExternalServiceConfig {
    /// The displayed name; the name of the table by default.
    pub display_name: Option<String>,
    pub description: Option<String>,
    /// The issuer, whose metadata contains the endpoints. Without it, both endpoints are required.
    pub issuer: Option<String>,
    /// The URL at which users log in.
    pub authorization_endpoint: Option<String>,
    /// The URL from which tokens are requested.
    pub token_endpoint: Option<String>,
    /// The URL at which tokens are revoked.
    pub revocation_endpoint: Option<String>,
    /// The URL that returns the account to which a token belongs, if it differs from the issuer's metadata.
    pub userinfo_endpoint: Option<String>,
    /// The resource that the tokens are for, if the authorization server requires it (RFC 8707).
    pub resource: Option<String>,
    /// The hosts that tokens may be sent to for functions of skills and `http` nodes: `api.example.org`,
    /// `api.example.org:8443`. A host that receives them without TLS is written with its scheme.
    #[serde(default)]
    pub hosts: Vec<String>,
    /// Whether users return to `/api/external/callback` instead of the service's own address below it.
    #[serde(default)]
    pub unified_callback: bool,
    /// The client id of this server at the service.
    pub client_id: String,
    /// The client secret, or `env:NAME` to read it from the environment; public clients have none.
    pub client_secret: Option<Secret>,
    /// The scopes that users are asked to grant.
    #[serde(default)]
    pub scopes: Vec<String>,
}

impl ExternalServiceConfig {
    pub fn check(&self, name: &str) -> Result<(), String> {
        let key = format!("external_services.{name}");
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
        if name.is_empty() || name.len() > 63 || !name.chars().all(plain) {
            return Err(format!(
                "{key}: a name must have at most 63 lower-case letters, digits, `-` and `_`"
            ));
        }
        match (&self.issuer, &self.authorization_endpoint, &self.token_endpoint) {
            (Some(_), None, None) | (None, Some(_), Some(_)) => {}
            _ => {
                return Err(format!(
                    "{key} needs `issuer`, or `authorization_endpoint` and `token_endpoint`"
                ));
            }
        }
        let addresses = [
            ("issuer", &self.issuer),
            ("authorization_endpoint", &self.authorization_endpoint),
            ("token_endpoint", &self.token_endpoint),
            ("revocation_endpoint", &self.revocation_endpoint),
            ("userinfo_endpoint", &self.userinfo_endpoint),
        ];
        for (field, address) in addresses {
            if address.as_deref().is_some_and(|address| !is_safe(address)) {
                return Err(format!(
                    "{key}.{field} must begin with https://, or with http:// on this machine"
                ));
            }
        }
        if let Some(host) = self.hosts.iter().find(|host| origin_of(host).is_none()) {
            return Err(format!("{key}.hosts: `{host}` is not a valid host"));
        }
        match self.client_id.trim().is_empty() {
            true => Err(format!("{key}.client_id is empty")),
            false => Ok(()),
        }
    }
}

impl ExternalServiceConfig {
    /// The settings in the form that logins take. `lookup` reads the environment.
    pub(super) fn settings(
        &self,
        name: &str,
        lookup: &impl Fn(&str) -> Option<String>,
    ) -> Result<ServiceSettings, String> {
        let key = format!("external_services.{name}.client_secret");
        Ok(ServiceSettings {
            display_name: self.display_name.clone().unwrap_or_else(|| name.to_owned()),
            issuer: self.issuer.clone(),
            authorization_endpoint: self.authorization_endpoint.clone(),
            token_endpoint: self.token_endpoint.clone(),
            revocation_endpoint: self.revocation_endpoint.clone(),
            userinfo_endpoint: self.userinfo_endpoint.clone(),
            client: client(&key, &self.client_id, self.client_secret.as_ref(), lookup)?,
            scopes: self.scopes.clone(),
            resource: self.resource.clone(),
            origins: self.hosts.iter().filter_map(|host| origin_of(host)).collect(),
            unified_callback: self.unified_callback,
        })
    }
}

/// A client with its secret, which is read from the settings or from the environment.
pub fn client(
    key: &str,
    id: &str,
    secret: Option<&Secret>,
    lookup: &impl Fn(&str) -> Option<String>,
) -> Result<ClientSettings, String> {
    let read = |secret: &Secret| match secret.variable() {
        None => Ok(secret.clone()),
        Some(name) => {
            let value = lookup(name).filter(|value| !value.trim().is_empty());
            value.map(Secret::from).ok_or_else(|| format!("{key}: the variable {name} is not set"))
        }
    };
    Ok(ClientSettings { id: id.to_owned(), secret: secret.map(read).transpose()? })
}

/// The scheme, host and port of a server, with TLS unless the text states another scheme.
pub fn origin_of(host: &str) -> Option<String> {
    let text = if host.contains("://") { host.to_owned() } else { format!("https://{host}") };
    let url = reqwest::Url::parse(&text).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let bare =
        url.path() == "/" && url.query().is_none() && url.host().is_some() && url.username().is_empty();
    bare.then(|| url.origin().ascii_serialization())
}

/// Whether secrets can be sent to this address confidentially.
pub(super) fn is_safe(address: &str) -> bool {
    let local = ["http://127.0.0.1", "http://localhost", "http://[::1]"];
    let is_local = |start: &str| {
        address.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/']))
    };
    address.strip_prefix("https://").is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/'))
        || local.into_iter().any(is_local)
}
