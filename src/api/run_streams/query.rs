//! How a stream is read.

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
    /// The wire; by default that of the header `Accept`, else `events`.
    pub wire: Option<Wire>,
    /// Begins after this sequence number, on wires with offsets. `Last-Event-ID` does the same and takes precedence.
    pub after: Option<u64>,
    /// Whether adjacent deltas of the backlog are sent as one. By default `false` on wires with offsets, `true` on the
    /// others.
    pub fold: Option<bool>,
    /// OpenAI's stream option: whether a last chunk has the usage.
    pub include_usage: bool,
}

impl Validate for StreamQuery {}

impl StreamQuery {
    /// The wire that the query or the header `Accept` names.
    pub fn wire(&self, request: &HttpRequest) -> Option<Wire> {
        self.wire.or(Wire::accepted(request.headers()))
    }

    /// The wire of a stream, `events` by default. A WebSocket carries those, too.
    pub fn wire_or_socket(&self, request: &HttpRequest) -> Wire {
        match request.head().upgrade() {
            true => Wire::Events,
            false => self.wire(request).unwrap_or(Wire::Events),
        }
    }

    /// Sequence number that the reader goes on after. `Last-Event-ID` comes first: a browser that reconnects by itself
    /// repeats the address it began with.
    ///
    /// # Errors
    /// 422 for a malformed `Last-Event-ID`.
    pub fn after(&self, request: &HttpRequest) -> Api<u64> {
        Ok(last_event_id(request)?.or(self.after).unwrap_or_default())
    }

    /// Reading a stream that an `EventSource` may reconnect to.
    ///
    /// # Errors
    /// Those of [`after`](Self::after).
    pub fn options(&self, request: &HttpRequest, wire: Wire) -> Api<ReadOptions> {
        Ok(ReadOptions {
            wire,
            after: self.after(request)?,
            fold: self.fold,
            include_usage: self.include_usage,
            reconnects: request.headers().contains_key("last-event-id"),
        })
    }

    /// Reading the events of a job, which are never folded.
    ///
    /// # Errors
    /// Those of [`after`](Self::after).
    pub fn job_options(&self, request: &HttpRequest, wire: Wire) -> Api<ReadOptions> {
        let after = if wire.has_offsets() { self.after(request)? } else { 0 };
        let include_usage = self.include_usage;
        Ok(ReadOptions { after, fold: Some(false), include_usage, ..ReadOptions::new(wire) })
    }
}

/// How a stream is read, with all defaults applied.
#[derive(Clone, Copy, Debug)]
pub struct ReadOptions {
    /// The form.
    pub wire: Wire,
    /// Begins after this sequence number, on wires with offsets and on that of the Responses interface.
    pub after: u64,
    /// Whether deltas of the backlog that belong together come as one; by default on wires without offsets.
    pub fold: Option<bool>,
    /// OpenAI's stream option of that name.
    pub include_usage: bool,
    /// Whether it is an `EventSource` that reconnects by itself. It would reconnect endlessly, also after the end of
    /// the stream; only 204 stops it.
    pub reconnects: bool,
}

impl ReadOptions {
    /// The whole stream on this wire.
    pub fn new(wire: Wire) -> Self {
        Self { wire, after: 0, fold: None, include_usage: false, reconnects: false }
    }
}

/// The header `Last-Event-ID`.
///
/// # Errors
/// 422 where it is no sequence number.
pub fn last_event_id(request: &HttpRequest) -> Api<Option<u64>> {
    let Some(last) = request.headers().get("last-event-id") else { return Ok(None) };
    let seq = last.to_str().ok().and_then(|text| text.trim().parse().ok());
    let fault = || Refusal::invalid("header", ["Last-Event-ID"], "is no sequence number", "malformed");
    seq.map(Some).ok_or_else(fault)
}
