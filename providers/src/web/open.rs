//! Answers that are read while they come.

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

/// An answer whose body is still on its way. Dropping it closes the connection.
pub struct WebStream {
    /// The HTTP status.
    pub status: u16,
    /// The response headers, without secrets.
    pub headers: HeaderMap,
    /// Where the answer comes from, after all redirects.
    pub final_url: String,
    body: BoxStream<'static, Result<Bytes, WebError>>,
}

impl WebClient {
    /// Sends a request, follows redirects, and returns the response as soon as its head is there. The request's
    /// `timeout` covers that time; the time-out of the body is up to its reader. `max_bytes` holds for the whole
    /// body. Secrets of the configuration cannot be sent this way: nothing would remove them from the response.
    ///
    /// # Errors
    /// Whatever kept the head from coming; its text does not hold the address's query.
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
        // What is left of the limit; nothing once the body has ended in an error.
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

    /// A header that is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The media type, without its parameters and in lower case; empty where the server names none.
    pub fn media_type(&self) -> String {
        let kind = self.header("content-type").and_then(|value| value.split(';').next());
        kind.unwrap_or_default().trim().to_ascii_lowercase()
    }

    /// How long the server asks to wait, if it does.
    pub fn retry_after(&self) -> Option<Duration> {
        crate::upstream::retry_after(&self.headers, Utc::now())
    }

    /// The body in pieces, as they come. After an error nothing follows.
    pub fn into_body(self) -> BoxStream<'static, Result<Bytes, WebError>> {
        self.body
    }

    /// The whole body, where it has no more than so many bytes.
    ///
    /// # Errors
    /// It is longer, or does not come to its end.
    pub async fn whole(mut self, max_bytes: usize) -> Result<Bytes, WebError> {
        let mut whole = CollectedBody::new(max_bytes);
        while let Some(piece) = self.body.next().await {
            whole.push(&piece?).map_err(|TooLong| WebError::too_large(max_bytes as u64))?;
        }
        Ok(whole.into_bytes())
    }
}
