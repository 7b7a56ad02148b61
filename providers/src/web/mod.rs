//! The way to servers that users name, and not to those that only this machine can reach.
//!
//! A request goes out by `http` or `https` to addresses of the public internet and to what the
//! configuration allows besides. Names are looked up here, every address is checked, and the
//! connection is made to the checked address: there is no second look-up that could say something
//! else. Redirects are followed one by one under the same rules, credentials are left behind when
//! another server is meant, and an answer ends at its limit. There are no proxies, no cookies, no
//! decompression and no kept connections: dropping the future of [`WebClient::send`] closes the one
//! that it uses.

mod config;
mod connect;
mod error;
mod follow;
mod guard;
mod request;
mod robots;
mod secrets;

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use futures::StreamExt;
use reqwest::{Response, Url};

pub use config::{WebConfig, WebSecret};
pub use error::{WebError, WebErrorKind};
pub use request::{WebAnswer, WebRequest};

use crate::config::ConfigError;
use connect::Connector;
use follow::Hop;
use guard::Guard;
use robots::Robots;
use secrets::Secrets;

/// Redirects that are followed.
const HOPS: usize = 5;

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
    /// A client under this configuration.
    ///
    /// # Errors
    /// A fault of the configuration, naming the entry.
    pub fn new(config: &WebConfig) -> Result<Self, ConfigError> {
        let guard = Arc::new(Guard::read(&config.allow)?);
        let secrets = Secrets::read(&config.secrets)?;
        let connector = Connector::new(Arc::clone(&guard), config.connect_timeout());
        Ok(Self(Arc::new(Inner { guard, connector, secrets, robots: Robots::default() })))
    }

    /// Sends a request, follows where it is sent on to, and reads the whole answer. Answers of every
    /// status are answers.
    ///
    /// # Errors
    /// Whatever kept the answer from coming; its text holds neither the address's query nor secrets.
    pub async fn send(&self, request: WebRequest) -> Result<WebAnswer, WebError> {
        let patience = request.timeout;
        let answer = tokio::time::timeout(patience, self.0.follow(request)).await;
        answer.unwrap_or_else(|_| Err(WebError::timeout(patience)))
    }
}

/// The host of an address as [`WebRequest::hosts`] names it; none where it is no address.
pub fn host_of(url: &str) -> Option<String> {
    follow::host_of(&Url::parse(url.trim()).ok()?)
}

impl std::fmt::Debug for WebClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WebClient").finish_non_exhaustive()
    }
}

impl Inner {
    async fn follow(&self, request: WebRequest) -> Result<WebAnswer, WebError> {
        let (max_bytes, crawls, hosts) = (request.max_bytes, request.crawls, request.hosts.clone());
        let (mut hop, hidden) = Hop::first(request, &self.secrets)?;
        for _ in 0..=HOPS {
            if let Some(hosts) = &hosts {
                follow::check_host(&hop.url, hosts).map_err(|error| hop.blame(error))?;
            }
            if crawls {
                let asked = self.robots.check(&hop.url, |file| self.robots_of(file)).await;
                asked.map_err(|error| hop.blame(error))?;
            }
            let sent = self.one(&hop).await;
            let response = sent.map_err(|error| hidden.in_error(hop.blame(error)))?;
            let Some(next) = hop.next(&response)? else {
                let answer = read(response, hop.url, max_bytes).await;
                return answer.map(|answer| hidden.in_answer(answer)).map_err(|error| hidden.in_error(error));
            };
            hop = next;
        }
        Err(WebError::new(WebErrorKind::Redirects, format!("there are more than {HOPS} redirects")))
    }

    /// A server's `robots.txt`: the status and the bytes.
    async fn robots_of(&self, file: Url) -> Result<(u16, Bytes), WebError> {
        let (max_bytes, timeout) = (robots::MAX_BYTES, robots::PATIENCE);
        let asked = WebRequest { max_bytes, timeout, ..WebRequest::new("GET", file) };
        let answer = tokio::time::timeout(timeout, Box::pin(self.follow(asked))).await;
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

/// The whole of an answer that is not too large.
async fn read(response: Response, final_url: Url, max_bytes: u64) -> Result<WebAnswer, WebError> {
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    if response.content_length().is_some_and(|length| length > max_bytes) {
        return Err(WebError::too_large(max_bytes));
    }
    let mut body = BytesMut::new();
    let mut pieces = response.bytes_stream();
    while let Some(piece) = pieces.next().await {
        let piece: Bytes = piece.map_err(error::of_transport)?;
        if (body.len() + piece.len()) as u64 > max_bytes {
            return Err(WebError::too_large(max_bytes));
        }
        body.extend_from_slice(&piece);
    }
    Ok(WebAnswer { status, headers, body: body.freeze(), final_url: final_url.into() })
}
