//! Metadata documents of authorization servers and protected resources (RFC 8414, 9728).

use serde::{Deserialize, Serialize};

use reqwest::Url;

use super::OAuthError;
use super::challenge::{MAX_ADDRESS_LENGTH, scopes};

/// Maximum number of entries that are read of a list of URLs.
const MAX_ENTRIES: usize = 20;
/// Query parameters that a login sets on the authorization endpoint, or that could override them.
const OURS: [&str; 12] = [
    "client_id",
    "redirect_uri",
    "state",
    "scope",
    "resource",
    "response_type",
    "response_mode",
    "code_challenge",
    "code_challenge_method",
    "prompt",
    "request",
    "request_uri",
];

/// An authorization server, from its metadata or the settings. Stored with each login, so that a login completes at
/// the authorization server at which it began.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Authority {
    /// The issuer; empty if the settings name only endpoints.
    pub issuer: String,
    /// The endpoint to which browsers are sent for a login.
    pub authorization_endpoint: String,
    /// The endpoint at which codes and refresh tokens are exchanged.
    pub token_endpoint: String,
    /// The endpoint for token revocation.
    pub revocation_endpoint: Option<String>,
    /// The endpoint for dynamic client registration (RFC 7591).
    pub registration_endpoint: Option<String>,
    /// The endpoint that returns the account of a token's user.
    pub userinfo_endpoint: Option<String>,
    /// The scopes listed in the metadata.
    pub scopes_supported: Vec<String>,
    /// The client authentication methods of the token endpoint.
    pub token_auth_methods: Vec<String>,
    /// Whether the metadata declares support for PKCE with `S256`.
    pub s256: bool,
    /// Whether authorization responses contain the issuer (RFC 9207).
    pub names_itself: bool,
    /// Whether the URL of a metadata document is accepted as a client id.
    pub client_documents: bool,
}

#[derive(Deserialize)]
#[serde(default)]
#[derive(Default)]
struct AuthorityDocument {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    revocation_endpoint: Option<String>,
    registration_endpoint: Option<String>,
    userinfo_endpoint: Option<String>,
    scopes_supported: Option<Vec<String>>,
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
    code_challenge_methods_supported: Option<Vec<String>>,
    response_types_supported: Option<Vec<String>>,
    authorization_response_iss_parameter_supported: Option<bool>,
    client_id_metadata_document_supported: Option<bool>,
}

impl Authority {
    /// Parses a metadata document, which must belong to `issuer`. `private` returns whether secrets may be sent to a
    /// URL.
    pub(super) fn read(
        json: &[u8],
        issuer: &str,
        private: impl Fn(&str) -> bool,
    ) -> Result<Self, OAuthError> {
        let read = serde_json::from_slice::<AuthorityDocument>(json);
        let it = read.map_err(|why| OAuthError::wrong(format!("its metadata cannot be parsed: {why}")))?;
        if it.issuer != issuer {
            let other = super::error::printable(&it.issuer);
            return Err(OAuthError::wrong(format!("its metadata is that of another issuer, {other:?}")));
        }
        let needed =
            [("authorization_endpoint", &it.authorization_endpoint), ("token_endpoint", &it.token_endpoint)];
        if let Some((name, _)) = needed.iter().find(|(_, address)| address.is_empty()) {
            return Err(OAuthError::wrong(format!("its metadata names no {name}")));
        }
        let optional = [
            ("revocation_endpoint", &it.revocation_endpoint),
            ("registration_endpoint", &it.registration_endpoint),
            ("userinfo_endpoint", &it.userinfo_endpoint),
        ];
        let optional = optional.iter().filter_map(|(name, at)| Some((*name, at.as_ref()?)));
        for (name, address) in needed.into_iter().chain(optional) {
            check(name, address, &private)?;
        }
        check_query(&it.authorization_endpoint)?;
        if it.response_types_supported.is_some_and(|kinds| !kinds.iter().any(|kind| kind == "code")) {
            return Err(OAuthError::unfit("it does not support authorization codes"));
        }
        let methods = it.code_challenge_methods_supported.unwrap_or_default();
        Ok(Self {
            issuer: it.issuer,
            authorization_endpoint: it.authorization_endpoint,
            token_endpoint: it.token_endpoint,
            revocation_endpoint: it.revocation_endpoint,
            registration_endpoint: it.registration_endpoint,
            userinfo_endpoint: it.userinfo_endpoint,
            scopes_supported: words(it.scopes_supported),
            token_auth_methods: words(it.token_endpoint_auth_methods_supported),
            s256: methods.iter().any(|method| method == "S256"),
            names_itself: it.authorization_response_iss_parameter_supported.unwrap_or_default(),
            client_documents: it.client_id_metadata_document_supported.unwrap_or_default(),
        })
    }

    /// Whether the authorization and token endpoints have the issuer's origin. A document that names endpoints of
    /// another origin may be an attempt to steal codes.
    pub fn uses_only_issuer_origin(&self) -> bool {
        let origin = |address: &str| Url::parse(address).ok().map(|url| url.origin());
        let own = origin(&self.issuer);
        let endpoints = [&self.authorization_endpoint, &self.token_endpoint];
        own.is_some() && endpoints.into_iter().all(|endpoint| origin(endpoint) == own)
    }
}

/// A protected resource: a server that requires tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// The resource identifier for which tokens are requested and valid.
    pub resource: String,
    /// The issuers of its authorization servers, in order of preference.
    pub authorities: Vec<String>,
    /// The scopes listed in the metadata.
    pub scopes: Vec<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ResourceDocument {
    resource: String,
    authorization_servers: Option<Vec<String>>,
    scopes_supported: Option<Vec<String>>,
}

impl Resource {
    /// Parses a metadata document. It must describe `server`, or the whole host if it lies at the host's root; `at`
    /// is the URL from which it was fetched.
    pub(super) fn read(json: &[u8], server: &str, at: &str) -> Result<Self, OAuthError> {
        let read = serde_json::from_slice::<ResourceDocument>(json);
        let it = read.map_err(|why| {
            OAuthError::wrong(format!("the metadata of the server cannot be parsed: {why}"))
        })?;
        if !is_about(&it.resource, server, at) {
            let other = super::error::printable(&it.resource);
            return Err(OAuthError::wrong(format!(
                "the metadata of the server is about another one, {other:?}"
            )));
        }
        let authorities = addresses(it.authorization_servers);
        if authorities.is_empty() {
            return Err(OAuthError::wrong("the metadata of the server names no authorization server"));
        }
        Ok(Self { resource: it.resource, authorities, scopes: words(it.scopes_supported) })
    }
}

/// The path of the metadata of a whole host.
const ROOT: &str = "/.well-known/oauth-protected-resource";

/// Whether a document fetched from `at` describes `server`: its resource equals the server's URL (except for a
/// trailing slash), or it is the host's metadata and names the host (RFC 9728 §3.3). A token for any other resource
/// could be misused by another server.
fn is_about(resource: &str, server: &str, at: &str) -> bool {
    let parsed = [resource, server, at].map(|address| Url::parse(address).ok());
    let [Some(resource), Some(server), Some(at)] = parsed else { return false };
    if resource.origin() != server.origin() || resource.fragment().is_some() {
        return false;
    }
    let path = |url: &Url| url.path().trim_end_matches('/').to_owned();
    if path(&resource) == path(&server) && resource.query() == server.query() {
        return true;
    }
    let is_root = at.origin() == server.origin() && at.path() == ROOT && at.query().is_none();
    is_root && path(&resource).is_empty() && resource.query().is_none()
}

fn check(name: &str, address: &str, private: &impl Fn(&str) -> bool) -> Result<(), OAuthError> {
    let parsed = Url::parse(address).ok();
    let plain = parsed
        .is_some_and(|url| url.username().is_empty() && url.password().is_none() && url.fragment().is_none());
    match plain && address.len() <= MAX_ADDRESS_LENGTH && private(address) {
        true => Ok(()),
        false => Err(OAuthError::wrong(format!("its {name} is not a URL that begins with https://"))),
    }
}

/// Rejects an endpoint whose query contains a login parameter, since it could override the value that the login
/// sends.
fn check_query(endpoint: &str) -> Result<(), OAuthError> {
    let url =
        Url::parse(endpoint).map_err(|_| OAuthError::wrong("its authorization_endpoint does not parse"))?;
    match url.query_pairs().find(|(name, _)| OURS.contains(&name.as_ref())) {
        Some((name, _)) => {
            Err(OAuthError::wrong(format!("its authorization_endpoint has a {name} of its own")))
        }
        None => Ok(()),
    }
}

fn words(list: Option<Vec<String>>) -> Vec<String> {
    scopes(&list.unwrap_or_default().join(" "))
}

fn addresses(list: Option<Vec<String>>) -> Vec<String> {
    let mut list = list.unwrap_or_default();
    list.retain(|entry| entry.starts_with("http") && entry.len() <= MAX_ADDRESS_LENGTH);
    list.truncate(MAX_ENTRIES);
    list
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn is_about_accepts_the_server_or_its_host() {
        let (server, root) =
            ("https://tools.example/team/mcp", "https://tools.example/.well-known/oauth-protected-resource");
        let own = format!("{root}/team/mcp");
        for (good, at) in [
            ("https://tools.example/team/mcp", own.as_str()),
            ("https://tools.example/team/mcp/", own.as_str()),
            ("https://tools.example/team/mcp", root),
            ("https://tools.example", root),
            ("https://tools.example/", root),
        ] {
            assert!(is_about(good, server, at), "{good} at {at}");
        }
        for (bad, at) in [
            ("https://tools.example", own.as_str()),
            ("https://tools.example/", "https://other.example/.well-known/oauth-protected-resource"),
            ("https://tools.example/", "https://tools.example/.well-known/oauth-protected-resource?x"),
            ("https://tools.example/team", root),
            ("https://tools.example/team/mcp2", root),
            ("https://tools.example/team/mcp/more", root),
            ("http://tools.example/team/mcp", root),
            ("https://tools.example:444/team/mcp", root),
            ("https://other.example/team/mcp", root),
            ("https://tools.example/#x", root),
            ("https://tools.example/?tenant=1", root),
            ("tools.example", root),
            ("", root),
        ] {
            assert!(!is_about(bad, server, at), "{bad} at {at}");
        }
    }

    #[test]
    fn authority_read_limits_list_sizes() {
        let document = json!({"issuer": "https://a.example", "authorization_endpoint": "https://a.example/login?tenant=x",
            "token_endpoint": "https://b.example/token", "scopes_supported": ["a", "b".repeat(1_000), "c"]});
        let read = |document: &serde_json::Value| {
            Authority::read(document.to_string().as_bytes(), "https://a.example", |at| {
                at.starts_with("https://")
            })
        };
        let mut it = read(&document).unwrap();
        assert_eq!(it.scopes_supported, ["a", "c"]);
        assert!(!it.uses_only_issuer_origin());
        it.token_endpoint = "https://a.example:443/token".into();
        assert!(it.uses_only_issuer_origin());
        for name in OURS {
            let mut other = document.clone();
            other["authorization_endpoint"] = format!("https://a.example/login?x=1&{name}=evil").into();
            assert!(read(&other).is_err(), "{name}");
        }
    }

    #[test]
    fn keeps_to_itself_detects_endpoints_of_another_origin() {
        let document = |issuer: &str, token: &str| {
            format!(
                r#"{{"issuer": "{issuer}", "authorization_endpoint": "https://a.example/login", "token_endpoint": "{token}",
                "code_challenge_methods_supported": ["plain", "S256"]}}"#
            )
        };
        let read = |issuer: &str, token: &str| {
            let document = document(issuer, token);
            Authority::read(document.as_bytes(), "https://a.example", |at| at.starts_with("https://"))
        };
        assert!(read("https://a.example", "https://a.example/token").unwrap().s256);
        assert!(read("https://a.example/", "https://a.example/token").is_err());
        assert!(read("https://b.example", "https://a.example/token").is_err());
        assert!(read("https://a.example", "http://a.example/token").is_err());
        assert!(read("https://a.example", "https://u:p@a.example/token").is_err());
        assert!(read("https://a.example", "").is_err());
    }
}
