//! Dynamic client registration (RFC 7591).

use serde::Deserialize;
use serde_json::json;

use super::tokens::{ANSWER, AuthMethod, Client, TIMEOUT};
use super::{Authority, OAuth, OAuthError};
use crate::Secret;
use crate::web::WebRequest;

/// Maximum length in bytes of a client id and of a client secret.
const MAX_CREDENTIAL_BYTES: usize = 4_096;

/// The metadata with which a client registers.
#[derive(Clone, Debug)]
pub struct ClientMetadata {
    /// The name that is shown to users.
    pub name: String,
    /// `client_uri`: a page about the client.
    pub uri: Option<String>,
    /// The URI to which users are redirected after the login.
    pub redirect_uri: String,
}

impl ClientMetadata {
    /// Returns the metadata document. `method` is the client's authentication method.
    pub fn document(&self, method: AuthMethod) -> serde_json::Value {
        let here = |host: &str| matches!(host, "localhost" | "127.0.0.1" | "[::1]");
        let url = reqwest::Url::parse(&self.redirect_uri).ok();
        let is_here = url.as_ref().and_then(reqwest::Url::host_str).is_some_and(here);
        let mut document = json!({
            "client_name": self.name,
            "redirect_uris": [self.redirect_uri],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": method.as_str(),
            // Only programs on the user's own machine may be reached without TLS.
            "application_type": if is_here { "native" } else { "web" },
        });
        if let Some(uri) = &self.uri {
            document["client_uri"] = uri.as_str().into();
        }
        document
    }
}

/// A client that an authorization server has registered.
#[derive(Clone, Debug)]
pub struct RegisteredClient {
    /// The client's credentials.
    pub client: Client,
    /// When the secret expires, in seconds since 1970; `None` for never.
    pub secret_ends: Option<i64>,
}

#[derive(Deserialize)]
struct Answer {
    client_id: String,
    client_secret: Option<String>,
    #[serde(default)]
    client_secret_expires_at: i64,
    token_endpoint_auth_method: Option<String>,
}

impl OAuth {
    /// Registers a client.
    ///
    /// # Errors
    /// Returns an error if the authorization server does not support registration or refuses this client.
    pub async fn register(
        &self,
        authority: &Authority,
        about: &ClientMetadata,
    ) -> Result<RegisteredClient, OAuthError> {
        let endpoint = authority.registration_endpoint.as_deref();
        let endpoint = endpoint.ok_or_else(|| OAuthError::unfit("clients cannot register there"))?;
        let method = AuthMethod::preferred(&authority.token_auth_methods);
        let json = "application/json".to_owned();
        let answer = self.web.send(WebRequest {
            headers: vec![("content-type".to_owned(), json.clone()), ("accept".to_owned(), json)],
            body: Some(about.document(method).to_string().into()),
            max_bytes: ANSWER,
            timeout: TIMEOUT,
            redirects: false,
            ..WebRequest::new("POST", endpoint)
        });
        let answer = answer.await.map_err(|why| OAuthError::from(why).about("registration"))?;
        if !matches!(answer.status, 200 | 201) {
            return Err(super::tokens::refusal(&answer).about("registration"));
        }
        let it: Answer = serde_json::from_slice(&answer.body)
            .map_err(|_| OAuthError::wrong("registration: the response names no client"))?;
        let fits = |text: &str| {
            !text.is_empty() && text.len() <= MAX_CREDENTIAL_BYTES && text.chars().all(|c| !c.is_control())
        };
        let secret = it.client_secret.filter(|secret| !secret.is_empty());
        if !fits(&it.client_id) || secret.as_deref().is_some_and(|secret| !fits(secret)) {
            return Err(OAuthError::wrong("registration: the response names no client"));
        }
        let method = match it.token_endpoint_auth_method.as_deref() {
            None => method,
            Some(named) => AuthMethod::parse(named).ok_or_else(|| {
                OAuthError::unfit(
                    "registration: the authorization server requires a client authentication method that is not supported",
                )
            })?,
        };
        if method != AuthMethod::None && secret.is_none() {
            return Err(OAuthError::wrong("registration: the response lacks the client secret"));
        }
        Ok(RegisteredClient {
            client: Client { id: it.client_id, secret: secret.map(Secret::from), method },
            secret_ends: Some(it.client_secret_expires_at).filter(|end| *end > 0),
        })
    }
}
