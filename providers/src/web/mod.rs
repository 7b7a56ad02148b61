//! HTTP client for servers that users choose. It blocks servers that only this machine or its network can reach.
//!
//! Requests use `http` or `https` and go to addresses of the public internet and to configured exceptions. The client
//! resolves names, checks every address, and connects to the checked address; there is no second lookup that could
//! return a different address. Redirects are followed one at a time under the same rules, credentials are not
//! forwarded to another server, and responses are limited in size. Proxies, cookies, decompression and connection
//! reuse are disabled: dropping the future of [`WebClient::send`] closes its connection.

mod config;
mod connect;
mod error;
mod follow;
pub(crate) mod guard;
mod open;
mod request;
mod robots;
mod secrets;

use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use futures::StreamExt;
use reqwest::{Response, Url};

pub use config::{WebConfig, WebSecret};
pub use error::{WebError, WebErrorKind};
pub use follow::may_set;
pub use open::WebStream;
pub use request::{WebAnswer, WebRequest};

use crate::collected::{CollectedBody, TooLong};
use crate::config::ConfigError;
use connect::Connector;
use follow::Hop;
use guard::Guard;
use robots::Robots;
use secrets::{Hidden, Secrets};

/// Maximum number of redirects that are followed.
const MAX_REDIRECTS: usize = 5;

/// The guarded client. Cheap to clone.
#[derive(Clone)]
pub struct WebClient(Arc<Inner>);

struct Inner {
    guard: Arc<Guard>,
    connector: Connector,
    secrets: Secrets,
    robots: Robots,
}

impl WebClient {
    /// Creates a client with this configuration.
    ///
    /// # Errors
    /// Returns an error that names the entry if the configuration is invalid.
    pub fn new(config: &WebConfig) -> Result<Self, ConfigError> {
        let guard = Arc::new(Guard::read(&config.allow)?);
        let secrets = Secrets::read(&config.secrets)?;
        let connector = Connector::new(Arc::clone(&guard), config.connect_timeout());
        Ok(Self(Arc::new(Inner { guard, connector, secrets, robots: Robots::default() })))
    }

    /// Sends a request, follows redirects, and reads the whole response. Responses of every status are returned.
    ///
    /// # Errors
    /// Returns the reason why there is no response; the message contains neither the URL's query nor secrets.
    pub async fn send(&self, request: WebRequest) -> Result<WebAnswer, WebError> {
        let patience = request.timeout;
        let answer = tokio::time::timeout(patience, self.0.follow(request)).await;
        answer.unwrap_or_else(|_| Err(WebError::timeout(patience)))
    }

    /// Validates a URL before anything is sent: its syntax and, if its host is an IP address, whether that may be
    /// reached. Names are resolved and checked at each request.
    ///
    /// # Errors
    /// Returns the reason why no request can be sent to the URL.
    pub fn check(&self, url: &str) -> Result<(), WebError> {
        let wrong = |why| WebError::unsent(WebErrorKind::Invalid, format!("the address is wrong: {why}"));
        self.0.guard.check_url(&Url::parse(url.trim()).map_err(wrong)?)
    }

    /// Whether confidential data may be sent to a URL: it begins with `https`, points to this machine, or the
    /// configuration names its server.
    pub fn is_private(&self, url: &str) -> bool {
        let Ok(url) = Url::parse(url.trim()) else { return false };
        let here = || {
            let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
            host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
        };
        match url.scheme() {
            "https" => true,
            "http" => here() || self.0.guard.names(&url),
            _ => false,
        }
    }
}

/// Returns the host of a URL in the form of [`WebRequest::hosts`]; `None` if the URL is invalid.
pub fn host_of(url: &str) -> Option<String> {
    follow::host_of(&Url::parse(url.trim()).ok()?)
}

/// Returns the scheme, host and port of a URL; `None` if it is not a valid HTTP or HTTPS URL.
pub fn origin_of(url: &str) -> Option<String> {
    let url = Url::parse(url.trim()).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    Some(url.origin().ascii_serialization())
}

impl std::fmt::Debug for WebClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WebClient").finish_non_exhaustive()
    }
}

impl Inner {
    async fn follow(&self, request: WebRequest) -> Result<WebAnswer, WebError> {
        let max_bytes = request.max_bytes;
        let (response, from, hidden) = self.arrive(request).await?;
        let answer = read(response, from, max_bytes).await;
        answer.map(|answer| hidden.in_answer(answer)).map_err(|error| hidden.in_error(error))
    }

    /// Sends a request and follows its redirects. Returns the response headers, the final URL, and the secrets that
    /// must be removed from the response.
    async fn arrive(&self, request: WebRequest) -> Result<(Response, Url, Hidden), WebError> {
        let (crawls, redirects, hosts) = (request.crawls, request.redirects, request.hosts.clone());
        let (mut hop, hidden) = Hop::first(request, &self.secrets)?;
        for _ in 0..=MAX_REDIRECTS {
            if let Some(hosts) = &hosts {
                follow::check_host(&hop.url, hosts).map_err(|error| hop.blame(error))?;
            }
            if crawls {
                let allowed = self.robots.check(&hop.url, |file| self.robots_of(file)).await;
                allowed.map_err(|error| hop.blame(error))?;
            }
            let sent = self.one(&hop).await;
            let response = sent.map_err(|error| hidden.in_error(hop.blame(error)))?;
            let next = if redirects { hop.next(&response)? } else { None };
            let Some(next) = next else { return Ok((response, hop.url, hidden)) };
            hop = next;
        }
        Err(WebError::new(WebErrorKind::Redirects, format!("there are more than {MAX_REDIRECTS} redirects")))
    }

    /// Fetches a server's `robots.txt`; returns its status and body.
    async fn robots_of(&self, file: Url) -> Result<(u16, Bytes), WebError> {
        let (max_bytes, timeout) = (robots::MAX_BYTES, robots::TIMEOUT);
        let robots_request = WebRequest { max_bytes, timeout, ..WebRequest::new("GET", file) };
        let answer = tokio::time::timeout(timeout, Box::pin(self.follow(robots_request))).await;
        let answer = answer.unwrap_or_else(|_| Err(WebError::timeout(timeout)))?;
        Ok((answer.status, answer.body))
    }

    async fn one(&self, hop: &Hop) -> Result<Response, WebError> {
        self.guard.check_url(&hop.url)?;
        let client = self.connector.client(&hop.url)?;
        let mut request = client.request(hop.method.clone(), hop.url.clone()).headers(hop.headers.clone());
        if let Some(body) = &hop.body {
            request = request.body(body.clone());
        }
        request.send().await.map_err(error::of_transport)
    }
}

/// Reads the whole body of a response, up to the size limit.
async fn read(response: Response, final_url: Url, max_bytes: u64) -> Result<WebAnswer, WebError> {
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    if response.content_length().is_some_and(|length| length > max_bytes) {
        return Err(WebError::too_large(max_bytes));
    }
    let mut body = CollectedBody::new(usize::try_from(max_bytes).unwrap_or(usize::MAX));
    let mut pieces = response.bytes_stream();
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(error::of_transport)?;
        body.push(&piece).map_err(|TooLong| WebError::too_large(max_bytes))?;
    }
    Ok(WebAnswer { status, headers, body: body.into_bytes(), final_url: final_url.into() })
}
