//! Requests and answers.

use std::time::Duration;

use base64::Engine;
use bytes::Bytes;
use chrono::Utc;
use reqwest::header::HeaderMap;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::config::Secret;

/// A request to be sent by the guarded client.
#[derive(Clone, Debug)]
pub struct WebRequest {
    /// The HTTP method: `GET`, `POST`, ...
    pub method: String,
    /// The absolute address.
    pub url: String,
    /// Added to the query of the address.
    pub query: Vec<(String, String)>,
    /// Headers. Those that belong to the connection cannot be set.
    pub headers: Vec<(String, String)>,
    /// Headers whose values are secrets: the header and the name of the secret.
    pub secrets: Vec<(String, String)>,
    /// A token for `Authorization: Bearer`. It goes to the server of the address and to no other, and what comes back
    /// does not hold it.
    pub bearer: Option<Secret>,
    /// The same in a header of another name.
    pub key: Option<(String, Secret)>,
    /// On whose behalf, which decides on the secrets.
    pub tenant: Option<Uuid>,
    /// The hosts that it may reach, redirects included, with their ports where those are not the usual ones:
    /// `api.example.org`, `api.example.org:8443`. Without a list, any.
    pub hosts: Option<Vec<String>>,
    /// The body to be sent.
    pub body: Option<Bytes>,
    /// The largest response body, in bytes.
    pub max_bytes: u64,
    /// How long all of it may take.
    pub timeout: Duration,
    /// Whether servers are asked first what programs may fetch (`robots.txt`).
    pub crawls: bool,
    /// Whether it goes where an answer leads to; else such an answer is an answer.
    pub redirects: bool,
}

impl WebRequest {
    /// A request without anything besides its address; 4 MiB and 30 seconds.
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
    /// The headers, without secrets that were sent.
    pub headers: HeaderMap,
    /// The body as it came, without secrets that were sent.
    pub body: Bytes,
    /// Where the answer comes from, after all redirects.
    pub final_url: String,
}

impl WebAnswer {
    /// How long the server asks to wait, if it does.
    pub fn retry_after(&self) -> Option<Duration> {
        crate::upstream::retry_after(&self.headers, Utc::now())
    }

    /// The media type, without its parameters and in lower case; empty where the server names none.
    pub fn media_type(&self) -> String {
        let header = self.headers.get("content-type").and_then(|value| value.to_str().ok());
        let kind = header.and_then(|value| value.split(';').next()).unwrap_or_default();
        kind.trim().to_ascii_lowercase()
    }

    /// The headers of an answer; those that came twice are put together.
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

    /// JSON as what it says, text as text, nothing as null, and all else in Base64.
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
