//! Query parameters of streams.

use actix_web::HttpRequest;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::http::encodings::Wire;
use crate::http::{Api, Refusal, Validate};

/// How a stream is read.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct StreamQuery {
    /// The encoding of the stream. Defaults to the encoding that the `Accept` header names, or else to
    /// `events`.
    pub wire: Option<Wire>,
    /// Starts after this sequence number, in encodings with offsets. The header `Last-Event-ID` has the same
    /// effect and takes precedence.
    pub after: Option<u64>,
    /// Whether adjacent deltas of past events are merged into one. Defaults to `false` for encodings with
    /// offsets, and to `true` for the others.
    pub fold: Option<bool>,
    /// OpenAI's stream option: whether the last chunk reports the usage.
    pub include_usage: bool,
}

impl Validate for StreamQuery {}

impl StreamQuery {
    /// The encoding that the query or the `Accept` header names.
    pub fn wire(&self, request: &HttpRequest) -> Option<Wire> {
        self.wire.or(Wire::accepted(request.headers()))
    }

    /// The encoding of the stream. Defaults to `events`, which a WebSocket uses as well.
    pub fn wire_or_socket(&self, request: &HttpRequest) -> Wire {
        match request.head().upgrade() {
            true => Wire::Events,
            false => self.wire(request).unwrap_or(Wire::Events),
        }
    }

    /// The sequence number after which the reader resumes. `Last-Event-ID` takes precedence, because a browser
    /// that reconnects automatically repeats its original URL.
    ///
    /// # Errors
    /// 422 if `Last-Event-ID` is malformed.
    pub fn after(&self, request: &HttpRequest) -> Api<u64> {
        Ok(last_event_id(request)?.or(self.after).unwrap_or_default())
    }

    /// The options for a stream to which an `EventSource` may reconnect.
    ///
    /// # Errors
    /// The same as for [`after`](Self::after).
    pub fn options(&self, request: &HttpRequest, wire: Wire) -> Api<ReadOptions> {
        Ok(ReadOptions {
            wire,
            after: self.after(request)?,
            fold: self.fold,
            include_usage: self.include_usage,
            reconnects: request.headers().contains_key("last-event-id"),
        })
    }

    /// The options for the events of a job, which are never folded.
    ///
    /// # Errors
    /// The same as for [`after`](Self::after).
    pub fn job_options(&self, request: &HttpRequest, wire: Wire) -> Api<ReadOptions> {
        let after = if wire.has_offsets() { self.after(request)? } else { 0 };
        let include_usage = self.include_usage;
        Ok(ReadOptions { after, fold: Some(false), include_usage, ..ReadOptions::new(wire) })
    }
}

/// How a stream is read, with all defaults applied.
#[derive(Clone, Copy, Debug)]
pub struct ReadOptions {
    /// The encoding of the stream.
    pub wire: Wire,
    /// Starts after this sequence number, in encodings with offsets and in that of the Responses interface.
    pub after: u64,
    /// Whether adjacent deltas of past events are merged into one. By default, they are merged in encodings
    /// without offsets.
    pub fold: Option<bool>,
    /// OpenAI's stream option of the same name.
    pub include_usage: bool,
    /// Whether an `EventSource` has reconnected automatically. It would keep reconnecting even after the end of
    /// the stream; only a 204 response stops it.
    pub reconnects: bool,
}

impl ReadOptions {
    /// Reads the whole stream in this encoding.
    pub fn new(wire: Wire) -> Self {
        Self { wire, after: 0, fold: None, include_usage: false, reconnects: false }
    }
}

/// The header `Last-Event-ID`.
///
/// # Errors
/// 422 if it is not a sequence number.
pub fn last_event_id(request: &HttpRequest) -> Api<Option<u64>> {
    let Some(last) = request.headers().get("last-event-id") else { return Ok(None) };
    let seq = last.to_str().ok().and_then(|text| text.trim().parse().ok());
    let fault = || Refusal::invalid("header", ["Last-Event-ID"], "is not a sequence number", "malformed");
    seq.map(Some).ok_or_else(fault)
}
