//! One server: its address, its connections, and the interpretation of its errors.

use std::collections::HashMap;
use std::sync::Arc;
use std::thread::ThreadId;
use std::time::Duration;

use chrono::Utc;
use parking_lot::RwLock;
use reqwest::dns::Resolve;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Response, Url};
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::time::{Instant, timeout_at};

use super::circuit::Circuit;
use super::redact::Redactor;
use super::retry::Failure;
use super::words::{self, ErrorBody};
use crate::chat::{Keys, ProviderError, ProviderErrorKind, is_code};
use crate::config::{CheckedProvider, ProviderKind, Secret, Timeouts};

/// Maximum number of bytes that are read of the body of an error response.
const WORDS: usize = 64 << 10;
/// Values in the query of the base URL that are shorter than this are treated as ordinary values, such as a version.
const SECRET_QUERY: usize = 16;
/// First-byte timeout in seconds of a local server, which may have to load the model first.
const LOADING_S: f64 = 300.0;
/// The headers that can carry a key.
const KEY_HEADERS: [&str; 4] = ["authorization", "x-api-key", "api-key", "x-goog-api-key"];

/// A server from the configuration, or one that was found on this machine.
pub(crate) struct Host {
    pub(crate) name: String,
    pub(crate) kind: ProviderKind,
    pub(crate) base_url: Url,
    /// The headers of every request, including the configured key.
    headers: HeaderMap,
    /// The header that carries the key.
    key_header: HeaderName,
    /// The server requires a key, and the configuration has none.
    needs_key: bool,
    redactor: Redactor,
    pub(super) timeouts: Timeouts,
    pub(super) retries: u32,
    /// Whether the server is on this machine.
    pub(crate) local: bool,
    pub(crate) circuit: Arc<Circuit>,
    /// The DNS resolver, if connections to some addresses are blocked.
    resolver: Option<Arc<dyn Resolve>>,
    /// The HTTP clients, by the thread whose tasks use them. Created when first needed, since loading the system's
    /// certificates is slow.
    clients: RwLock<HashMap<Option<ThreadId>, Client>>,
}

impl Host {
    pub(crate) fn new(provider: CheckedProvider) -> Self {
        let CheckedProvider {
            name,
            kind,
            base_url,
            api_key,
            mut headers,
            timeouts,
            retries,
            circuit,
            resolver,
            ..
        } = provider;
        let values = headers.values().filter_map(|v| v.to_str().ok()).map(str::to_owned);
        let mut secrets: Vec<String> = values.chain(api_key.clone()).collect();
        let queries = base_url.query_pairs().map(|(_, value)| value.into_owned());
        secrets.extend(queries.filter(|value| value.len() >= SECRET_QUERY));
        let key_header = key_header(kind, &headers);
        let keyed = KEY_HEADERS.iter().any(|name| headers.contains_key(*name)) || api_key.is_some();
        if let Some(value) = api_key.and_then(|key| key_value(&key_header, &key)) {
            headers.entry(key_header.clone()).or_insert(value);
        }
        if kind == ProviderKind::Anthropic {
            headers.entry("anthropic-version").or_insert(HeaderValue::from_static("2023-06-01"));
        }
        Self {
            needs_key: !keyed && (kind != ProviderKind::Openai || is_openai(&base_url)),
            local: is_loopback(&base_url),
            redactor: Redactor::new(secrets),
            circuit: Arc::new(Circuit::new(circuit)),
            name,
            kind,
            base_url,
            headers,
            key_header,
            timeouts,
            retries,
            resolver,
            clients: RwLock::default(),
        }
    }

    /// A server on a port of this machine that speaks the OpenAI interface.
    pub(crate) fn local(name: &str, port: u16) -> Self {
        let base_url = Url::parse(&format!("http://127.0.0.1:{port}/v1"));
        Self::new(CheckedProvider {
            timeouts: Timeouts { first_byte_s: LOADING_S, ..Timeouts::default() },
            retries: 0,
            ..CheckedProvider::new(name, base_url.expect("a number makes a valid address"))
        })
    }

    /// Returns the URL of a path below the base URL; the query is preserved.
    pub(crate) fn url(&self, path: &str) -> Url {
        let mut url = self.base_url.clone();
        url.set_path(&format!("{}/{path}", self.base_url.path().trim_end_matches('/')));
        url
    }

    /// The scheme, host and port of the base URL.
    pub(crate) fn origin(&self) -> String {
        self.base_url.origin().ascii_serialization()
    }

    /// Whether every request requires the caller's own key.
    pub(crate) fn needs_key(&self) -> bool {
        self.needs_key
    }

    /// Whether the server is `api.openai.com`, which rejects unknown fields.
    pub(crate) fn is_openai(&self) -> bool {
        is_openai(&self.base_url)
    }

    /// Returns the host with the headers for these keys.
    ///
    /// # Errors
    /// Returns an error if the host requires a key and there is none, or if the key cannot be sent in a header.
    pub(crate) fn line(self: &Arc<Self>, keys: &Keys) -> Result<Line, ProviderError> {
        match keys.get(&self.name, &self.origin()) {
            Some(key) => Ok(Line { host: Arc::clone(self), own: Some(Arc::new(self.own(key)?)) }),
            None if self.needs_key => {
                let text = format!(
                    "{} has no key: neither the server's configuration nor the user provides one",
                    self.name
                );
                Err(ProviderError::new(ProviderErrorKind::Auth, text))
            }
            None => Ok(Line { host: Arc::clone(self), own: None }),
        }
    }

    fn own(&self, key: &Secret) -> Result<Own, ProviderError> {
        let key = key.expose().trim();
        let Some(value) = key_value(&self.key_header, key).filter(|_| !key.is_empty()) else {
            let text = format!("the key for {} is empty or has characters no header can carry", self.name);
            return Err(ProviderError::new(ProviderErrorKind::Auth, text));
        };
        let mut headers = self.headers.clone();
        // The configured key must not be sent along with it, whichever header it is in.
        for name in KEY_HEADERS {
            headers.remove(name);
        }
        headers.insert(self.key_header.clone(), value);
        Ok(Own { headers, redactor: self.redactor.with(key.to_owned()) })
    }

    /// Returns the HTTP client with its connection pool. A connection is driven by a task of the runtime that opened
    /// it, so a thread with its own single-threaded runtime has its own client, whose responses arrive without
    /// switching threads.
    pub(super) fn client(&self) -> Result<Client, ProviderError> {
        let runtime = Handle::try_current().ok();
        let has_own = runtime.is_some_and(|it| it.runtime_flavor() == RuntimeFlavor::CurrentThread);
        let thread = has_own.then(|| std::thread::current().id());
        if let Some(client) = self.clients.read().get(&thread) {
            return Ok(client.clone());
        }
        let client = build(&self.base_url, self.timeouts.connect(), self.local, self.resolver.clone())
            .map_err(|error| words::transport(&self.name, error))?;
        Ok(self.clients.write().entry(thread).or_insert(client).clone())
    }
}

/// Returns the header that carries the key.
fn key_header(kind: ProviderKind, headers: &HeaderMap) -> HeaderName {
    match kind {
        // If the configuration sends the key in `api-key`, as some gateways require, other keys use that header too.
        ProviderKind::Openai if headers.contains_key("api-key") && !headers.contains_key(AUTHORIZATION) => {
            HeaderName::from_static("api-key")
        }
        ProviderKind::Openai => AUTHORIZATION,
        ProviderKind::Anthropic => HeaderName::from_static("x-api-key"),
        ProviderKind::Gemini => HeaderName::from_static("x-goog-api-key"),
    }
}

fn key_value(header: &HeaderName, key: &str) -> Option<HeaderValue> {
    let text = if *header == AUTHORIZATION { format!("Bearer {key}") } else { key.to_owned() };
    let mut value = HeaderValue::try_from(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// A caller's own key, prepared for sending.
struct Own {
    headers: HeaderMap,
    redactor: Redactor,
}

/// A host with the credentials of one caller.
#[derive(Clone)]
pub(crate) struct Line {
    pub(super) host: Arc<Host>,
    own: Option<Arc<Own>>,
}

impl Line {
    pub(crate) fn name(&self) -> &str {
        &self.host.name
    }

    /// Returns the URL of a path below the base URL.
    pub(crate) fn url(&self, path: &str) -> Url {
        self.host.url(path)
    }

    pub(crate) fn timeouts(&self) -> &Timeouts {
        &self.host.timeouts
    }

    /// Whether requests use the caller's own key.
    pub(crate) fn is_own(&self) -> bool {
        self.own.is_some()
    }

    pub(super) fn headers(&self) -> HeaderMap {
        self.own.as_ref().map_or(&self.host.headers, |own| &own.headers).clone()
    }

    pub(super) fn redactor(&self) -> &Redactor {
        self.own.as_ref().map_or(&self.host.redactor, |own| &own.redactor)
    }

    /// Reads an error response and converts it to a failure.
    pub(super) async fn failure(&self, response: Response, deadline: Instant) -> Failure {
        let status = response.status();
        let retry_after = words::retry_after(response.headers(), Utc::now());
        let body = timeout_at(deadline, read(response)).await.unwrap_or_default();
        let words = ErrorBody::read(&body).unwrap_or_default();
        let mut text = format!("{} answered {}", self.name(), words::status_text(status));
        if !words.message.is_empty() {
            text = format!("{text}: {}", words.message);
        }
        let kind = words.kind_at(status.as_u16(), retry_after);
        Failure {
            error: ProviderError::new(kind, text).with_code(self.name_in(&words)).after(retry_after),
            retry_after,
            hopeless: words.hopeless(),
        }
    }

    /// Converts an error that the server reports within a response.
    pub(crate) fn reported(&self, body: &[u8]) -> ProviderError {
        let fallback =
            || ErrorBody { message: String::from_utf8_lossy(body).into_owned(), ..ErrorBody::default() };
        let words = ErrorBody::read(body).unwrap_or_else(fallback);
        let text = format!("{}: {}", self.name(), words.message);
        ProviderError::new(words.kind(), text).with_code(self.name_in(&words))
    }

    /// The provider's error code, if it has the form of a code and contains no key.
    fn name_in(&self, words: &ErrorBody) -> Option<String> {
        let code = Some(&words.code).filter(|code| is_code(code));
        code.filter(|code| self.redactor().clean(code) == **code).cloned()
    }

    /// Returns the error for data that is not valid JSON of the protocol.
    pub(crate) fn rubbish(&self, data: &[u8]) -> ProviderError {
        const SHOWN: usize = 200;
        // Cleaned before it is cut, because a cut could split a key and hide it from the redactor.
        let shown = self.redactor().clean(&String::from_utf8_lossy(&data[..data.len().min(WORDS)]));
        let shown: String = shown.chars().take(SHOWN).collect();
        ProviderError::protocol(format!("{} sent an invalid response: {shown}", self.name()))
    }

    /// The error of a server that sent nothing within the idle timeout.
    pub(crate) fn silent(&self) -> ProviderError {
        let (name, s) = (self.name(), self.timeouts().idle_s);
        ProviderError::timeout(format!("{name} sent nothing for {s} s during a response"))
    }

    /// The error of a server that sent only keep-alive messages for this long.
    pub(crate) fn keepalive_timeout(&self, patience: Duration) -> ProviderError {
        let (name, s) = (self.name(), patience.as_secs_f64());
        ProviderError::timeout(format!("{name} sent only keep-alive messages for {s} s during a response"))
    }

    /// Returns the error with keys removed from its message.
    pub(crate) fn cleaned(&self, mut error: ProviderError) -> ProviderError {
        error.message = self.redactor().clean(&error.message);
        error
    }
}

/// Reads the body of an error response up to a limit; if reading fails, returns what has arrived.
async fn read(mut response: Response) -> Vec<u8> {
    let mut all = Vec::new();
    while let Ok(Some(bytes)) = response.chunk().await {
        let room = WORDS - all.len();
        all.extend_from_slice(&bytes[..bytes.len().min(room)]);
        if all.len() == WORDS {
            break;
        }
    }
    all
}

fn build(
    url: &Url,
    connect: Duration,
    local: bool,
    resolver: Option<Arc<dyn Resolve>>,
) -> reqwest::Result<Client> {
    // Has no effect if the process has already installed a crypto provider.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut client = Client::builder()
        .user_agent(concat!("understudy/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(connect)
        .pool_idle_timeout(Duration::from_secs(60))
        // A redirected POST becomes a GET, or sends the prompt to an unknown server.
        .redirect(reqwest::redirect::Policy::none());
    if url.scheme() == "http" {
        // No certificates are checked over HTTP, so none have to be loaded.
        client = client.tls_certs_only([]);
    }
    if local || resolver.is_some() {
        client = client.no_proxy();
    }
    if let Some(resolver) = resolver {
        client = client.dns_resolver(resolver);
    }
    client.build()
}

/// Whether a URL points to this machine.
pub(crate) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

fn is_openai(url: &Url) -> bool {
    url.host_str() == Some("api.openai.com")
}

#[cfg(test)]
#[path = "host_tests.rs"]
mod tests;
