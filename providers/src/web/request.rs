//! Requests and responses of the web client.

use std::time::Duration;

use base64::Engine;
use bytes::Bytes;
use chrono::Utc;
use reqwest::header::HeaderMap;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::config::Secret;

/// A request for the guarded client.
#[derive(Clone, Debug)]
pub struct WebRequest {
    /// The HTTP method: `GET`, `POST`, ...
    pub method: String,
    /// The absolute URL.
    pub url: String,
    /// Parameters that are added to the URL's query.
    pub query: Vec<(String, String)>,
    /// The headers. Headers that belong to the connection cannot be set.
    pub headers: Vec<(String, String)>,
    /// Headers with secret values: the name of the header and the name of the secret.
    pub secrets: Vec<(String, String)>,
    /// A token for `Authorization: Bearer`. It is sent only to the server of the URL, and is removed from the
    /// response.
    pub bearer: Option<Secret>,
    /// A secret for a header of another name: the header and the value.
    pub key: Option<(String, Secret)>,
    /// The tenant on whose behalf the request is sent, which determines the available secrets.
    pub tenant: Option<Uuid>,
    /// The hosts that the request may connect to, including redirects, with the port unless it is the scheme's
    /// default: `api.example.org`, `api.example.org:8443`. `None` permits any host.
    pub hosts: Option<Vec<String>>,
    /// The body to be sent.
    pub body: Option<Bytes>,
    /// The largest response body, in bytes.
    pub max_bytes: u64,
    /// Timeout for the whole request, including redirects.
    pub timeout: Duration,
    /// Whether to respect the server's `robots.txt`.
    pub crawls: bool,
    /// Whether to follow redirects; otherwise the redirect response is returned.
    pub redirects: bool,
}

impl WebRequest {
    /// Creates a request with default settings: a limit of 4 MiB and a timeout of 30 seconds.
    pub fn new(method: impl Into<String>, url: impl Into<String>) -> Self {
        Self {
            method: method.into(),
            url: url.into(),
            query: Vec::new(),
            headers: Vec::new(),
            secrets: Vec::new(),
            bearer: None,
            key: None,
            tenant: None,
            hosts: None,
            body: None,
            max_bytes: 4 << 20,
            timeout: Duration::from_secs(30),
            crawls: false,
            redirects: true,
        }
    }
}

/// A whole response.
#[derive(Clone, Debug)]
pub struct WebAnswer {
    /// The HTTP status.
    pub status: u16,
    /// The headers, with sent secrets removed.
    pub headers: HeaderMap,
    /// The body, with sent secrets removed.
    pub body: Bytes,
    /// The URL of the response, after all redirects.
    pub final_url: String,
}

impl WebAnswer {
    /// How long the server asks to wait before a retry.
    pub fn retry_after(&self) -> Option<Duration> {
        crate::upstream::retry_after(&self.headers, Utc::now())
    }

    /// The media type without parameters, in lower case; empty if the server sent none.
    pub fn media_type(&self) -> String {
        let header = self.headers.get("content-type").and_then(|value| value.to_str().ok());
        let kind = header.and_then(|value| value.split(';').next()).unwrap_or_default();
        kind.trim().to_ascii_lowercase()
    }

    /// Returns the headers as JSON; repeated headers are joined.
    pub fn headers_json(&self) -> Map<String, Value> {
        let mut all: Map<String, Value> = Map::new();
        for (name, value) in &self.headers {
            let value = String::from_utf8_lossy(value.as_bytes());
            match all.get_mut(name.as_str()) {
                Some(Value::String(before)) => {
                    before.push_str(", ");
                    before.push_str(&value);
                }
                _ => {
                    all.insert(name.as_str().to_owned(), value.into());
                }
            }
        }
        all
    }

    /// Converts the body to JSON: parsed JSON, text as a string, an empty body as null, and anything else as Base64.
    pub fn body_json(&self) -> Value {
        if self.body.is_empty() {
            return Value::Null;
        }
        let kind = self.media_type();
        let json = kind == "application/json" || kind.ends_with("+json");
        if json && let Ok(value) = serde_json::from_slice(&self.body) {
            return value;
        }
        match std::str::from_utf8(&self.body) {
            Ok(text) => text.into(),
            Err(_) if kind.starts_with("text/") => String::from_utf8_lossy(&self.body).into(),
            Err(_) => base64::engine::general_purpose::STANDARD.encode(&self.body).into(),
        }
    }
}
