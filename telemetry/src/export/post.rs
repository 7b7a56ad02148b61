//! Sends one request to the receiver, with retries.

use std::time::Duration;

use rand::Rng;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::{Client, StatusCode};

use super::{Settings, StartError};

/// Maximum number of attempts to deliver one request, including the first.
const ATTEMPTS: u32 = 5;
/// Maximum delay between two attempts, even if the receiver asks for more.
const MAX_PAUSE: Duration = Duration::from_secs(30);
/// Maximum number of characters of a receiver's response that are logged.
const LOGGED: usize = 300;

/// The client for requests to the receiver.
#[derive(Debug)]
pub(super) struct Post {
    client: Client,
    retry: Duration,
}

/// The error of a request that was not delivered.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Undelivered(String);

enum Failure {
    /// A repetition of the request may succeed, after this delay if given.
    Passing(String, Option<Duration>),
    Lasting(String),
}

impl Post {
    pub fn new(settings: &Settings) -> Result<Self, StartError> {
        let mut headers = HeaderMap::new();
        for (name, value) in &settings.headers {
            let bad = || StartError::Header(name.clone());
            let mut value = HeaderValue::from_str(value).map_err(|_| bad())?;
            value.set_sensitive(true);
            headers.insert(HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad())?, value);
        }
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        // Has no effect if the process has already installed a crypto provider.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut client = Client::builder()
            .user_agent(concat!("understudy/", env!("CARGO_PKG_VERSION")))
            .default_headers(headers)
            .timeout(settings.timeout)
            // The headers may contain an API key for the receiver.
            .redirect(reqwest::redirect::Policy::none());
        let urls = [&settings.traces, &settings.metrics];
        if urls.iter().flat_map(|url| url.as_deref()).all(|url| url.starts_with("http://")) {
            // No certificate will be verified, so none have to be loaded.
            client = client.tls_certs_only([]);
        }
        let client = client.build().map_err(|why| StartError::Client(why.to_string()))?;
        Ok(Self { client, retry: settings.retry })
    }

    /// Delivers a body. Retries after failures that may be transient.
    pub async fn deliver(&self, url: &str, body: Vec<u8>) -> Result<(), Undelivered> {
        let body = bytes::Bytes::from(body);
        let mut pause = self.retry;
        for attempt in 1.. {
            let (why, retry_after) = match self.once(url, body.clone()).await {
                Ok(()) => return Ok(()),
                Err(Failure::Lasting(why)) => return Err(Undelivered(why)),
                Err(Failure::Passing(why, retry_after)) => (why, retry_after),
            };
            if attempt >= ATTEMPTS {
                return Err(Undelivered(format!("{why}, {ATTEMPTS} times")));
            }
            // Jitter prevents many servers that lost the same receiver from retrying at the same moment.
            let jittered = pause.mul_f64(rand::rng().random_range(0.8..1.2));
            tokio::time::sleep(retry_after.unwrap_or(jittered).min(MAX_PAUSE)).await;
            pause = (pause * 2).min(MAX_PAUSE);
        }
        Ok(())
    }

    async fn once(&self, url: &str, body: bytes::Bytes) -> Result<(), Failure> {
        let sent = self.client.post(url).body(body).send().await;
        let answer = sent.map_err(|why| Failure::Passing(plain(&why), None))?;
        let status = answer.status();
        if status.is_success() {
            return Ok(());
        }
        let retry_after =
            answer.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
        let mut text = answer.text().await.unwrap_or_default();
        text.truncate(text.char_indices().nth(LOGGED).map_or(text.len(), |(at, _)| at));
        let why = format!("the receiver answered {status}: {text}");
        // The statuses that the OTLP/HTTP specification lists as retryable.
        match status {
            StatusCode::TOO_MANY_REQUESTS
            | StatusCode::BAD_GATEWAY
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::GATEWAY_TIMEOUT => Err(Failure::Passing(why, retry_after.map(Duration::from_secs))),
            _ => Err(Failure::Lasting(why)),
        }
    }
}

/// Formats the error with its causes, without the URL, which may contain an API key.
fn plain(why: &reqwest::Error) -> String {
    let mut text = if why.is_timeout() {
        "the receiver did not answer in time"
    } else {
        "the receiver cannot be reached"
    }
    .to_owned();
    let mut cause = std::error::Error::source(why);
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}
