//! Reads the credential that a request presents.

use super::cookies::ACCESS_COOKIE;
use crate::config::{Config, CookieSameSite};
use actix_web::HttpRequest;
use actix_web::http::header::{AUTHORIZATION, COOKIE, HOST, HeaderMap, ORIGIN, UPGRADE};
use domain::{Code, Refusal};

/// The credential of a request.
#[derive(Debug, PartialEq, Eq)]
pub enum Presented {
    /// There is no credential.
    Nothing,
    /// The credential is malformed, for this reason.
    Malformed(&'static str),
    /// A credential that must not be used from where the request originates.
    Refused(Code),
    /// A bearer token, from the header or a cookie.
    Token(String),
}

impl Presented {
    /// Reads the credential from the `Authorization` header, or otherwise from the access cookie. Browsers send cookies
    /// automatically. For unsafe methods, and for WebSockets, through which a client can act, the page that sent the
    /// request must therefore belong to this server or to a configured origin.
    pub fn read(request: &HttpRequest, config: &Config) -> Self {
        match bearer(request.headers()) {
            Ok(Some(token)) => return Self::Token(token.to_owned()),
            Err(why) => return Self::Malformed(why),
            Ok(None) => {}
        }
        if !request.headers().contains_key(COOKIE) {
            return Self::Nothing;
        }
        let Some(cookie) = request.cookie(ACCESS_COOKIE).filter(|cookie| !cookie.value().is_empty()) else {
            return Self::Nothing;
        };
        let harmless = request.method().is_safe() && !request.headers().contains_key(UPGRADE);
        if !harmless && !same_origin(request.headers(), config) {
            return Self::Refused(Code::OriginRefused);
        }
        // Like browsers with `SameSite=Lax`: images and scripts embedded in pages of other sites are requested without
        // cookies.
        let lax = config.auth.cookie_same_site == CookieSameSite::Lax;
        if !lax && is_embedded(request.headers()) && !same_origin(request.headers(), config) {
            return Self::Nothing;
        }
        Self::Token(cookie.value().to_owned())
    }
}

/// Whether the browser states that a page of another site sent the request and that it is not a navigation.
fn is_embedded(headers: &HeaderMap) -> bool {
    let header_text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    is_cross_site(headers) && header_text("sec-fetch-mode") != Some("navigate")
}

fn is_cross_site(headers: &HeaderMap) -> bool {
    headers.get("sec-fetch-site").is_some_and(|site| site == "cross-site")
}

/// The refusal for a request without credentials. If a page of another allowed site relies on cookies, the message
/// explains why the browser has not sent them.
pub fn missing(headers: &HeaderMap, config: &Config) -> Refusal {
    let lax = config.auth.cookie_same_site == CookieSameSite::Lax;
    let origin = headers.get(ORIGIN).and_then(|origin| origin.to_str().ok()).unwrap_or_default();
    if !(lax && is_cross_site(headers) && same_origin(headers, config)) {
        return refusal(Code::CredentialsMissing);
    }
    Refusal::new(Code::CookiesWithheld).detail(format!(
        "browsers send the cookies of a login to this server from pages of its own site only, and {origin} is another \
         site: send `Authorization: Bearer` with the access token, use one host name for both, or set \
         auth.cookie_same_site = \"none\""
    ))
}

/// The refusal for a missing or invalid credential, with the remedy.
pub fn refusal(code: Code) -> Refusal {
    let error = Refusal::new(code);
    match code {
        Code::CredentialsMissing => error.detail(
            "send `Authorization: Bearer` and an access token (POST /api/auth/login/) or an API token",
        ),
        Code::CredentialsExpired => {
            error.detail("renew the session with POST /api/auth/refresh/, or log in again")
        }
        Code::SessionEnded => error.detail("log in again with POST /api/auth/login/"),
        Code::OriginRefused => error.detail(
            "`Origin` has to be the address of this server (`server.public_url`, where there is one) or one of \
             `cors.origins`; with `Authorization: Bearer` it is not required",
        ),
        _ => error,
    }
}

/// The token of the `Authorization: Bearer` header, if present.
pub fn bearer(headers: &HeaderMap) -> Result<Option<&str>, &'static str> {
    let Some(header) = headers.get(AUTHORIZATION) else { return Ok(None) };
    let text = header.to_str().map_err(|_| "the header is not text")?;
    let (scheme, token) = text.trim().split_once(' ').ok_or("the header must be `Bearer` and a token")?;
    let token = token.trim();
    let sound = !token.is_empty() && token.bytes().all(|b| b.is_ascii_graphic());
    match (scheme.eq_ignore_ascii_case("bearer"), sound) {
        (true, true) => Ok(Some(token)),
        (false, _) => Err("the scheme must be `Bearer`"),
        (true, false) => Err("the token is empty or contains invalid characters"),
    }
}

/// Whether the page that sent a request has this server's origin or a configured one.
pub fn same_origin(headers: &HeaderMap, config: &Config) -> bool {
    let Some(origin) = headers.get(ORIGIN).and_then(|origin| origin.to_str().ok()) else { return false };
    if config.cors.origins.iter().any(|allowed| allowed == origin) {
        return true;
    }
    if let Some(ours) = config.server.public_url.as_deref() {
        let ours = ours.trim_end_matches('/');
        // The public URL may have a path, but an origin has none.
        let end = ours.find("://").and_then(|at| ours[at + 3..].find('/').map(|slash| at + 3 + slash));
        return origin == &ours[..end.unwrap_or(ours.len())];
    }
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let from = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    from.is_some() && from == host
}
