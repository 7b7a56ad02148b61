//! Messages and their parts.

use std::ops::AddAssign;

use crate::blobs::BlobId;
use crate::record::{Container, Growth, Owner, Record};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// The author of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MessageRole {
    /// The instructions.
    System,
    #[default]
    User,
    /// The model.
    Assistant,
    /// A tool, with its result.
    Tool,
}

/// The state of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MessageStatus {
    /// The message is being written.
    Streaming,
    /// The message has been written in full.
    #[default]
    Complete,
    /// The message was stopped. The text so far is stored.
    Stopped,
    /// The message failed. The text so far is stored.
    Failed,
    /// The server stopped while the message was written. The text so far is stored.
    Interrupted,
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Part {
    /// Text for the reader.
    Text {
        /// The text, as Markdown.
        text: String,
    },
    /// Reasoning of the model.
    Reasoning { text: String },
    /// The position of a tool call; the call itself is in `tool_calls`.
    ToolCall { call_id: String },
    /// A source that the answer rests on.
    Source(Source),
    File {
        /// The blob with the content of the file.
        blob_id: BlobId,
        /// Media type, detected from the content.
        media_type: String,
        /// Name of the file.
        filename: Option<String>,
    },
}

/// A web page, or a passage of a document, that an answer rests on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Source {
    /// URL of the web page, or of the page that the document was made from.
    pub url: Option<String>,
    /// The document of a knowledge base. Not set for a page that a provider cites.
    pub document_id: Option<Uuid>,
    /// Title of the page or document.
    pub title: Option<String>,
    /// The text that the answer rests on.
    pub snippet: Option<String>,
    /// Position of the passage in the document. Not set for a page that a provider cites.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub place: Option<SourcePlace>,
}

/// Position of a passage in a document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct SourcePlace {
    /// The number by which the answer cites the passage, from 1.
    pub number: u32,
    pub knowledge_base_id: Uuid,
    /// The page, sheet or slide, from 1.
    pub page: Option<u32>,
    /// Start of the passage in the text of the page, in characters.
    pub start: u32,
    /// End of the passage in the text of the page, in characters.
    pub end: u32,
    /// Headings above the passage, outermost first.
    pub headings: Vec<String>,
}

/// A tool call of the model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct ToolCall {
    /// Id of the call within the message.
    pub call_id: String,
    pub name: String,
    #[schema(value_type = Value)]
    pub arguments: serde_json::Value,
    /// Result of the tool.
    #[schema(value_type = Option<Value>)]
    pub output: Option<serde_json::Value>,
    /// Why the call failed.
    pub error: Option<String>,
}

/// A file attached to a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Attachment {
    /// The blob with the content of the file.
    pub blob_id: BlobId,
    /// Name of the file.
    pub filename: String,
    /// Media type, detected from the content.
    pub media_type: String,
    /// Size in bytes.
    pub size: u64,
}

/// Number of tokens used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Usage {
    /// Tokens of the prompt.
    pub input_tokens: u64,
    /// Tokens of the response, including reasoning.
    pub output_tokens: u64,
    /// Tokens of the prompt that the provider read from its cache.
    pub cached_tokens: u64,
    pub reasoning_tokens: u64,
}

impl AddAssign<&Usage> for Usage {
    fn add_assign(&mut self, more: &Usage) {
        self.input_tokens = self.input_tokens.saturating_add(more.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(more.output_tokens);
        self.cached_tokens = self.cached_tokens.saturating_add(more.cached_tokens);
        self.reasoning_tokens = self.reasoning_tokens.saturating_add(more.reasoning_tokens);
    }
}

/// Why a message failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct MessageError {
    /// A stable code.
    pub code: String,
    /// Description of the error.
    pub message: String,
    /// The provider's own error code, if it sends one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub provider_code: Option<String>,
}

/// Thumb up or down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rating {
    /// Thumb up.
    Up,
    /// Thumb down.
    Down,
}

/// The user's feedback on an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Feedback {
    /// Thumb up or down.
    pub rating: Rating,
    /// Reason for the rating.
    #[serde(default)]
    pub comment: Option<String>,
}

/// A message in the tree of a conversation. Its id is (conversation, message). It is inserted by
/// [`Tx::insert_message`](crate::Tx::insert_message), changed by [`Tx::update_message`](crate::Tx::update_message),
/// replaced by [`Tx::replace_messages`](crate::Tx::replace_messages) and deleted by
/// [`Tx::delete_message`](crate::Tx::delete_message), which also write its
/// [`MessageNode`](super::MessageNode) and keep the index for searches up to date.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Message {
    /// The message that this one answers.
    pub parent_id: Option<Uuid>,
    /// The author of the message.
    pub role: MessageRole,
    /// Content of the message.
    pub parts: Vec<Part>,
    /// The model that wrote the message.
    pub model: Option<String>,
    /// The run that wrote the message.
    pub run_id: Option<Uuid>,
    /// Tools that the model called while it wrote the message.
    pub tool_calls: Vec<ToolCall>,
    /// Attached files.
    pub attachments: Vec<Attachment>,
    /// Tokens that the message took.
    pub usage: Option<Usage>,
    /// Cost, in billionths of a dollar.
    pub cost_nanos: i64,
    /// The state of the message.
    pub status: MessageStatus,
    /// Why the message failed.
    pub error: Option<MessageError>,
    /// The user's feedback on the message.
    pub feedback: Option<Feedback>,
    /// The memories of the user that the model was given for this answer: the latest ones, at most 100. Memories that have been deleted
    /// since are included. Only the user whom the model answered can read them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub memory_ids: Vec<Uuid>,
}

impl Record for Message {
    type Id = (Uuid, Uuid);
    const TABLE: [u8; 2] = *b"ms";
    const NAME: &'static str = "message";
    const GROWTH: Growth<Self> = Growth::Metered {
        owner: |id, _| Owner::Within(Container::Conversation, id.0),
        files: |row| row.attachments.iter().map(|file| file.size).sum(),
        also: "per conversation, `limits.conversation_messages` and `limits.conversation_mib`",
    };
    const BLOBS: Option<fn(&Self) -> Vec<BlobId>> = Some(|body| {
        let files = body.parts.iter().filter_map(|part| match part {
            Part::File { blob_id, .. } => Some(blob_id.clone()),
            _ => None,
        });
        files.chain(body.attachments.iter().map(|file| file.blob_id.clone())).collect()
    });

    const HAS_OWN_WRITES: bool = true;

    fn notifies(id: &(Uuid, Uuid), _body: &Self) -> Option<Uuid> {
        Some(id.0)
    }
}
