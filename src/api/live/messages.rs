//! The messages that the server sends: text frames of a WebSocket, or the data of server-sent events.

use actix_web::http::header::HeaderValue;
use serde::Serialize;
use utoipa::ToSchema;

use super::event_reader::StreamedEvent;
use super::requests::Document;
use crate::api::conversations::FeedEvent;
use crate::api::notifications::NotificationEvent;
use crate::api::run_streams::CancelReceipt;
use crate::http::Problem;
use crate::http::encodings::one_of;

/// A message of `GET /api/live`. Its `type` determines the other members.
#[derive(Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum LiveMessage<'m> {
    /// The subscription is open, and its events follow.
    Subscribed {
        /// The client's name for the subscription.
        id: &'m str,
        /// The id of the stream, if the subscription reads the stream of a run.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(value_type = Option<uuid::Uuid>, nullable = false)]
        stream_id: Option<&'m str>,
    },
    /// An event of the stream.
    #[expect(dead_code, reason = "written by `event` without parsing the event")]
    Event {
        /// The client's name for the subscription.
        id: &'m str,
        /// The position after this event, with which a subscription resumes. Some events of the feed of a conversation
        /// have none, because the feed can only resume after the last one of several changes.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        position: Option<&'m str>,
        /// The event as the operation at the path of the subscription sends it.
        #[schema(value_type = LiveEvent)]
        event: Document,
    },
    /// The subscription has ended: the run has ended and everything was sent, or there is a problem.
    Ended {
        /// The client's name for the subscription.
        id: &'m str,
        /// Why the stream cannot be read, or cannot be read further.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(value_type = Option<Problem>, nullable = false)]
        problem: Option<&'m Document>,
    },
    /// The subscription was removed as requested.
    Unsubscribed {
        /// The client's name for the subscription.
        id: &'m str,
    },
    /// The run of the subscription was cancelled as requested. Its last events follow.
    Cancelled {
        /// The client's name for the subscription.
        id: &'m str,
        /// The response of the operation that cancels the run.
        #[schema(value_type = CancelReceipt)]
        receipt: &'m Document,
    },
    /// A command was refused and has changed nothing.
    Problem {
        /// The command, if the message could be read.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        op: Option<&'static str>,
        /// The subscription that the command was about, if the message could be read.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        id: Option<&'m str>,
        #[schema(value_type = Problem)]
        problem: &'m Document,
    },
    /// The reply to `ping`.
    Pong {},
}

/// An event of a subscription.
pub struct LiveEvent;

one_of!(
    LiveEvent: "An event of a run, of the feed of a conversation, or of the feed of notifications.",
    runs::StreamEvent,
    FeedEvent,
    NotificationEvent
);

impl LiveMessage<'_> {
    /// A text frame, or the data of a server-sent event.
    pub fn to_json(&self) -> String {
        // No member can fail to serialize.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// The message `event` as JSON. The event is passed on as it is, and ids and positions contain nothing that needs
/// escaping.
pub fn event(id: &str, event: &StreamedEvent) -> Vec<u8> {
    let mut out = Vec::with_capacity(event.json.len() + id.len() + 96);
    out.extend_from_slice(br#"{"type":"event","id":""#);
    out.extend_from_slice(id.as_bytes());
    if let Some(position) = &event.position {
        out.extend_from_slice(br#"","position":""#);
        out.extend_from_slice(position);
    }
    out.extend_from_slice(br#"","event":"#);
    out.extend_from_slice(&event.json);
    out.push(b'}');
    out
}

/// The message `subscribed` as JSON.
pub fn subscribed(id: &str, stream_id: Option<&HeaderValue>) -> String {
    let stream_id = stream_id.and_then(|id| id.to_str().ok());
    LiveMessage::Subscribed { id, stream_id }.to_json()
}
