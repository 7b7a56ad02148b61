//! One server: where it is, how to get there, and how to tell what it says when it fails.

use std::sync::OnceLock;
use std::time::Duration;

use chrono::Utc;
use futures::StreamExt;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use reqwest::{Client, Response, Url};
use serde::Deserialize;
use tokio::time::{Instant, timeout_at};

use super::Listed;
use super::redact::Redactor;
use super::retry::Failure;
use super::words::{self, Words};
use crate::chat::ProviderError;
use crate::config::{CheckedProvider, Timeouts};

/// What is read of the body of a failed answer, in bytes.
const WORDS: usize = 64 << 10;
/// What is read of a list of models, in bytes.
const LIST: usize = 8 << 20;
/// Secrets shorter than this in an address are taken for ordinary values, such as a version.
const SECRET_QUERY: usize = 16;
/// A local server may have to load the model first.
const LOADING_S: f64 = 300.0;

pub(super) struct Host {
    pub(super) name: String,
    pub(super) chat: Url,
    pub(super) embeddings: Url,
    models: Url,
    pub(super) headers: HeaderMap,
    pub(super) redactor: Redactor,
    pub(super) timeouts: Timeouts,
    pub(super) retries: u32,
    /// Whether it is on this machine.
    pub(super) local: bool,
    /// Made when first needed: reading the machine's certificates takes a while.
    client: OnceLock<Client>,
}

impl Host {
    pub(super) fn new(provider: CheckedProvider) -> Self {
        let CheckedProvider { name, base_url, api_key, mut headers, timeouts, retries, .. } = provider;
        let values = headers.values().filter_map(|v| v.to_str().ok()).map(str::to_owned);
        let mut secrets: Vec<String> = values.chain(api_key.clone()).collect();
        let queries = base_url.query_pairs().map(|(_, value)| value.into_owned());
        secrets.extend(queries.filter(|value| value.len() >= SECRET_QUERY));
        let bearer = api_key.and_then(|key| HeaderValue::try_from(format!("Bearer {key}")).ok());
        if let Some(mut bearer) = bearer {
            bearer.set_sensitive(true);
            headers.entry(AUTHORIZATION).or_insert(bearer);
        }
        Self {
            local: is_loopback(&base_url),
            chat: under(&base_url, "chat/completions"),
            embeddings: under(&base_url, "embeddings"),
            models: under(&base_url, "models"),
            redactor: Redactor::new(secrets),
            name,
            headers,
            timeouts,
            retries,
            client: OnceLock::new(),
        }
    }

    pub(super) fn local(name: &str, port: u16) -> Self {
        let base_url = Url::parse(&format!("http://127.0.0.1:{port}/v1"));
        Self::new(CheckedProvider {
            name: name.to_owned(),
            base_url: base_url.expect("a number makes a valid address"),
            api_key: None,
            headers: HeaderMap::new(),
            models: Vec::new(),
            timeouts: Timeouts { first_byte_s: LOADING_S, ..Timeouts::default() },
            retries: 0,
        })
    }

    /// The client, with its pool of connections.
    pub(super) fn client(&self) -> Result<&Client, ProviderError> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let client = build(&self.chat, self.timeouts.connect(), self.local)
            .map_err(|error| words::transport(&self.name, error))?;
        Ok(self.client.get_or_init(|| client))
    }

    pub(super) async fn list(&self) -> Result<Vec<Listed>, ProviderError> {
        let request = self.client()?.get(self.models.clone()).headers(self.headers.clone());
        let response = request.send().await.map_err(|e| words::transport(&self.name, e))?;
        if !response.status().is_success() {
            let deadline = Instant::now() + self.timeouts.idle();
            return Err(self.failure(response, deadline).await.error);
        }
        let body = self.read(response, LIST).await;
        let list: List = serde_json::from_slice(&body).map_err(|_| self.rubbish(&body))?;
        Ok(list.data.into_iter().flatten().filter(|m| !m.id.is_empty()).map(Listed::from).collect())
    }

    /// What the answer to a request that failed says.
    pub(super) async fn failure(&self, response: Response, deadline: Instant) -> Failure {
        let status = response.status();
        let retry_after = words::retry_after(response.headers(), Utc::now());
        let body = timeout_at(deadline, self.read(response, WORDS)).await.unwrap_or_default();
        let words = Words::read(&body).unwrap_or_default();
        let mut text = format!("{} answered {}", self.name, words::status_text(status));
        if !words.message.is_empty() {
            text = format!("{text}: {}", words.message);
        }
        let kind = words::kind_of(status.as_u16(), retry_after);
        Failure { error: ProviderError::new(kind, text), retry_after, hopeless: words.hopeless() }
    }

    /// An error that the server reports within an answer.
    pub(super) fn reported(&self, body: &[u8]) -> ProviderError {
        let fallback = || Words { message: String::from_utf8_lossy(body).into_owned(), ..Words::default() };
        let words = Words::read(body).unwrap_or_else(fallback);
        ProviderError::new(words.kind(), format!("{}: {}", self.name, words.message))
    }

    /// Something that should have been JSON of the interface.
    pub(super) fn rubbish(&self, data: &[u8]) -> ProviderError {
        const SHOWN: usize = 200;
        // Cleaned before it is cut, lest the cut split a key and hide it from the redactor.
        let shown = self.redactor.clean(&String::from_utf8_lossy(&data[..data.len().min(WORDS)]));
        let shown: String = shown.chars().take(SHOWN).collect();
        ProviderError::protocol(format!("{} sent what we cannot read: {shown}", self.name))
    }

    /// The same error without keys in its message.
    pub(super) fn cleaned(&self, error: ProviderError) -> ProviderError {
        ProviderError::new(error.kind, self.redactor.clean(&error.message))
    }

    /// The body as far as it comes, up to a limit.
    async fn read(&self, response: Response, limit: usize) -> Vec<u8> {
        let mut all = Vec::new();
        let mut body = response.bytes_stream();
        while let Some(Ok(bytes)) = body.next().await {
            let room = limit - all.len();
            all.extend_from_slice(&bytes[..bytes.len().min(room)]);
            if all.len() == limit {
                break;
            }
        }
        all
    }
}

fn build(url: &Url, connect: Duration, local: bool) -> reqwest::Result<Client> {
    // Without effect if the process has chosen a provider of cryptography already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut client = Client::builder()
        .user_agent(concat!("understudy/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(connect)
        .pool_idle_timeout(Duration::from_secs(60))
        // A POST that is redirected becomes a GET, or sends the prompt who knows where.
        .redirect(reqwest::redirect::Policy::none());
    if url.scheme() == "http" {
        // No certificate will be checked, so none need be read.
        client = client.tls_certs_only([]);
    }
    if local {
        client = client.no_proxy();
    }
    client.build()
}

/// The address of a path under a base address whose query is kept.
fn under(base: &Url, path: &str) -> Url {
    let mut url = base.clone();
    url.set_path(&format!("{}/{path}", base.path().trim_end_matches('/')));
    url
}

/// Whether an address is on this machine.
pub(crate) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// The answer of `GET /models`. Servers without any model write null.
#[derive(Deserialize)]
struct List {
    data: Option<Vec<Entry>>,
}

/// A model, with the names under which servers tell the size of its context.
#[derive(Deserialize)]
struct Entry {
    id: String,
    #[serde(default)]
    max_model_len: Option<u64>,
    #[serde(default)]
    context_length: Option<u64>,
    #[serde(default)]
    context_window: Option<u64>,
}

impl From<Entry> for Listed {
    fn from(entry: Entry) -> Self {
        let context = entry.max_model_len.or(entry.context_length).or(entry.context_window);
        Self { id: entry.id, context_window: context }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::ProviderErrorKind;

    fn host(base_url: &str, key: Option<&str>) -> Host {
        Host::new(CheckedProvider {
            name: "house".into(),
            base_url: crate::config::base_url(base_url).unwrap(),
            api_key: key.map(str::to_owned),
            headers: HeaderMap::new(),
            models: Vec::new(),
            timeouts: Timeouts::default(),
            retries: 0,
        })
    }

    #[test]
    fn paths_are_appended_and_queries_kept() {
        assert_eq!(host("http://x/v1/", None).chat.as_str(), "http://x/v1/chat/completions");
        assert_eq!(host("http://x", None).models.as_str(), "http://x/models");
        let azure = host("https://x/openai?api-version=2", None);
        assert_eq!(azure.chat.as_str(), "https://x/openai/chat/completions?api-version=2");
    }

    #[test]
    fn a_client_can_be_made_for_either_scheme() {
        assert!(host("http://x/v1", None).client().is_ok());
        // A machine without certificates gets an error; a missing provider of cryptography would
        // be a panic.
        let _ = host("https://x/v1", None).client().map(drop);
    }

    #[test]
    fn this_machine_is_known_by_its_names() {
        for local in ["http://localhost:1/v1", "http://127.0.0.1/v1", "http://[::1]:8/v1"] {
            assert!(host(local, None).local, "{local}");
        }
        assert!(!host("http://localhost.example/v1", None).local);
    }

    #[test]
    fn what_a_server_says_is_told_without_its_key() {
        let host = host("http://x/v1", Some("hunter2-key"));
        let error = host.reported(br#"{"message":"bad hunter2-key","type":"auth_error"}"#);
        assert_eq!(error.kind, ProviderErrorKind::Auth);
        assert_eq!(host.cleaned(error).message, "house: bad [key removed]");
        let padding = "x".repeat(195);
        let rubbish = host.rubbish(format!("{padding}hunter2-key").as_bytes());
        assert!(!rubbish.message.contains("hunte"), "{}", rubbish.message);
        let debug = format!("{:?}", host.headers);
        assert!(!debug.contains("hunter2"), "{debug}");
    }
}
