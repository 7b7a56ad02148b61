//! Responses that are read as a stream.

use std::time::Duration;

use bytes::Bytes;
use chrono::Utc;
use futures::stream::BoxStream;
use futures::{StreamExt, stream};
use reqwest::header::HeaderMap;
use reqwest::{Response, Url};

use super::error::{self, WebError, WebErrorKind};
use super::{WebClient, WebRequest};
use crate::collected::{CollectedBody, TooLong};

/// A response whose body is being received. Dropping it closes the connection.
pub struct WebStream {
    /// The HTTP status.
    pub status: u16,
    /// The response headers, without secrets.
    pub headers: HeaderMap,
    /// The URL of the response, after all redirects.
    pub final_url: String,
    body: BoxStream<'static, Result<Bytes, WebError>>,
}

impl WebClient {
    /// Sends a request, follows redirects, and returns the response as soon as its headers have arrived. The
    /// request's `timeout` covers that time; the timeout for the body is up to the reader. `max_bytes` applies to the
    /// whole body. Configured secrets cannot be sent this way, since they would not be removed from the response.
    ///
    /// # Errors
    /// Returns the reason why no headers arrived; the message does not contain the URL's query.
    pub async fn open(&self, request: WebRequest) -> Result<WebStream, WebError> {
        if !request.secrets.is_empty() {
            let why = "secrets cannot be sent with a request whose response is streamed";
            return Err(WebError::unsent(WebErrorKind::Secret, why));
        }
        let (patience, max_bytes) = (request.timeout, request.max_bytes);
        let arrived = tokio::time::timeout(patience, self.0.arrive(request)).await;
        let (response, from, _) = arrived.unwrap_or_else(|_| Err(WebError::timeout(patience)))?;
        WebStream::new(response, from, max_bytes)
    }
}

impl WebStream {
    fn new(response: Response, from: Url, max_bytes: u64) -> Result<Self, WebError> {
        if response.content_length().is_some_and(|length| length > max_bytes) {
            return Err(WebError::too_large(max_bytes));
        }
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let pieces = response.bytes_stream().map(|piece| piece.map_err(error::of_transport));
        // The remaining bytes of the limit; `None` once the body has ended in an error.
        let body = stream::unfold((pieces, Some(max_bytes)), move |(mut pieces, remaining)| async move {
            let room = remaining?;
            let piece = pieces.next().await?;
            let checked = piece.and_then(|piece| match room.checked_sub(piece.len() as u64) {
                Some(room) => Ok((piece, room)),
                None => Err(WebError::too_large(max_bytes)),
            });
            let remaining = checked.as_ref().ok().map(|(_, room)| *room);
            Some((checked.map(|(piece, _)| piece), (pieces, remaining)))
        });
        Ok(Self { status, headers, final_url: from.into(), body: body.boxed() })
    }

    /// Returns a header if its value is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The media type without parameters, in lower case; empty if the server sent none.
    pub fn media_type(&self) -> String {
        let kind = self.header("content-type").and_then(|value| value.split(';').next());
        kind.unwrap_or_default().trim().to_ascii_lowercase()
    }

    /// How long the server asks to wait before a retry.
    pub fn retry_after(&self) -> Option<Duration> {
        crate::upstream::retry_after(&self.headers, Utc::now())
    }

    /// Returns the body as a stream of pieces. Nothing follows an error.
    pub fn into_body(self) -> BoxStream<'static, Result<Bytes, WebError>> {
        self.body
    }

    /// Reads the whole body, at most `max_bytes` bytes.
    ///
    /// # Errors
    /// Returns an error if the body is longer or ends early.
    pub async fn whole(mut self, max_bytes: usize) -> Result<Bytes, WebError> {
        let mut whole = CollectedBody::new(max_bytes);
        while let Some(piece) = self.body.next().await {
            whole.push(&piece?).map_err(|TooLong| WebError::too_large(max_bytes as u64))?;
        }
        Ok(whole.into_bytes())
    }
}
