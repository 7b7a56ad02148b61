//! Any server that speaks the OpenAI chat-completions interface.
//!
//! Answers are asked for as a stream; a server that sends one JSON object all the same is
//! accepted. Until the first byte of an answer a busy, broken or unreachable server is asked
//! again, with growing, jittered pauses or the pause it asks for; from then on an answer is
//! complete or an error, never asked twice.

mod answer;
mod assemble;
mod embed;
mod encode;
mod host;
mod redact;
mod retry;
mod sse;
mod whole;
mod wire;
mod words;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use futures::StreamExt;
use reqwest::Url;
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use tokio::time::{Instant, timeout_at};

use crate::chat::{ChatModel, ChatRequest, ChatStream, ProviderError, ProviderErrorKind};
use crate::config::CheckedProvider;
use answer::{Answer, Body};
use assemble::Assembler;
pub(crate) use embed::OpenAiEmbedder;
use host::Host;
pub(crate) use host::is_loopback;
use retry::Failure;
pub(crate) use words::retry_after;

/// One server; all its models are asked through it.
pub struct OpenAi {
    host: Arc<Host>,
    /// The server does not know `stream_options` and must not be asked for the usage.
    uncounted: AtomicBool,
}

/// A model as a server lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listed {
    pub(crate) id: String,
    pub(crate) context_window: Option<u64>,
}

/// The beginning of an answer.
struct Opened {
    body: Body,
    first: Bytes,
    /// The server says that it sends one JSON object.
    json: bool,
}

impl OpenAi {
    pub(crate) fn new(provider: CheckedProvider) -> Self {
        Self { host: Arc::new(Host::new(provider)), uncounted: AtomicBool::new(false) }
    }

    /// A server on a port of this machine.
    pub(crate) fn local(name: &str, port: u16) -> Self {
        Self { host: Arc::new(Host::local(name, port)), uncounted: AtomicBool::new(false) }
    }

    pub(crate) fn name(&self) -> &str {
        &self.host.name
    }

    pub(crate) fn is_local(&self) -> bool {
        self.host.local
    }

    /// The models the server lists, in its order.
    pub(crate) async fn list(&self, within: Duration) -> Result<Vec<Listed>, ProviderError> {
        let host = &self.host;
        let listing = tokio::time::timeout(within, host.list());
        let late = |_| Err(ProviderError::timeout(format!("{} took too long", host.name)));
        listing.await.unwrap_or_else(late).map_err(|error| host.cleaned(error))
    }

    /// Asks once for an answer and waits for its first byte.
    async fn open(&self, url: &Url, body: Bytes) -> Result<Opened, Failure> {
        let host = &self.host;
        let deadline = Instant::now() + host.timeouts.first_byte();
        let late = |_| {
            let (name, s) = (&host.name, host.timeouts.first_byte_s);
            ProviderError::timeout(format!("{name} did not begin to answer within {s} s"))
        };
        let mut request = host.client()?.post(url.clone()).headers(host.headers.clone());
        request = request.header(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let response = timeout_at(deadline, request.body(body).send()).await.map_err(late)?;
        let response = response.map_err(|error| words::transport(&host.name, error))?;
        if !response.status().is_success() {
            return Err(host.failure(response, deadline).await);
        }
        let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let kind = kind.unwrap_or_default().to_ascii_lowercase();
        if kind.starts_with("text/html") {
            let text = format!("{} answered with a web page; is base_url right?", host.name);
            return Err(ProviderError::protocol(text).into());
        }
        let mut body: Body = Box::pin(response.bytes_stream());
        let first = timeout_at(deadline, body.next()).await.map_err(late)?;
        let first = first.transpose().map_err(|error| words::transport(&host.name, error))?;
        let json = kind.contains("json");
        Ok(Opened { body, first: first.unwrap_or_default(), json })
    }

    /// Asks until there is an answer or no hope of one.
    async fn insist(&self, request: &ChatRequest) -> Result<Opened, ProviderError> {
        let mut count = !self.uncounted.load(Ordering::Relaxed);
        let mut body = Bytes::from(encode::body(request, count));
        let mut attempt = 0;
        loop {
            let failure = match self.open(&self.host.chat, body.clone()).await {
                Ok(opened) => return Ok(opened),
                Err(failure) => failure.cleaned(&self.host),
            };
            if count && cannot_count(&failure.error) {
                self.uncounted.store(true, Ordering::Relaxed);
                count = false;
                body = encode::body(request, count).into();
                continue;
            }
            self.pause(&mut attempt, failure).await?;
        }
    }

    /// Waits before the next attempt; an error if there should be none.
    async fn pause(&self, attempt: &mut u32, failure: Failure) -> Result<(), ProviderError> {
        let Some(pause) = retry::pause(*attempt, self.host.retries, &failure) else {
            return Err(failure.error);
        };
        *attempt += 1;
        let (provider, error) = (&self.host.name, &failure.error);
        tracing::debug!(provider, %error, ?pause, attempt, "asking again");
        tokio::time::sleep(pause).await;
        Ok(())
    }
}

/// Whether a server refused only because it was asked for the usage.
fn cannot_count(error: &ProviderError) -> bool {
    let names = ["stream_options", "include_usage"];
    error.kind == ProviderErrorKind::Refused && names.iter().any(|key| error.message.contains(key))
}

#[async_trait]
impl ChatModel for OpenAi {
    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ProviderError> {
        let assembler = Assembler::new(request.input_chars());
        let opened = self.insist(&request).await?;
        drop(request);
        if whole::is_json(&opened.first, opened.json) {
            let answer = whole::read(&self.host, opened.body, opened.first, assembler).await;
            let deltas = answer.map_err(|error| self.host.cleaned(error))?;
            return Ok(Box::pin(futures::stream::iter(deltas.into_iter().map(Ok))));
        }
        let host = Arc::clone(&self.host);
        Ok(Box::pin(Answer::new(host, opened.body, opened.first, assembler)))
    }
}
