//! The token endpoint: codes for tokens, tokens for newer ones, and giving them back (RFC 6749, 7009).

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

/// Bytes of an answer, and how long it may take.
pub(super) const ANSWER: u64 = 128 << 10;
pub(super) const PATIENCE: Duration = Duration::from_secs(20);
/// The longest token that is taken.
const LONGEST: usize = 32 << 10;
/// No token is believed to live longer, in seconds.
const LONGEST_LIFE: u64 = 10 * 365 * 24 * 60 * 60;
/// Characters of the name of an account.
const ACCOUNT: usize = 200;

/// How a client shows who it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuthMethod {
    /// Not at all: PKCE alone protects what it does.
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

    /// The method of this name.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::None, Self::Basic, Self::Post].into_iter().find(|method| method.as_str() == name)
    }

    /// What a client that is to be made asks for: no secret where that will do.
    pub(super) fn preferred(supported: &[String]) -> Self {
        let has = |method: Self| supported.iter().any(|name| name == method.as_str());
        [Self::None, Self::Basic, Self::Post].into_iter().find(|method| has(*method)).unwrap_or(Self::Basic)
    }

    /// How a client that has a secret, or none, shows it.
    pub fn with(secret: Option<&Secret>, supported: &[String]) -> Self {
        let has = |method: Self| supported.iter().any(|name| name == method.as_str());
        match secret {
            None => Self::None,
            Some(_) if has(Self::Post) && !has(Self::Basic) => Self::Post,
            Some(_) => Self::Basic,
        }
    }
}

/// As what an authority knows this server.
#[derive(Clone, Debug)]
pub struct Client {
    pub id: String,
    /// Its secret, where it has one.
    pub secret: Option<Secret>,
    /// How the client authenticates.
    pub method: AuthMethod,
}

/// What users are sent to the authority with.
#[derive(Clone, Debug)]
pub struct Ask<'a> {
    pub client_id: &'a str,
    /// Where the user comes back to.
    pub redirect_uri: &'a str,
    /// What tells this login from others.
    pub state: &'a str,
    /// What the verifier is proved by, see [`challenge`](super::challenge_of_verifier).
    pub challenge: &'a str,
    /// What they are asked to allow.
    pub scopes: &'a [String],
    /// What the tokens are for (RFC 8707).
    pub resource: Option<&'a str>,
}

impl Authority {
    /// The address that the user's browser opens.
    ///
    /// # Errors
    /// The endpoint does not parse.
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

/// Tokens that an authority gave.
#[derive(Clone, Debug)]
pub struct Tokens {
    pub access: Secret,
    /// What fetches the next ones.
    pub refresh: Option<Secret>,
    /// Seconds that the access token lives; none where the authority does not say.
    pub expires_in: Option<u64>,
    /// What was allowed, where the authority says.
    pub scopes: Option<Vec<String>>,
    /// As whom the user logged in, where the authority says.
    pub account: Option<String>,
}

#[derive(Deserialize)]
struct Answer {
    access_token: Option<String>,
    token_type: Option<String>,
    refresh_token: Option<String>,
    /// Some send it as a text.
    expires_in: Option<Value>,
    scope: Option<String>,
    id_token: Option<String>,
    error: Option<String>,
    error_description: Option<String>,
}

impl Client {
    /// The secret as it must not be shown; empty where there is none.
    fn exposed(&self) -> &str {
        self.secret.as_ref().map(Secret::expose).unwrap_or_default()
    }
}

impl OAuth {
    /// Gives a code for tokens.
    ///
    /// # Errors
    /// The authority refuses, is not there, or answers what is no token.
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

    /// Fetches newer tokens. Without a new refresh token in the answer, the old one goes on being good.
    ///
    /// # Errors
    /// As [`exchange`](Self::exchange); see [`OAuthError::ends_grant`].
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

    /// Gives a token back. A token that the authority does not know is given back already.
    ///
    /// # Errors
    /// The authority has no place for that, refuses, or is not there.
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

    /// Whether the authorization endpoint refuses a login outright, instead of showing a page or redirecting. A client
    /// that the authority has forgotten is refused there, where only the user would see it.
    ///
    /// # Errors
    /// The authority cannot be reached.
    pub async fn refuses_login(&self, authorization_url: &str) -> Result<bool, OAuthError> {
        let answer = self.web.send(WebRequest {
            headers: vec![("accept".to_owned(), "text/html, application/json".to_owned())],
            max_bytes: ANSWER,
            timeout: PATIENCE,
            redirects: false,
            ..WebRequest::new("GET", authorization_url)
        });
        let answer = answer.await.map_err(|why| OAuthError::from(why).about("the authorization endpoint"))?;
        Ok(matches!(answer.status, 400 | 401 | 404 | 422))
    }

    /// As whom the user of a token is known, where that is told.
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
            // Some answer a form unless they are asked not to.
            ("accept".to_owned(), "application/json".to_owned()),
        ];
        // The id is in the form whatever the method: some servers look the client up by it before they read the
        // authorization header (RFC 6749, 3.2.1 allows it).
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
            timeout: PATIENCE,
            // A code or a token is for the server that was named, not for one that it redirects to.
            redirects: false,
            ..WebRequest::new("POST", url)
        });
        sent.await.map_err(|why| OAuthError::from(why).about("the authorization server"))
    }
}

/// A form; of a pair without a name, the value alone.
fn encoded(pairs: &[(&str, &str)]) -> String {
    let Ok(mut url) = Url::parse("http://form") else { return String::new() };
    url.query_pairs_mut().extend_pairs(pairs);
    let query = url.query().unwrap_or_default();
    query.strip_prefix('=').unwrap_or(query).to_owned()
}

/// What an answer that is no success says.
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
        !token.is_empty() && token.len() <= LONGEST && token.bytes().all(|b| b.is_ascii_graphic())
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
        expires_in: seconds.map(|seconds| seconds.min(LONGEST_LIFE)),
        // Some part them by commas.
        scopes: it.scope.map(|text| scopes(&text.replace(',', " "))),
        account: it.id_token.and_then(|token| account_of(&token, authority, client)),
    })
}

/// The account in an ID token that came straight from the authority, whose signature says no more than the connection
/// does; used for nothing but to be shown.
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
    fn refusals_hold_no_secrets_and_nothing_for_the_eye() {
        let error = OAuthError::refused("invalid_grant", Some("token rt-12345 \u{1b}[31m is spent"));
        let error = error.without(&["rt-12345"]);
        assert_eq!(error.message, "invalid_grant: token [secret]  [31m is spent");
        assert!(error.ends_grant() && !error.ends_client());
    }
}
