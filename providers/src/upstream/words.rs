//! Parses the error messages of providers and classifies failures.

use std::error::Error as _;
use std::io::ErrorKind;
use std::time::Duration;

use chrono::{DateTime, Utc};
use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde_json::Value;

use crate::chat::{ProviderError, ProviderErrorKind};

/// The non-standard status of an overloaded provider.
const OVERLOADED: u16 = 529;

/// The error that a provider reports.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ErrorBody {
    pub(crate) message: String,
    /// The error code or type, such as `insufficient_quota`.
    pub(crate) code: String,
    /// The HTTP status in the body.
    pub(crate) status: Option<u16>,
}

impl ErrorBody {
    /// Parses the body of an error response, or an error inside a stream. Servers send `{"error": {"message", "type",
    /// "code"}}`, `{"error": "..."}`, `{"message": "..."}`, `{"detail": "..." | [{"msg"}]}`, any of these in a list,
    /// plain text, or an HTML page, which is ignored.
    pub(crate) fn read(body: &[u8]) -> Option<Self> {
        let Ok(value) = serde_json::from_slice::<Value>(body) else {
            let text = String::from_utf8_lossy(body);
            let text = text.trim();
            let telling = !text.is_empty() && !text.starts_with(['<', '{', '[']);
            return telling.then(|| Self { message: text.to_owned(), ..Self::default() });
        };
        Self::parse(&value)
    }

    fn parse(value: &Value) -> Option<Self> {
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        match value {
            Value::String(text) if !text.trim().is_empty() => {
                return Some(Self { message: text.clone(), ..Self::default() });
            }
            Value::Array(all) => return all.iter().find_map(Self::parse),
            _ => {}
        }
        if let Some(inner) = value.get("error").and_then(Self::parse) {
            return Some(inner);
        }
        let message = ["message", "msg", "error_description"].iter().find_map(|key| text(key));
        let message = message.filter(|m| !m.trim().is_empty());
        let Some(message) = message else {
            return value.get("detail").and_then(Self::parse);
        };
        let numbers = ["code", "status", "status_code"].map(|key| value.get(key));
        let status = numbers
            .iter()
            .flatten()
            .find_map(|n| n.as_u64().or_else(|| n.as_str()?.parse().ok()).filter(|n| (400..600).contains(n)));
        // A number is a status and less specific than the name in another field.
        let named = |text: &String| text.parse::<u64>().is_err() && !text.trim().is_empty();
        let code = ["code", "type", "status"].iter().find_map(|key| text(key).filter(named));
        Some(Self { message, code: code.unwrap_or_default(), status: status.map(|s| s as u16) })
    }

    /// Classifies an error that was sent inside a stream.
    pub(crate) fn kind(&self) -> ProviderErrorKind {
        if let Some(status) = self.status {
            return self.kind_at(status, None);
        }
        let code = self.code.to_ascii_lowercase();
        let has = |parts: &[&str]| parts.iter().any(|part| code.contains(part));
        if has(&["overloaded", "unavailable"]) {
            ProviderErrorKind::Status(if has(&["overloaded"]) { OVERLOADED } else { 503 })
        } else if has(&["rate_limit", "quota", "too_many", "resource_exhausted"]) {
            ProviderErrorKind::RateLimited { retry_after: None }
        } else if has(&["auth", "permission", "api_key"]) || self.key_refused() {
            ProviderErrorKind::Auth
        } else if has(&["invalid", "context_length", "not_found", "too_large", "badrequest", "bad_request"]) {
            ProviderErrorKind::Refused
        } else {
            ProviderErrorKind::Status(500)
        }
    }

    /// Classifies an error response with this status and body.
    pub(crate) fn kind_at(&self, status: u16, retry_after: Option<Duration>) -> ProviderErrorKind {
        match status {
            // Gemini answers an invalid key with 400 like any other invalid argument.
            400 if self.key_refused() => ProviderErrorKind::Auth,
            status => kind_of(status, retry_after),
        }
    }

    fn key_refused(&self) -> bool {
        self.message.starts_with("API key not valid") || self.message.starts_with("API key expired")
    }

    /// Whether waiting will not help although the status suggests it.
    pub(crate) fn hopeless(&self) -> bool {
        ["insufficient_quota", "billing"].iter().any(|part| self.code.contains(part))
    }
}

/// Classifies an HTTP status.
pub(crate) fn kind_of(status: u16, retry_after: Option<Duration>) -> ProviderErrorKind {
    match status {
        401 | 403 => ProviderErrorKind::Auth,
        429 => ProviderErrorKind::RateLimited { retry_after },
        400 | 404 | 405 | 413 | 415 | 422 => ProviderErrorKind::Refused,
        other => ProviderErrorKind::Status(other),
    }
}

/// Formats a status, such as `429 Too Many Requests`.
pub(crate) fn status_text(status: StatusCode) -> String {
    match status.canonical_reason() {
        Some(reason) => format!("{} {reason}", status.as_u16()),
        None => status.as_u16().to_string(),
    }
}

/// How long the server asks us to wait: `retry-after-ms`, or `Retry-After` in seconds or as an HTTP date.
pub(crate) fn retry_after(headers: &HeaderMap, now: DateTime<Utc>) -> Option<Duration> {
    let header = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let seconds = |text: &str, unit: f64| {
        let value: f64 = text.parse().ok()?;
        Duration::try_from_secs_f64(value * unit).ok()
    };
    if let Some(wait) = header("retry-after-ms").and_then(|text| seconds(text, 0.001)) {
        return Some(wait);
    }
    let text = header("retry-after")?;
    seconds(text, 1.0).or_else(|| {
        let date = DateTime::parse_from_rfc2822(text).ok()?;
        // A date in the past means no wait.
        Some((date.with_timezone(&Utc) - now).to_std().unwrap_or_default())
    })
}

/// Converts a transport error. The message contains no URL, since a URL may contain a key.
pub(crate) fn transport(name: &str, error: reqwest::Error) -> ProviderError {
    let error = error.without_url();
    let root = root(&error);
    if error.is_connect() {
        let why = if error.is_timeout() { "no connection in time".to_owned() } else { root };
        return ProviderError::connect(format!("{name} could not be reached: {why}"));
    }
    if error.is_timeout() {
        return ProviderError::timeout(format!("{name} took too long"));
    }
    if broken(&error) {
        return ProviderError::connect(format!("{name} closed the connection before responding: {root}"));
    }
    ProviderError::protocol(format!("{name} sent invalid HTTP: {root}"))
}

/// The innermost cause, which is the most specific.
pub(crate) fn root(error: &reqwest::Error) -> String {
    causes(error).last().map_or_else(|| error.to_string(), ToString::to_string)
}

/// Whether the connection broke, as opposed to the server sending invalid HTTP.
fn broken(error: &reqwest::Error) -> bool {
    causes(error).any(|cause| match cause.downcast_ref::<std::io::Error>() {
        Some(error) => !matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::InvalidData),
        None => {
            let text = cause.to_string();
            ["connection closed", "operation was canceled"].iter().any(|part| text.contains(part))
        }
    })
}

fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn std::error::Error + 'static)> {
    std::iter::successors(error.source(), |&cause| cause.source())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> ErrorBody {
        ErrorBody::read(body.as_bytes()).unwrap_or_default()
    }

    #[test]
    fn error_body_parses_the_formats_of_common_servers() {
        let openai = read(r#"{"error":{"message":"no","type":"t","param":null,"code":"c"}}"#);
        assert_eq!((openai.message.as_str(), openai.code.as_str()), ("no", "c"));
        let typed = read(r#"{"error":{"message":"no","type":"rate_limit_error","code":null}}"#);
        assert_eq!(typed.kind(), ProviderErrorKind::RateLimited { retry_after: None });
        for body in [
            r#"{"error":"no"}"#,
            r#"{"object":"error","message":"no"}"#,
            r#"{"detail":"no"}"#,
            r#"{"detail":[{"loc":["body"],"msg":"no"}]}"#,
            r#"[{"error":{"code":400,"message":"no"}}]"#,
            " no\n",
            "\"no\"",
        ] {
            assert_eq!(read(body).message, "no", "{body}");
        }
        assert_eq!(read(r#"{"error":{"code":400,"message":"no"}}"#).status, Some(400));
        let numbered = read(r#"{"error":{"code":"503","type":"overloaded","message":"no"}}"#);
        assert_eq!((numbered.status, numbered.code.as_str()), (Some(503), "overloaded"));
    }

    #[test]
    fn error_body_ignores_html_and_invalid_data() {
        for body in ["<html><h1>502</h1></html>", "", "  ", "{\"a\":1}", "{\"error\":", "null"] {
            assert_eq!(ErrorBody::read(body.as_bytes()), None, "{body}");
        }
    }

    #[test]
    fn kind_classifies_errors_inside_a_stream() {
        let kind = |code: &str| ErrorBody { code: code.to_owned(), ..ErrorBody::default() }.kind();
        assert_eq!(kind("context_length_exceeded"), ProviderErrorKind::Refused);
        assert_eq!(kind("authentication_error"), ProviderErrorKind::Auth);
        assert_eq!(kind("overloaded_error"), ProviderErrorKind::Status(529));
        assert_eq!(kind("UNAVAILABLE"), ProviderErrorKind::Status(503));
        assert_eq!(kind("api_error"), ProviderErrorKind::Status(500));
        let status = ErrorBody { status: Some(503), ..ErrorBody::default() };
        assert_eq!(status.kind(), ProviderErrorKind::Status(503));
    }

    #[test]
    fn kind_at_recognizes_an_invalid_key_by_its_message() {
        let words = read(
            r#"{"error":{"code":400,"message":"API key not valid. Pass one.","status":"INVALID_ARGUMENT"}}"#,
        );
        assert_eq!(words.kind_at(400, None), ProviderErrorKind::Auth);
        assert_eq!(ErrorBody::default().kind_at(400, None), ProviderErrorKind::Refused);
    }

    #[test]
    fn retry_after_parses_all_forms() {
        let now = DateTime::parse_from_rfc3339("2026-03-01T12:00:00Z").unwrap().to_utc();
        let wait = |name: &'static str, value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().unwrap());
            retry_after(&headers, now)
        };
        let ms = |n| Some(Duration::from_millis(n));
        assert_eq!(wait("retry-after", "7"), ms(7_000));
        assert_eq!(wait("retry-after", "0.25"), ms(250));
        assert_eq!(wait("retry-after-ms", "40"), ms(40));
        assert_eq!(wait("retry-after", "Sun, 01 Mar 2026 12:00:09 GMT"), ms(9_000));
        assert_eq!(wait("retry-after", "Sun, 01 Mar 2026 11:00:00 GMT"), ms(0));
        for rubbish in ["", "soon", "-1", "NaN", "1e300", "2026-03-01"] {
            assert_eq!(wait("retry-after", rubbish), None, "{rubbish}");
        }
        assert_eq!(retry_after(&HeaderMap::new(), now), None);
    }
}
