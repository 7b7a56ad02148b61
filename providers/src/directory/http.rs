//! Directories that are asked by HTTP.
//!
//! A directory is where an administrator of a tenant says, and often in a private network: the operator says which
//! servers may be named ([`Reach`](super::Reach)), and connections are made to their checked addresses only.

use std::sync::Arc;

use reqwest::Url;
use serde::de::DeserializeOwned;
use tokio::time::{Instant, timeout_at};

use super::{DirectoryError, DirectoryErrorKind, DirectoryLimits};
use crate::chat::{Keys, ProviderErrorKind};
use crate::config::{CheckedProvider, Timeouts};
use crate::upstream::{Ask, Host, Line, Redactor};

/// The largest page, in bytes.
const LARGEST: usize = 64 << 20;
/// Times that a page is fetched whose connection breaks in its midst.
const BROKEN: u32 = 2;

/// One server, asked with one token.
pub(super) struct Site {
    line: Line,
    base: Url,
    secrets: Redactor,
    limits: DirectoryLimits,
}

/// What a server answered.
pub(super) enum PageResponse<T> {
    Page(T),
    /// There is nothing of the name (404).
    Nothing,
    /// What was given out before is too old (410).
    TooOld,
}

impl Site {
    /// `token` goes out with each request; `secrets` are taken out of whatever the server says.
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

    /// The address of a path below the base, with these parameters.
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

    /// An address that the server gave out. One at another server is refused: the token would go there.
    pub fn same_origin(&self, link: &str) -> Result<Url, DirectoryError> {
        let url = Url::parse(link).ok().filter(|url| url.origin() == self.base.origin());
        url.ok_or_else(|| DirectoryError::failed("the directory redirects to another server"))
    }

    /// A page of JSON.
    pub async fn page<T: DeserializeOwned>(&self, url: Url) -> Result<PageResponse<T>, DirectoryError> {
        let mut broken = 0;
        loop {
            match self.once(Ask::get(url.clone()).accepting(&[404, 410])).await {
                Err((why, true)) if broken < BROKEN => {
                    broken += 1;
                    tracing::debug!(%why, "a page of a directory is fetched again");
                }
                Err((why, _)) => return Err(why),
                Ok((404, _)) => return Ok(PageResponse::Nothing),
                Ok((410, _)) => return Ok(PageResponse::TooOld),
                Ok((_, body)) => return read(&body).map(PageResponse::Page),
            }
        }
    }

    /// A page that has to be there.
    pub async fn must<T: DeserializeOwned>(&self, url: Url) -> Result<T, DirectoryError> {
        match self.page(url).await? {
            PageResponse::Page(page) => Ok(page),
            PageResponse::Nothing | PageResponse::TooOld => {
                Err(DirectoryError::failed("the directory responded with 404; check base_url"))
            }
        }
    }

    /// Posts a form as browsers do.
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

    /// Asks; the flag says whether the connection broke in mid-answer.
    async fn once(&self, ask: Ask) -> Result<(u16, bytes::Bytes), (DirectoryError, bool)> {
        // The client checks addresses that it has looked up; here a refusal is told as what it is, and not repeated.
        self.limits.reach.addresses(&self.base).await.map_err(|why| (why, false))?;
        let unreachable = |why: crate::ProviderError| {
            let broken =
                why.kind == ProviderErrorKind::Protocol && why.message.contains("ended the response early");
            (self.cleaned(why.into()), broken)
        };
        let reply = self.line.ask(ask).await.map_err(unreachable)?;
        let status = reply.status;
        // A server that sends a byte now and then is not waited for as long as it likes.
        let until = Instant::now() + self.limits.request * 4;
        let body = timeout_at(until, reply.whole(LARGEST)).await.map_err(|_| {
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

/// What a token endpoint says of a wrong secret, an unknown application, a wrong directory (RFC 6749, 5.2). Anything
/// else is not repeated: it may come from a server that is no token endpoint.
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
    // What it sent instead is not repeated: it may be of a server that is no directory at all.
    serde_json::from_slice(body)
        .map_err(|why| DirectoryError::failed(format!("the directory sent an invalid response: {why}")))
}
