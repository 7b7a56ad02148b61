//! The commands that a client sends over a WebSocket.

use serde::Deserialize;
use utoipa::ToSchema;

use super::subscriptions;

/// A message of the client of `GET /api/live`, as a text frame.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
pub enum LiveCommand {
    /// Subscribe to a stream or a feed. The server replies with `subscribed`, or with `ended` and a problem.
    Subscribe {
        /// The client's name for the subscription, which all messages about it repeat.
        #[schema(min_length = 1, max_length = 64, pattern = "^[A-Za-z0-9._:-]+$")]
        id: String,
        /// The path of the operation that streams, and its query without `after` and `wire`.
        #[schema(example = "/api/conversations/01980000-0000-7000-8000-000000000001")]
        to: String,
        /// The position after which the stream starts: the `position` of the last event that the client received.
        #[serde(default)]
        after: Option<LivePosition>,
    },
    /// Remove a subscription. No message about it follows the reply, which is `unsubscribed`.
    Unsubscribe {
        /// The client's name for the subscription.
        id: String,
    },
    /// Cancel the run of a subscription. The reply is `cancelled`, or a problem.
    Cancel {
        /// The client's name for the subscription.
        id: String,
    },
    /// Check the connection. The reply is `pong`.
    Ping {},
}

/// A position in a stream: a number, or a text as in the messages of the server.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum LivePosition {
    Number(u64),
    Text(String),
}

impl From<LivePosition> for String {
    fn from(position: LivePosition) -> Self {
        match position {
            LivePosition::Number(number) => number.to_string(),
            LivePosition::Text(text) => text,
        }
    }
}

impl LiveCommand {
    /// The name of the command in messages, and the subscription that it is about.
    pub fn subject(&self) -> (&'static str, Option<&str>) {
        match self {
            Self::Subscribe { id, .. } => ("subscribe", Some(id)),
            Self::Unsubscribe { id } => ("unsubscribe", Some(id)),
            Self::Cancel { id } => ("cancel", Some(id)),
            Self::Ping {} => ("ping", None),
        }
    }

    /// The request of a `subscribe` command.
    pub fn request(id: String, to: String, after: Option<LivePosition>) -> subscriptions::Request {
        subscriptions::Request { id, to, after: after.map(String::from) }
    }
}
