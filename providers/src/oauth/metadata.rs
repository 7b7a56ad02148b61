//! What authorities and resources say of themselves (RFC 8414, 9728).

use serde::{Deserialize, Serialize};

use super::OAuthError;
use super::challenge::scopes;

/// Entries of a list that are read.
const MOST: usize = 100;

/// An authorisation server, as its metadata or the settings have it. Kept with each login: what was begun with an
/// authority is ended with the same one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Authority {
    /// Who it is; empty where the settings name endpoints only.
    pub issuer: String,
    /// Where users log in.
    pub authorization_endpoint: String,
    /// Where tokens are fetched.
    pub token_endpoint: String,
    /// Where tokens are given back.
    pub revocation_endpoint: Option<String>,
    /// Where clients register.
    pub registration_endpoint: Option<String>,
    /// Where the user is told by whose token it is.
    pub userinfo_endpoint: Option<String>,
    /// The scopes that it tells of.
    pub scopes_supported: Vec<String>,
    /// How clients may show who they are at the token endpoint.
    pub token_auth_methods: Vec<String>,
    /// Whether it says that it takes PKCE by `S256`.
    pub s256: bool,
    /// Whether it names itself in each answer (RFC 9207).
    pub names_itself: bool,
    /// Whether a client may be known by the address of a document about it.
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
    /// Reads its document, which has to be that of `issuer`; `private` says of an address whether it may be trusted with
    /// secrets.
    pub(super) fn read(
        json: &[u8],
        issuer: &str,
        private: impl Fn(&str) -> bool,
    ) -> Result<Self, OAuthError> {
        let read = serde_json::from_slice::<AuthorityDocument>(json);
        let it = read.map_err(|why| OAuthError::wrong(format!("its metadata does not read: {why}")))?;
        if it.issuer != issuer {
            let other = super::error::shown(&it.issuer);
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
        if it.response_types_supported.is_some_and(|kinds| !kinds.iter().any(|kind| kind == "code")) {
            return Err(OAuthError::unfit("it gives no authorization codes"));
        }
        let methods = it.code_challenge_methods_supported.unwrap_or_default();
        Ok(Self {
            issuer: it.issuer,
            authorization_endpoint: it.authorization_endpoint,
            token_endpoint: it.token_endpoint,
            revocation_endpoint: it.revocation_endpoint,
            registration_endpoint: it.registration_endpoint,
            userinfo_endpoint: it.userinfo_endpoint,
            scopes_supported: few(it.scopes_supported),
            token_auth_methods: few(it.token_endpoint_auth_methods_supported),
            s256: methods.iter().any(|method| method == "S256"),
            names_itself: it.authorization_response_iss_parameter_supported.unwrap_or_default(),
            client_documents: it.client_id_metadata_document_supported.unwrap_or_default(),
        })
    }
}

/// A server that wants tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// What tokens are asked for, and are good for.
    pub resource: String,
    /// Who gives them, in order of preference.
    pub authorities: Vec<String>,
    /// The scopes that it tells of.
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
    /// Reads its document, which has to be about `server`.
    pub(super) fn read(json: &[u8], server: &str) -> Result<Self, OAuthError> {
        let read = serde_json::from_slice::<ResourceDocument>(json);
        let it = read
            .map_err(|why| OAuthError::wrong(format!("the metadata of the server does not read: {why}")))?;
        if !covers(&it.resource, server) {
            let other = super::error::shown(&it.resource);
            return Err(OAuthError::wrong(format!(
                "the metadata of the server is about another one, {other:?}"
            )));
        }
        let authorities = few(it.authorization_servers);
        if authorities.is_empty() {
            return Err(OAuthError::wrong("the metadata of the server names no authorization server"));
        }
        Ok(Self { resource: it.resource, authorities, scopes: few(it.scopes_supported) })
    }
}

/// Whether a resource is a server, or what it lies under: the same origin, and a path that its path begins with, by
/// whole steps. A token for anything else could be used by somebody else.
pub fn covers(resource: &str, server: &str) -> bool {
    let (Ok(resource), Ok(server)) = (reqwest::Url::parse(resource), reqwest::Url::parse(server)) else {
        return false;
    };
    if resource.origin() != server.origin() || resource.fragment().is_some() {
        return false;
    }
    if resource.query().is_some() && resource.query() != server.query() {
        return false;
    }
    let (above, path) = (resource.path().trim_end_matches('/'), server.path().trim_end_matches('/'));
    path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn check(name: &str, address: &str, private: &impl Fn(&str) -> bool) -> Result<(), OAuthError> {
    let parsed = reqwest::Url::parse(address).ok();
    let plain = parsed
        .is_some_and(|url| url.username().is_empty() && url.password().is_none() && url.fragment().is_none());
    match plain && address.len() <= 2_048 && private(address) {
        true => Ok(()),
        false => Err(OAuthError::wrong(format!("its {name} is no address that begins with https://"))),
    }
}

fn few(list: Option<Vec<String>>) -> Vec<String> {
    let mut list = list.unwrap_or_default();
    list.truncate(MOST);
    list.retain(|entry| scopes(entry).len() == 1 || entry.starts_with("http"));
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resource_is_the_server_or_above_it() {
        let server = "https://tools.example/team/mcp";
        for good in [
            "https://tools.example/team/mcp",
            "https://tools.example",
            "https://tools.example/",
            "https://tools.example/team",
        ] {
            assert!(covers(good, server), "{good}");
        }
        for bad in [
            "https://tools.example/team/mcp2",
            "https://tools.example/te",
            "https://tools.example/team/mcp/more",
            "http://tools.example/team/mcp",
            "https://tools.example:444/team/mcp",
            "https://other.example/team/mcp",
            "https://tools.example/#x",
            "https://tools.example/?tenant=1",
            "tools.example",
            "",
        ] {
            assert!(!covers(bad, server), "{bad}");
        }
    }

    #[test]
    fn a_document_of_somebody_else_is_refused() {
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
