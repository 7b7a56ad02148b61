//! HTTP client for directories.
//!
//! An administrator of a tenant chooses the server of a directory, which is often in a private network. The operator
//! configures which servers may be chosen ([`Reach`](super::Reach)), and connections are made only to addresses that
//! were checked.

use std::sync::Arc;

use reqwest::Url;
use serde::de::DeserializeOwned;
use tokio::time::{Instant, timeout_at};

use super::{DirectoryError, DirectoryErrorKind, DirectoryLimits};
use crate::chat::{Keys, ProviderErrorKind};
use crate::config::{CheckedProvider, Timeouts};
use crate::upstream::{Ask, Host, Line, Redactor};

/// Maximum size of a page in bytes.
const MAX_BYTES: usize = 64 << 20;
/// Maximum number of times that a page is fetched again after its connection broke.
const BROKEN: u32 = 2;

/// A server with the token for its requests.
pub(super) struct Site {
    line: Line,
    base: Url,
    secrets: Redactor,
    limits: DirectoryLimits,
}

/// The response of a server.
pub(super) enum PageResponse<T> {
    Page(T),
    /// The object does not exist (404).
    Nothing,
    /// The delta link is too old (410).
    TooOld,
}

impl Site {
    /// Creates the client of a server. `token` is sent with each request; `secrets` are removed from error messages.
    pub fn new(
        base: &str,
        token: Option<&str>,
        secrets: &[&str],
        limits: DirectoryLimits,
    ) -> Result<Self, DirectoryError> {
        let base = Url::parse(base.trim_end_matches('/'))
            .map_err(|why| DirectoryError::invalid(format!("the address cannot be used: {why}")))?;
        let seconds = limits.request.as_secs_f64();
        let provider = CheckedProvider {
            api_key: token.map(str::to_owned),
            retries: limits.retries,
            timeouts: Timeouts {
                first_byte_s: seconds,
                idle_s: seconds,
                connect_s: limits.connect.as_secs_f64(),
            },
            resolver: Some(limits.reach.resolver(&base)),
            ..CheckedProvider::new("the directory", base.clone())
        };
        let host = Arc::new(Host::new(provider));
        let line = host.line(&Keys::default())?;
        let secrets = secrets.iter().chain(token.as_ref()).map(|secret| (*secret).to_owned());
        Ok(Self { line, base, secrets: Redactor::new(secrets), limits })
    }

    /// Returns the URL of a path below the base URL, with these query parameters.
    pub fn url(&self, path: &[&str], query: &[(&str, &str)]) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        url
    }

    /// Parses a URL from the server's response. A URL of another server is rejected, since the token would be sent to
    /// it.
    pub fn same_origin(&self, link: &str) -> Result<Url, DirectoryError> {
        let url = Url::parse(link).ok().filter(|url| url.origin() == self.base.origin());
        url.ok_or_else(|| DirectoryError::failed("the directory redirects to another server"))
    }

    /// Fetches a page and parses it as JSON.
    pub async fn page<T: DeserializeOwned>(&self, url: Url) -> Result<PageResponse<T>, DirectoryError> {
        let mut broken = 0;
        loop {
            match self.once(Ask::get(url.clone()).accepting(&[404, 410])).await {
                Err((why, true)) if broken < BROKEN => {
                    broken += 1;
                    tracing::debug!(%why, "retrying a page of a directory");
                }
                Err((why, _)) => return Err(why),
                Ok((404, _)) => return Ok(PageResponse::Nothing),
                Ok((410, _)) => return Ok(PageResponse::TooOld),
                Ok((_, body)) => return read(&body).map(PageResponse::Page),
            }
        }
    }

    /// Fetches a page that must exist.
    pub async fn must<T: DeserializeOwned>(&self, url: Url) -> Result<T, DirectoryError> {
        match self.page(url).await? {
            PageResponse::Page(page) => Ok(page),
            PageResponse::Nothing | PageResponse::TooOld => {
                Err(DirectoryError::failed("the directory responded with 404; check base_url"))
            }
        }
    }

    /// Posts a form in URL encoding.
    pub async fn post_form<T: DeserializeOwned>(
        &self,
        url: Url,
        fields: &[(&str, &str)],
    ) -> Result<T, DirectoryError> {
        let mut form = Url::parse("form:").map_err(|why| DirectoryError::invalid(why.to_string()))?;
        form.query_pairs_mut().extend_pairs(fields);
        let body = form.query().unwrap_or_default().to_owned();
        let ask = Ask::urlencoded(url, body).accepting(&[400]);
        let (status, body) = self.once(ask).await.map_err(|(why, _)| why)?;
        if status == 400 {
            let why = format!("the directory did not issue a token: {}", refusal(&body));
            return Err(self.cleaned(DirectoryError::new(DirectoryErrorKind::Refused, why)));
        }
        read(&body)
    }

    /// Sends a request; the flag of an error is true if the connection broke during the response.
    async fn once(&self, ask: Ask) -> Result<(u16, bytes::Bytes), (DirectoryError, bool)> {
        // The client checks the addresses that it resolves; checking them here first yields a clear error without
        // retries.
        self.limits.reach.addresses(&self.base).await.map_err(|why| (why, false))?;
        let unreachable = |why: crate::ProviderError| {
            let broken =
                why.kind == ProviderErrorKind::Protocol && why.message.contains("ended the response early");
            (self.cleaned(why.into()), broken)
        };
        let reply = self.line.ask(ask).await.map_err(unreachable)?;
        let status = reply.status;
        // Limits the total time, so that a server that sends only a byte now and then cannot keep the request open.
        let until = Instant::now() + self.limits.request * 4;
        let body = timeout_at(until, reply.whole(MAX_BYTES)).await.map_err(|_| {
            (
                DirectoryError::new(
                    DirectoryErrorKind::Timeout,
                    "the directory took too long to send a page",
                ),
                false,
            )
        })?;
        Ok((status, body.map_err(unreachable)?))
    }

    fn cleaned(&self, why: DirectoryError) -> DirectoryError {
        DirectoryError::new(why.kind, self.secrets.clean(&why.message))
    }
}

/// Returns the error that a token endpoint reports for a wrong secret, an unknown application or a wrong tenant (RFC
/// 6749, 5.2). Other text is not repeated, since the server may not be a token endpoint.
fn refusal(body: &[u8]) -> String {
    const CODES: [&str; 6] = [
        "invalid_request",
        "invalid_client",
        "invalid_grant",
        "unauthorized_client",
        "unsupported_grant_type",
        "invalid_scope",
    ];
    const SHOWN: usize = 500;
    #[derive(serde::Deserialize)]
    struct Refusal {
        error: String,
        error_description: Option<String>,
    }
    let known = serde_json::from_slice::<Refusal>(body).ok();
    let Some(Refusal { error, error_description }) = known.filter(|it| CODES.contains(&it.error.as_str()))
    else {
        return "it answered 400".to_owned();
    };
    match error_description {
        Some(words) => format!("{error}: {}", words.chars().take(SHOWN).collect::<String>()),
        None => error,
    }
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, DirectoryError> {
    // The response is not repeated in the error, since the server may not be a directory.
    serde_json::from_slice(body)
        .map_err(|why| DirectoryError::failed(format!("the directory sent an invalid response: {why}")))
}
