use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Url};
use tokio::time::{Instant, timeout_at};

use super::circuit::{Permit, Verdict};
use super::form::Form;
use super::host::Line;
use super::reply::{Body, Reply};
use super::retry::{self, Failure};
use super::words;
use crate::chat::{ProviderError, ProviderErrorKind};

/// One request to a host.
#[derive(Clone)]
pub(crate) struct Ask {
    method: Method,
    url: Url,
    /// The provider's own id of the requested model, under which failures are counted; empty if there is none.
    model: String,
    body: Option<(HeaderValue, Bytes)>,
    headers: HeaderMap,
    again: bool,
    guarded: bool,
    /// Statuses besides 2xx that count as success.
    accepted: &'static [u16],
}

impl Ask {
    fn new(method: Method, url: Url) -> Self {
        let headers = HeaderMap::new();
        Self {
            method,
            url,
            model: String::new(),
            body: None,
            headers,
            again: true,
            guarded: true,
            accepted: &[],
        }
    }

    pub(crate) fn get(url: Url) -> Self {
        Self::new(Method::GET, url)
    }

    pub(crate) fn delete(url: Url) -> Self {
        Self::new(Method::DELETE, url)
    }

    /// A `POST` with a JSON body.
    pub(crate) fn json(url: Url, model: &str, body: impl Into<Bytes>) -> Self {
        let body = Some((HeaderValue::from_static("application/json"), body.into()));
        Self { model: model.to_owned(), body, ..Self::new(Method::POST, url) }
    }

    /// A `POST` with a form.
    pub(crate) fn form(url: Url, model: &str, form: Form) -> Self {
        Self { model: model.to_owned(), body: Some(form.finish()), ..Self::new(Method::POST, url) }
    }

    /// Creates a `POST` with fields that are already encoded as `application/x-www-form-urlencoded`.
    pub(crate) fn urlencoded(url: Url, fields: String) -> Self {
        let kind = HeaderValue::from_static("application/x-www-form-urlencoded");
        Self { body: Some((kind, fields.into())), ..Self::new(Method::POST, url) }
    }

    /// Also accepts these statuses as success.
    #[must_use]
    pub(crate) fn accepting(mut self, statuses: &'static [u16]) -> Self {
        self.accepted = statuses;
        self
    }

    #[must_use]
    pub(crate) fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    /// Disables retries, for requests that must not take effect twice.
    #[must_use]
    pub(crate) fn once(mut self) -> Self {
        self.again = false;
        self
    }

    /// Bypasses the circuit breaker, for health checks.
    #[must_use]
    pub(crate) fn unguarded(mut self) -> Self {
        self.guarded = false;
        self
    }
}

impl Line {
    /// Sends the request, with retries, until a response begins or retrying is pointless. Resolves once the first
    /// bytes of the body have arrived (an empty body has none). Statuses other than 2xx are errors.
    ///
    /// # Errors
    /// Returns the reason why no response began, with the provider's message and without keys.
    pub(crate) async fn ask(&self, ask: Ask) -> Result<Reply, ProviderError> {
        let retries = if ask.again { self.host.retries } else { 0 };
        let (mut attempt, mut last) = (0, None);
        loop {
            let permit = match self.host.circuit.enter(&ask.model, ask.guarded) {
                Ok(permit) => permit,
                // The last real error is more useful than the open circuit.
                Err(wait) => return Err(last.unwrap_or_else(|| self.circuit_open(&ask.model, wait))),
            };
            let failure = match self.once(&ask, permit).await {
                Ok(reply) => return Ok(reply),
                Err(failure) => failure,
            };
            let Some(pause) = retry::pause(attempt, retries, &failure) else {
                return Err(failure.error);
            };
            attempt += 1;
            let (provider, error) = (self.name(), &failure.error);
            tracing::debug!(provider, %error, ?pause, attempt, "asking again");
            tokio::time::sleep(pause).await;
            last = Some(failure.error);
        }
    }

    /// Sends the request once and records the result in the circuit; keys are removed from the error.
    async fn once(&self, ask: &Ask, permit: Permit) -> Result<Reply, Failure> {
        match self.open(ask).await {
            Ok(reply) => {
                permit.record(Verdict::Answered);
                Ok(reply)
            }
            Err(mut failure) => {
                failure.error = self.cleaned(failure.error);
                permit.record(Verdict::Failed { error: &failure.error, own: self.is_own() });
                Err(failure)
            }
        }
    }

    async fn open(&self, ask: &Ask) -> Result<Reply, Failure> {
        let host = &self.host;
        let deadline = Instant::now() + host.timeouts.first_byte();
        let late = |_| {
            let (name, s) = (&host.name, host.timeouts.first_byte_s);
            ProviderError::timeout(format!("{name} did not begin to respond within {s} s"))
        };
        let mut request = host.client()?.request(ask.method.clone(), ask.url.clone()).headers(self.headers());
        if !ask.headers.is_empty() {
            request = request.headers(ask.headers.clone());
        }
        if let Some(trace) = telemetry::trace::outgoing() {
            request = request.header("traceparent", trace);
        }
        if let Some((kind, body)) = &ask.body {
            request = request.header(CONTENT_TYPE, kind.clone()).body(body.clone());
        }
        let response = timeout_at(deadline, request.send()).await.map_err(late)?;
        let response = response.map_err(|error| {
            let reached = !error.is_connect();
            let described = words::transport(&host.name, error);
            match reached && !ask.again && described.kind == ProviderErrorKind::Connect {
                // It is unknown whether a request that must not take effect twice has taken effect.
                true => ProviderError::protocol(described.message),
                false => described,
            }
        })?;
        let status = response.status();
        if !status.is_success() && !ask.accepted.contains(&status.as_u16()) {
            return Err(self.failure(response, deadline).await);
        }
        let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let kind = kind.unwrap_or_default().to_ascii_lowercase();
        if kind.starts_with("text/html") {
            let text = format!("{} responded with a web page; check base_url", host.name);
            return Err(ProviderError::protocol(text).into());
        }
        let mut body: Body = Box::pin(response.bytes_stream());
        let first = timeout_at(deadline, body.next()).await.map_err(late)?;
        let first = first.transpose().map_err(|error| words::transport(&host.name, error))?;
        Ok(Reply {
            line: self.clone(),
            status: status.as_u16(),
            kind,
            first: first.unwrap_or_default(),
            body,
        })
    }

    /// The error of a request that an open circuit rejects.
    fn circuit_open(&self, model: &str, wait: Duration) -> ProviderError {
        let of = if model.is_empty() { String::new() } else { format!(" (asked for {model})") };
        let seconds = wait.as_secs_f64().ceil();
        let text = format!("{}{of} has failed repeatedly and will be retried in {seconds} s", self.name());
        ProviderError::new(ProviderErrorKind::Unavailable { retry_after: Some(wait) }, text)
    }
}
