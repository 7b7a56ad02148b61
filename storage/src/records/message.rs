//! Messages.

use std::ops::AddAssign;

use crate::blobs::BlobId;
use crate::record::{Container, Growth, Owner, Record};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// Who speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MessageRole {
    /// Instructions.
    System,
    #[default]
    User,
    /// The model.
    Assistant,
    /// A tool's result.
    Tool,
}

/// The state of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MessageStatus {
    /// It is being written.
    Streaming,
    /// It is whole.
    #[default]
    Complete,
    /// It was stopped; the text so far is stored.
    Stopped,
    /// It failed; the text so far is stored.
    Failed,
    /// The server stopped during it; the text so far is stored.
    Interrupted,
}

/// A piece of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Part {
    /// Text to read.
    Text {
        /// The text, as Markdown.
        text: String,
    },
    /// What the model thought.
    Reasoning { text: String },
    /// The place of a tool call; see `tool_calls`.
    ToolCall { call_id: String },
    /// Something the answer rests on.
    Source(Source),
    File {
        /// Its bytes.
        blob_id: BlobId,
        /// Its type, as sniffed.
        media_type: String,
        /// Its name.
        filename: Option<String>,
    },
}

/// A web page, or a passage of a document, that an answer rests on.
// One type from the search of knowledge bases through events and messages to the citations of a response.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Source {
    /// The address of a web page, or of the page that a document was made from.
    pub url: Option<String>,
    /// The document of a knowledge base; none for a page that a provider cites.
    pub document_id: Option<Uuid>,
    /// The title of the page or document.
    pub title: Option<String>,
    /// The words that the answer rests on.
    pub snippet: Option<String>,
    /// Where in the document they stand; none for a page that a provider cites.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<SourcePlace>,
}

/// Where a passage stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct SourcePlace {
    /// The number by which the answer cites it, from 1.
    pub number: u32,
    pub knowledge_base_id: Uuid,
    /// The page, sheet or slide, from 1.
    pub page: Option<u32>,
    /// Where it begins in the text of that page, in characters.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
    /// The headings above it, the outermost first.
    pub headings: Vec<String>,
}

/// A tool that the model called.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct ToolCall {
    /// Its id within the message.
    pub call_id: String,
    pub name: String,
    #[schema(value_type = Value)]
    pub arguments: serde_json::Value,
    /// What it returned.
    #[schema(value_type = Option<Value>)]
    pub output: Option<serde_json::Value>,
    /// Why it failed.
    pub error: Option<String>,
}

/// A file attached to a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Attachment {
    /// Its bytes.
    pub blob_id: BlobId,
    /// Its name.
    pub filename: String,
    /// Its type, as sniffed.
    pub media_type: String,
    /// Its bytes, counted.
    pub size: u64,
}

/// Tokens used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Usage {
    /// Tokens of the prompt.
    pub input_tokens: u64,
    /// Tokens of the answer, those of reasoning among them.
    pub output_tokens: u64,
    /// Tokens of the prompt that the provider had cached.
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
    /// What happened.
    pub message: String,
    /// The provider's own error code, if it sends one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_code: Option<String>,
}

/// Thumb up or down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rating {
    /// Good.
    Up,
    /// Bad.
    Down,
}

/// What the user thinks of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Feedback {
    /// Good or bad.
    pub rating: Rating,
    /// Why.
    #[serde(default)]
    pub comment: Option<String>,
}

/// A message in the tree of a conversation. Its id is (conversation, message).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Message {
    /// The message it answers.
    pub parent_id: Option<Uuid>,
    /// Who speaks.
    pub role: MessageRole,
    /// The content.
    pub parts: Vec<Part>,
    /// The model that wrote it.
    pub model: Option<String>,
    /// The run that wrote it.
    pub run_id: Option<Uuid>,
    /// The tools called on the way.
    pub tool_calls: Vec<ToolCall>,
    /// Attached files.
    pub attachments: Vec<Attachment>,
    /// Tokens it took.
    pub usage: Option<Usage>,
    /// What it cost, in billionths of a dollar.
    pub cost_nanos: i64,
    /// Its state.
    pub status: MessageStatus,
    /// Why it failed.
    pub error: Option<MessageError>,
    /// What the user thinks of it.
    pub feedback: Option<Feedback>,
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

    fn notifies(id: &(Uuid, Uuid), _body: &Self) -> Option<Uuid> {
        Some(id.0)
    }
}
