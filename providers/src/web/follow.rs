//! Prepares requests and follows redirects.

use bytes::Bytes;
use reqwest::header::{
    ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION,
};
use reqwest::{Method, Response, Url};

use super::error::{WebError, WebErrorKind};
use super::request::WebRequest;
use super::secrets::{Hidden, Secrets};

/// Headers that belong to the connection and cannot be set by requests.
const RESERVED_HEADERS: [&str; 11] = [
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "keep-alive",
    "upgrade",
    "te",
    "trailer",
    "expect",
    "proxy-authorization",
    "proxy-connection",
];
/// Headers that are preserved on a redirect to another server, unless their value is secret. Any other header may be
/// a credential.
const FORWARDED_HEADERS: [&str; 6] =
    ["accept", "accept-encoding", "accept-language", "content-type", "idempotency-key", "user-agent"];
/// Maximum length of a URL in bytes.
const MAX_URL_LENGTH: usize = 16 << 10;

/// One request in a chain of redirects.
pub(super) struct Hop {
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    pub(super) body: Option<Bytes>,
    /// Whether a server has already received the request.
    sent: bool,
}

impl Hop {
    /// Prepares the initial request. Also returns the secrets that must be removed from its response.
    pub(super) fn first(request: WebRequest, secrets: &Secrets) -> Result<(Self, Hidden), WebError> {
        let invalid = |message: String| WebError::unsent(WebErrorKind::Invalid, message);
        let method = request.method.trim().to_ascii_uppercase();
        let known = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"].contains(&method.as_str());
        let method = Method::from_bytes(method.as_bytes()).ok().filter(|_| known);
        let method = method.ok_or_else(|| invalid(format!("{:?} is not a valid method", request.method)))?;
        let mut url =
            Url::parse(request.url.trim()).map_err(|why| invalid(format!("the address is wrong: {why}")))?;
        if !request.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&request.query);
        }
        if url.as_str().len() > MAX_URL_LENGTH {
            return Err(invalid(format!("the address is longer than {MAX_URL_LENGTH} bytes")));
        }
        url.set_fragment(None);
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        for (name, value) in &request.headers {
            let value = HeaderValue::try_from(value).map_err(|_| {
                invalid(format!("the value of the header {name:?} contains invalid characters"))
            })?;
            headers.insert(header_name(name)?, value);
        }
        let mut hidden = Hidden::default();
        for (name, secret) in &request.secrets {
            let value = secrets.value(secret, request.tenant, &url)?;
            headers.insert(header_name(name)?, hidden.hide(value)?);
        }
        if let Some(token) = &request.bearer {
            headers.insert(AUTHORIZATION, hidden.hide(&format!("Bearer {}", token.expose()))?);
        }
        if let Some((name, key)) = &request.key {
            headers.insert(header_name(name)?, hidden.hide(key.expose())?);
        }
        Ok((Self { method, url, headers, body: request.body, sent: false }, hidden))
    }

    /// Marks an error of this hop as possibly sent if an earlier hop was sent.
    pub(super) fn blame(&self, mut error: WebError) -> WebError {
        error.unsent &= !self.sent;
        error
    }

    /// Returns the next hop if the response is a redirect.
    pub(super) fn next(&self, response: &Response) -> Result<Option<Self>, WebError> {
        let status = response.status().as_u16();
        let Some(location) = response.headers().get(LOCATION) else { return Ok(None) };
        if !matches!(status, 301 | 302 | 303 | 307 | 308) {
            return Ok(None);
        }
        let wrong = || WebError::new(WebErrorKind::Redirects, "the server redirects to an invalid address");
        let location = std::str::from_utf8(location.as_bytes()).map_err(|_| wrong())?;
        let mut url = self.url.join(location).map_err(|_| wrong())?;
        url.set_fragment(None);
        let mut next = Self {
            method: self.method.clone(),
            url,
            headers: self.headers.clone(),
            body: self.body.clone(),
            sent: true,
        };
        let harmless = matches!(self.method, Method::GET | Method::HEAD);
        if !harmless && (status == 303 || (status < 303 && self.method == Method::POST)) {
            next.method = Method::GET;
            next.body = None;
            next.headers.remove(CONTENT_TYPE);
        }
        if next.url.origin() != self.url.origin() {
            // A secret is not forwarded, whatever header it is in.
            let stays = |(name, value): &(&HeaderName, &HeaderValue)| {
                FORWARDED_HEADERS.contains(&name.as_str()) && !value.is_sensitive()
            };
            let removed = next.headers.iter().filter(|header| !stays(header));
            let removed: Vec<HeaderName> = removed.map(|(name, _)| name.clone()).collect();
            for name in removed {
                next.headers.remove(name);
            }
        }
        Ok(Some(next))
    }
}

/// Returns the host of a URL, with the port unless it is the scheme's default.
pub(super) fn host_of(url: &Url) -> Option<String> {
    let host = url.host_str()?;
    Some(url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
}

/// Rejects a URL whose host is not in the list.
pub(super) fn check_host(url: &Url, hosts: &[String]) -> Result<(), WebError> {
    match host_of(url) {
        Some(host) if hosts.contains(&host) => Ok(()),
        host => {
            let host = host.unwrap_or_default();
            let why = format!("the request may not connect to the host {host:?}");
            Err(WebError::unsent(WebErrorKind::Refused, why))
        }
    }
}

/// Whether a request may set this header: the name is valid and the header does not belong to the connection.
pub fn may_set(name: &str) -> bool {
    header_name(name).is_ok()
}

fn header_name(name: &str) -> Result<HeaderName, WebError> {
    let known = HeaderName::try_from(name.trim());
    let good = known.ok().filter(|name| !RESERVED_HEADERS.contains(&name.as_str()));
    good.ok_or_else(|| WebError::unsent(WebErrorKind::Invalid, format!("the header {name:?} cannot be set")))
}
