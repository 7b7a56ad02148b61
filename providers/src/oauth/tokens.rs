//! The token endpoint: exchanges codes, refreshes tokens, and revokes them (RFC 6749, 7009).

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use reqwest::Url;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::challenge::scopes;
use super::{Authority, OAuth, OAuthError};
use crate::Secret;
use crate::web::{WebAnswer, WebRequest};

/// Size limit in bytes and timeout of a response.
pub(super) const ANSWER: u64 = 128 << 10;
pub(super) const TIMEOUT: Duration = Duration::from_secs(20);
/// Maximum length of a token in bytes.
const MAX_TOKEN_BYTES: usize = 32 << 10;
/// Upper limit of a token's lifetime in seconds; longer lifetimes are reduced to it.
const MAX_LIFETIME: u64 = 10 * 365 * 24 * 60 * 60;
/// Maximum length of an account name in characters.
const ACCOUNT: usize = 200;

/// How a client authenticates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuthMethod {
    /// No client authentication; only PKCE protects the exchange.
    #[default]
    None,
    /// `client_secret_basic`: HTTP's basic authentication.
    Basic,
    /// `client_secret_post`: form fields.
    Post,
}

impl AuthMethod {
    /// The name in server metadata.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Basic => "client_secret_basic",
            Self::Post => "client_secret_post",
        }
    }

    /// Parses the name in server metadata.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::None, Self::Basic, Self::Post].into_iter().find(|method| method.as_str() == name)
    }

    /// Returns the method that a new client requests: none if the server supports that.
    pub(super) fn preferred(supported: &[String]) -> Self {
        let has = |method: Self| supported.iter().any(|name| name == method.as_str());
        [Self::None, Self::Basic, Self::Post].into_iter().find(|method| has(*method)).unwrap_or(Self::Basic)
    }

    /// Returns the method for a client with or without a secret.
    pub fn with(secret: Option<&Secret>, supported: &[String]) -> Self {
        let has = |method: Self| supported.iter().any(|name| name == method.as_str());
        match secret {
            None => Self::None,
            Some(_) if has(Self::Post) && !has(Self::Basic) => Self::Post,
            Some(_) => Self::Basic,
        }
    }
}

/// The credentials of this server at an authorization server.
#[derive(Clone, Debug)]
pub struct Client {
    pub id: String,
    /// The client secret; `None` for public clients.
    pub secret: Option<Secret>,
    /// How the client authenticates.
    pub method: AuthMethod,
}

/// The parameters of an authorization request.
#[derive(Clone, Debug)]
pub struct Ask<'a> {
    pub client_id: &'a str,
    /// The URI to which the user is redirected after the login.
    pub redirect_uri: &'a str,
    /// The value that identifies this login.
    pub state: &'a str,
    /// The PKCE challenge of the verifier, see [`challenge`](super::challenge_of_verifier).
    pub challenge: &'a str,
    /// The requested scopes.
    pub scopes: &'a [String],
    /// The resource for which tokens are requested (RFC 8707).
    pub resource: Option<&'a str>,
}

impl Authority {
    /// Returns the URL that the user's browser opens.
    ///
    /// # Errors
    /// Returns an error if the authorization endpoint is not a valid URL.
    pub fn ask(&self, ask: &Ask<'_>) -> Result<String, OAuthError> {
        let url = Url::parse(&self.authorization_endpoint);
        let mut url = url.map_err(|_| OAuthError::wrong("the authorization endpoint does not parse"))?;
        let mut query = url.query_pairs_mut();
        query.append_pair("response_type", "code").append_pair("client_id", ask.client_id);
        query.append_pair("redirect_uri", ask.redirect_uri).append_pair("state", ask.state);
        query.append_pair("code_challenge", ask.challenge).append_pair("code_challenge_method", "S256");
        if !ask.scopes.is_empty() {
            query.append_pair("scope", &ask.scopes.join(" "));
            // OpenID Connect issues refresh tokens only where this scope was requested.
            if ask.scopes.iter().any(|scope| scope == "offline_access") {
                query.append_pair("prompt", "consent");
            }
        }
        if let Some(resource) = ask.resource {
            query.append_pair("resource", resource);
        }
        drop(query);
        Ok(url.into())
    }
}

/// Tokens that an authorization server issued.
#[derive(Clone, Debug)]
pub struct Tokens {
    pub access: Secret,
    /// The token for refreshing the access token, if one was issued.
    pub refresh: Option<Secret>,
    /// Lifetime of the access token in seconds; `None` if the response does not contain it.
    pub expires_in: Option<u64>,
    /// The granted scopes, if the response contains them.
    pub scopes: Option<Vec<String>>,
    /// The account of the user, if the response contains it.
    pub account: Option<String>,
}

#[derive(Deserialize)]
struct Answer {
    access_token: Option<String>,
    token_type: Option<String>,
    refresh_token: Option<String>,
    /// Some servers send a string.
    expires_in: Option<Value>,
    scope: Option<String>,
    id_token: Option<String>,
    error: Option<String>,
    error_description: Option<String>,
}

impl Client {
    /// Exposes the secret so that it can be removed from error messages; empty if there is none.
    fn exposed(&self) -> &str {
        self.secret.as_ref().map(Secret::expose).unwrap_or_default()
    }
}

impl OAuth {
    /// Exchanges an authorization code for tokens.
    ///
    /// # Errors
    /// Returns an error if the authorization server refuses, cannot be reached, or responds without a token.
    pub async fn exchange(
        &self,
        authority: &Authority,
        client: &Client,
        code: &str,
        verifier: &Secret,
        redirect_uri: &str,
        resource: Option<&str>,
    ) -> Result<Tokens, OAuthError> {
        let mut form = vec![
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", redirect_uri),
            ("code_verifier", verifier.expose()),
        ];
        form.extend(resource.map(|resource| ("resource", resource)));
        let answer = self.form(&authority.token_endpoint, client, &form).await;
        let read = answer.and_then(|answer| tokens(&answer, authority, client));
        read.map_err(|why| why.without(&[code, verifier.expose(), client.exposed()]))
    }

    /// Refreshes the tokens. If the response contains no new refresh token, the old one remains valid.
    ///
    /// # Errors
    /// Same as [`exchange`](Self::exchange); see also [`OAuthError::ends_grant`].
    pub async fn refresh(
        &self,
        authority: &Authority,
        client: &Client,
        refresh: &Secret,
        resource: Option<&str>,
    ) -> Result<Tokens, OAuthError> {
        let mut form = vec![("grant_type", "refresh_token"), ("refresh_token", refresh.expose())];
        form.extend(resource.map(|resource| ("resource", resource)));
        let answer = self.form(&authority.token_endpoint, client, &form).await;
        let read = answer.and_then(|answer| tokens(&answer, authority, client));
        read.map_err(|why| why.without(&[refresh.expose(), client.exposed()]))
    }

    /// Revokes a token. Per RFC 7009, revoking an unknown token succeeds.
    ///
    /// # Errors
    /// Returns an error if the authorization server does not support revocation, refuses, or cannot be reached.
    pub async fn revoke(
        &self,
        authority: &Authority,
        client: &Client,
        token: &Secret,
        kind: &str,
    ) -> Result<(), OAuthError> {
        let endpoint = authority.revocation_endpoint.as_deref();
        let endpoint = endpoint.ok_or_else(|| OAuthError::unfit("tokens cannot be revoked there"))?;
        let form = [("token", token.expose()), ("token_type_hint", kind)];
        let answer = self.form(endpoint, client, &form).await;
        let read = answer.and_then(|answer| match answer.status {
            200..=299 => Ok(()),
            _ => Err(refusal(&answer)),
        });
        read.map_err(|why| why.without(&[token.expose(), client.exposed()]))
    }

    /// Returns whether the authorization endpoint rejects the request instead of showing a page or redirecting. It
    /// does so for a client that the authorization server has deleted; only the user would see that error.
    ///
    /// # Errors
    /// Returns an error if the authorization server cannot be reached.
    pub async fn refuses_login(&self, authorization_url: &str) -> Result<bool, OAuthError> {
        let answer = self.web.send(WebRequest {
            headers: vec![("accept".to_owned(), "text/html, application/json".to_owned())],
            max_bytes: ANSWER,
            timeout: TIMEOUT,
            redirects: false,
            ..WebRequest::new("GET", authorization_url)
        });
        let answer = answer.await.map_err(|why| OAuthError::from(why).about("the authorization endpoint"))?;
        Ok(matches!(answer.status, 400 | 401 | 404 | 422))
    }

    /// Returns the account of the token's user from the userinfo endpoint, if available.
    pub async fn account(&self, endpoint: &str, token: &Secret) -> Option<String> {
        let answer = self.web.send(WebRequest {
            headers: vec![("accept".to_owned(), "application/json".to_owned())],
            bearer: Some(token.clone()),
            max_bytes: ANSWER,
            timeout: Duration::from_secs(8),
            redirects: false,
            ..WebRequest::new("GET", endpoint)
        });
        let answer = answer.await.ok().filter(|answer| answer.status == 200)?;
        account_in(&serde_json::from_slice(&answer.body).ok()?)
    }

    async fn form(&self, url: &str, client: &Client, form: &[(&str, &str)]) -> Result<WebAnswer, OAuthError> {
        let secret = client.secret.as_ref().map(Secret::expose);
        let mut form = form.to_vec();
        let mut headers = vec![
            ("content-type".to_owned(), "application/x-www-form-urlencoded".to_owned()),
            // Some servers return form encoding unless JSON is requested.
            ("accept".to_owned(), "application/json".to_owned()),
        ];
        // The client id is always in the form: some servers look up the client by it before they read the
        // authorization header (RFC 6749 §3.2.1 allows it).
        form.push(("client_id", client.id.as_str()));
        match (client.method, secret) {
            (AuthMethod::Basic, Some(secret)) => {
                let pair = format!("{}:{}", encoded(&[("", &client.id)]), encoded(&[("", secret)]));
                headers.push(("authorization".to_owned(), format!("Basic {}", STANDARD.encode(pair))));
            }
            (AuthMethod::Post, Some(secret)) => {
                form.push(("client_secret", secret));
            }
            _ => {}
        }
        let sent = self.web.send(WebRequest {
            headers,
            body: Some(encoded(&form).into()),
            max_bytes: ANSWER,
            timeout: TIMEOUT,
            // A code or a token is for the named server only, not for one to which it redirects.
            redirects: false,
            ..WebRequest::new("POST", url)
        });
        sent.await.map_err(|why| OAuthError::from(why).about("the authorization server"))
    }
}

/// Encodes a form. A pair without a name is encoded as its value alone.
fn encoded(pairs: &[(&str, &str)]) -> String {
    let Ok(mut url) = Url::parse("http://form") else { return String::new() };
    url.query_pairs_mut().extend_pairs(pairs);
    let query = url.query().unwrap_or_default();
    query.strip_prefix('=').unwrap_or(query).to_owned()
}

/// Converts an error response to an error.
pub(super) fn refusal(answer: &WebAnswer) -> OAuthError {
    let error_body = serde_json::from_slice::<Value>(&answer.body).unwrap_or_default();
    let text = |name: &str| error_body.get(name).and_then(Value::as_str);
    match (answer.status, text("error")) {
        (429 | 500.., _) => {
            OAuthError::unreachable(format!("the authorization server answered {}", answer.status))
        }
        (_, Some(code)) => OAuthError::refused(code, text("error_description")),
        (status, None) => OAuthError::wrong(format!("the authorization server answered {status}")),
    }
}

fn tokens(answer: &WebAnswer, authority: &Authority, client: &Client) -> Result<Tokens, OAuthError> {
    if !(200..300).contains(&answer.status) {
        return Err(refusal(answer));
    }
    let it: Answer = serde_json::from_slice(&answer.body)
        .map_err(|_| OAuthError::wrong("the authorization server's response cannot be parsed"))?;
    if let Some(code) = &it.error {
        return Err(OAuthError::refused(code, it.error_description.as_deref()));
    }
    let fits = |token: &String| {
        !token.is_empty() && token.len() <= MAX_TOKEN_BYTES && token.bytes().all(|b| b.is_ascii_graphic())
    };
    let access = it.access_token.filter(fits);
    let access = access.ok_or_else(|| OAuthError::wrong("the authorization server's answer has no token"))?;
    if it.token_type.is_some_and(|kind| !kind.eq_ignore_ascii_case("bearer")) {
        return Err(OAuthError::unfit("the authorization server issues tokens of an unsupported type"));
    }
    let seconds =
        it.expires_in.and_then(|value| value.as_u64().or_else(|| value.as_str()?.trim().parse().ok()));
    Ok(Tokens {
        access: Secret::from(access),
        refresh: it.refresh_token.filter(fits).map(Secret::from),
        expires_in: seconds.map(|seconds| seconds.min(MAX_LIFETIME)),
        // Some servers separate scopes with commas.
        scopes: it.scope.map(|text| scopes(&text.replace(',', " "))),
        account: it.id_token.and_then(|token| account_of(&token, authority, client)),
    })
}

/// Returns the account in an ID token, which is only displayed. The signature is not verified because the token came
/// directly from the authorization server over TLS.
fn account_of(token: &str, authority: &Authority, client: &Client) -> Option<String> {
    let claims = URL_SAFE_NO_PAD.decode(token.split('.').nth(1)?).ok()?;
    let claims: Value = serde_json::from_slice(&claims).ok()?;
    let names = |value: &Value| match value {
        Value::Array(all) => all.iter().any(|one| one.as_str() == Some(client.id.as_str())),
        one => one.as_str() == Some(client.id.as_str()),
    };
    let ours = claims.get("aud").is_some_and(names);
    let theirs = claims.get("iss").and_then(Value::as_str) == Some(authority.issuer.as_str());
    (ours && theirs).then(|| account_in(&claims)).flatten()
}

fn account_in(claims: &Value) -> Option<String> {
    let names = ["preferred_username", "login", "email", "name", "sub"];
    let found =
        names.iter().find_map(|name| claims.get(name)?.as_str().filter(|text| !text.trim().is_empty()));
    found.map(|text| text.chars().filter(|c| !c.is_control()).take(ACCOUNT).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_escaped() {
        assert_eq!(encoded(&[("a b", "c&d=é"), ("e", "")]), "a+b=c%26d%3D%C3%A9&e=");
        assert_eq!(encoded(&[("", "a:b c")]), "a%3Ab+c");
    }

    #[test]
    fn methods_are_chosen() {
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(AuthMethod::preferred(&list(&["client_secret_post", "none"])), AuthMethod::None);
        assert_eq!(AuthMethod::preferred(&[]), AuthMethod::Basic);
        let secret = Secret::from("s");
        assert_eq!(AuthMethod::with(Some(&secret), &[]), AuthMethod::Basic);
        assert_eq!(AuthMethod::with(Some(&secret), &list(&["client_secret_post"])), AuthMethod::Post);
        assert_eq!(AuthMethod::with(None, &list(&["client_secret_post"])), AuthMethod::None);
    }

    #[test]
    fn refusal_messages_contain_no_secrets_or_control_characters() {
        let error = OAuthError::refused("invalid_grant", Some("token rt-12345 \u{1b}[31m is spent"));
        let error = error.without(&["rt-12345"]);
        assert_eq!(error.message, "invalid_grant: token [secret]  [31m is spent");
        assert!(error.ends_grant() && !error.ends_client());
    }
}
