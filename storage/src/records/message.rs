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
    /// The user.
    #[default]
    User,
    /// The model.
    Assistant,
    /// A tool's result.
    Tool,
}

/// How far a message has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MessageStatus {
    /// It is being written.
    Streaming,
    /// It is whole.
    #[default]
    Complete,
    /// It was stopped; what had come is kept.
    Stopped,
    /// It failed; what had come is kept.
    Failed,
    /// The server stopped in its midst; what had come is kept.
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
    Reasoning {
        /// The text.
        text: String,
    },
    /// The place of a tool call; see `tool_calls`.
    ToolCall {
        /// Which.
        call_id: String,
    },
    /// Something the answer rests on.
    Source {
        /// Its address, for a page.
        url: Option<String>,
        /// Its id, for a document of a knowledge base.
        document_id: Option<Uuid>,
        /// Its title.
        title: Option<String>,
        /// The passage.
        snippet: Option<String>,
        /// Where in the document it stands.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        place: Option<SourcePlace>,
    },
    /// A file.
    File {
        /// Its bytes.
        blob_id: BlobId,
        /// Its type, as sniffed.
        media_type: String,
        /// Its name.
        filename: Option<String>,
    },
}

/// Where a passage stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct SourcePlace {
    /// The number by which the answer cites it, from 1.
    pub number: u32,
    /// The knowledge base.
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
    /// The tool.
    pub name: String,
    /// The arguments, as JSON.
    #[schema(value_type = Value)]
    pub arguments: serde_json::Value,
    /// What it returned.
    #[schema(value_type = Option<Value>)]
    pub output: Option<serde_json::Value>,
    /// Why it failed.
    pub error: Option<String>,
}

/// A file sent along with a message.
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
    /// Tokens of reasoning.
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
    /// The name that a provider itself has for it, if it tells one.
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
    /// What is said.
    pub parts: Vec<Part>,
    /// The model that wrote it.
    pub model: Option<String>,
    /// The run that wrote it.
    pub run_id: Option<Uuid>,
    /// The tools called on the way.
    pub tool_calls: Vec<ToolCall>,
    /// Files sent along.
    pub attachments: Vec<Attachment>,
    /// Tokens it took.
    pub usage: Option<Usage>,
    /// What it cost, in billionths of a dollar.
    pub cost_nanos: i64,
    /// How far it has come.
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
