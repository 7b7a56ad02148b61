//! Which form of a stream a client asks for.

use actix_web::HttpResponseBuilder;
use actix_web::http::header::{self, HeaderMap};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A form in which a run's events are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Wire {
    /// Server-sent events, one for each canonical event; `id` is its `seq`.
    Events,
    /// One canonical event a line.
    Ndjson,
    /// The UI message stream of the AI SDK, version 1.
    UiMessage,
    /// `chat.completion.chunk` objects, as the OpenAI SDKs read them.
    #[serde(rename = "openai")]
    OpenAi,
    /// Events of the OpenAI Responses interface.
    Responses,
}

impl Wire {
    /// All wires, in the order of [`Wire::slot`].
    pub const ALL: [Self; 5] = [Self::Events, Self::Ndjson, Self::UiMessage, Self::OpenAi, Self::Responses];

    /// Where a chunk keeps its encoding for this wire.
    pub const fn slot(self) -> usize {
        self as usize
    }

    /// Whether a reader of this wire knows how far it has read, and so may go on from there.
    /// The others are always told from the beginning.
    pub const fn has_offsets(self) -> bool {
        matches!(self, Self::Events | Self::Ndjson)
    }

    /// The answer's content type.
    pub const fn content_type(self) -> &'static str {
        match self {
            Self::Ndjson => "application/x-ndjson",
            Self::Events | Self::UiMessage | Self::OpenAi | Self::Responses => "text/event-stream",
        }
    }

    /// The wire that `Accept` asks for; none when it names no streaming type.
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

    /// Sets the headers that every streaming answer of this wire carries.
    pub fn headers(self, response: &mut HttpResponseBuilder) {
        streaming_headers(response, self.content_type());
        if self == Self::UiMessage {
            response.insert_header(("x-vercel-ai-ui-message-stream", "v1"));
        }
    }
}

/// The headers of every answer that never ends by itself: nothing between here and the client may
/// keep, change or hold back a part of it.
pub fn streaming_headers(response: &mut HttpResponseBuilder, content_type: &'static str) {
    response
        .insert_header((header::CONTENT_TYPE, content_type))
        .insert_header((header::CACHE_CONTROL, "no-cache, no-transform"))
        .insert_header(("x-accel-buffering", "no"));
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    fn accepted(value: &'static str) -> Option<Wire> {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, HeaderValue::from_static(value));
        Wire::accepted(&headers)
    }

    #[test]
    fn accept_names_a_wire_or_none() {
        assert_eq!(accepted("text/event-stream"), Some(Wire::Events));
        assert_eq!(accepted("text/html, Application/X-NDJSON;q=0.9"), Some(Wire::Ndjson));
        assert_eq!(accepted("*/*"), None);
        assert_eq!(accepted("application/json"), None);
        assert_eq!(Wire::accepted(&HeaderMap::new()), None);
    }

    #[test]
    fn slots_follow_the_order_of_all() {
        for (slot, wire) in Wire::ALL.into_iter().enumerate() {
            assert_eq!(wire.slot(), slot);
        }
    }
}
