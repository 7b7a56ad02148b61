//! The encoding of a stream that a client requests.

use actix_web::HttpResponseBuilder;
use actix_web::http::header::{self, HeaderMap};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The encoding in which the events of a run are sent: `events` (`text/event-stream` of `StreamEvent`), `ndjson`
/// (`application/x-ndjson` of `StreamEvent`), `ui-message` (`text/event-stream` of `UiMessageChunk`), `openai`
/// (`text/event-stream` of `ChatCompletionChunk` and `ChatCompletionFailure`) or `responses` (`text/event-stream` of
/// `ResponseStreamEvent`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Wire {
    /// Server-sent events, one for each canonical event; `id` is the event's `seq`.
    Events,
    /// One canonical event per line.
    Ndjson,
    /// The UI message stream of the AI SDK, version 1.
    UiMessage,
    /// `chat.completion.chunk` objects, as read by the OpenAI SDKs.
    #[serde(rename = "openai")]
    OpenAi,
    /// Events of the OpenAI Responses interface.
    Responses,
}

impl Wire {
    /// All encodings, in the order of [`Wire::slot`].
    pub const ALL: [Self; 5] = [Self::Events, Self::Ndjson, Self::UiMessage, Self::OpenAi, Self::Responses];

    /// The index of this encoding in a chunk's cache.
    pub const fn slot(self) -> usize {
        self as usize
    }

    /// Whether readers of this encoding know their position and can resume from it. Other encodings are always sent
    /// from the beginning.
    pub const fn has_offsets(self) -> bool {
        matches!(self, Self::Events | Self::Ndjson)
    }

    /// The content type of the response.
    pub const fn content_type(self) -> &'static str {
        match self {
            Self::Ndjson => "application/x-ndjson",
            Self::Events | Self::UiMessage | Self::OpenAi | Self::Responses => "text/event-stream",
        }
    }

    /// The encoding that `Accept` requests; `None` if it names no streaming type.
    pub fn accepted(headers: &HeaderMap) -> Option<Self> {
        let accept = headers.get_all(header::ACCEPT).filter_map(|value| value.to_str().ok());
        accept.flat_map(|value| value.split(',')).find_map(|range| {
            match range.split(';').next()?.trim().to_ascii_lowercase().as_str() {
                "text/event-stream" => Some(Self::Events),
                "application/x-ndjson" => Some(Self::Ndjson),
                _ => None,
            }
        })
    }

    /// Sets the headers of every streaming response in this encoding.
    pub fn headers(self, response: &mut HttpResponseBuilder) {
        streaming_headers(response, self.content_type());
        if self == Self::UiMessage {
            response.insert_header(("x-vercel-ai-ui-message-stream", "v1"));
        }
    }
}

/// Sets the headers of every response without a natural end: no intermediary may cache, change or delay any part of it.
pub fn streaming_headers(response: &mut HttpResponseBuilder, content_type: &'static str) {
    response
        .insert_header((header::CONTENT_TYPE, content_type))
        .insert_header((header::CACHE_CONTROL, "no-cache, no-transform"))
        .insert_header(("x-accel-buffering", "no"));
}
