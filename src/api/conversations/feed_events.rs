//! The events of a conversation's feed, as the OpenAPI document describes them. Tests compare them with what is sent.
#![expect(dead_code, reason = "describes what the feed writes")]

use runs::QueuePlace;
use serde::Serialize;
use storage::Timestamp;
use storage::records::{RunKind, RunState};
use utoipa::ToSchema;
use uuid::Uuid;

use super::view::ConversationMessage;

/// An event of a conversation's feed.
#[derive(Serialize, ToSchema)]
pub struct FeedEvent {
    /// Id of the conversation that the event belongs to.
    conversation_id: Uuid,
    #[serde(flatten)]
    change: FeedChange,
}

/// The type of an event of a feed and its data.
#[derive(Serialize, ToSchema)]
#[serde(tag = "type", content = "data")]
enum FeedChange {
    /// A stream was started. When a feed opens, this event reports each live stream.
    #[serde(rename = "stream.started")]
    StreamStarted(FeedStream),
    /// The run of a stream is over: it succeeded, failed or was cancelled.
    #[serde(rename = "stream.ended")]
    StreamEnded(FeedStream),
    /// The place of a queued stream has changed. When a feed opens, this event reports each queued stream. At most one a second for a
    /// stream.
    #[serde(rename = "stream.queued")]
    StreamQueued(FeedQueuedStream),
    /// A message was added.
    #[serde(rename = "message.created")]
    MessageCreated(FeedMessage),
    /// A message has another content, rating or state.
    #[serde(rename = "message.updated")]
    MessageUpdated(FeedMessage),
    /// A message no longer exists.
    #[serde(rename = "message.deleted")]
    MessageDeleted {
        /// Id of the deleted message.
        message_id: Uuid,
    },
    /// The conversation was named, or lost its name.
    #[serde(rename = "title.updated")]
    TitleUpdated {
        /// The new title.
        title: Option<String>,
    },
    /// Other settings of the conversation have changed, or the branch that is shown.
    #[serde(rename = "conversation.updated")]
    ConversationUpdated(FeedSettings),
    /// A function is running whose caller waits for it. When a feed opens, this event reports each running function; a function that was
    /// running before and is not reported then has ended.
    #[serde(rename = "function.started")]
    FunctionStarted(FeedFunction),
    /// The caller of a function has its result.
    #[serde(rename = "function.ended")]
    FunctionEnded(FeedFunction),
    /// The feed is open: all events that the client had missed have been sent.
    #[serde(rename = "feed.opened")]
    FeedOpened(FeedMark),
    /// The position of the client is no longer known. It has to load the conversation again.
    #[serde(rename = "feed.reset")]
    FeedReset(FeedMark),
}

/// A stream of the conversation.
#[derive(Serialize, ToSchema)]
struct FeedStream {
    stream_id: Uuid,
    kind: RunKind,
    state: RunState,
    /// The message that the answer is written to.
    message_id: Option<Uuid>,
    /// Full id of the answering model.
    model: String,
    started_at: Option<Timestamp>,
}

/// A stream that waits for other runs.
#[derive(Serialize, ToSchema)]
struct FeedQueuedStream {
    stream_id: Uuid,
    /// What the stream waits for, and its position in the queue; `null` as soon as it has left the queue.
    queue: Option<QueuePlace>,
}

/// A message of the conversation.
#[derive(Serialize, ToSchema)]
struct FeedMessage {
    message: ConversationMessage,
}

/// The settings of the conversation, except its title.
#[derive(Serialize, ToSchema)]
struct FeedSettings {
    assistant_id: Option<Uuid>,
    project_id: Option<Uuid>,
    /// Id of the model, if the conversation has its own.
    model: Option<String>,
    archived: bool,
    pinned: bool,
    /// The last message of the branch that is shown.
    current_message_id: Option<Uuid>,
    /// Ids of the skills.
    skills: Vec<Uuid>,
}

/// A running function.
#[derive(Serialize, ToSchema)]
struct FeedFunction {
    call_id: Uuid,
    /// The name to display.
    name: String,
    function: String,
    started_at: Timestamp,
}

/// An event without data.
#[derive(Serialize, ToSchema)]
struct FeedMark {}
