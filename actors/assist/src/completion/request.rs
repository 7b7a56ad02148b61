//! Requests for completions in conversations.

use runs::{Cursor, RequestKey};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use storage::records::{Attachment, Recovery, Run};
use storage::{Row, TenantId};
use utoipa::ToSchema;
use uuid::Uuid;

/// A request for a completion in a conversation.
#[derive(Clone, Debug)]
pub struct CompletionStart {
    /// The tenant that owns the conversation.
    pub tenant: TenantId,
    /// The user who asks, who must own the conversation.
    pub user: Uuid,
    /// The API token that was used, for the usage record.
    pub token_id: Option<Uuid>,
    /// The conversation that receives the answer.
    pub conversation_id: Uuid,
    /// The client's idempotency key: the same key within 24 hours returns the same stream.
    pub idempotency_key: Option<RequestKey>,
    /// SHA-256 of the request in hex. A key that was used for a different request is rejected.
    pub request_sha256: String,
    /// What is answered.
    pub input: Input,
    /// The model. By default the conversation's, the assistant's, the user's or the tenant's model.
    pub model: Option<String>,
    /// The assistant. By default the conversation's assistant.
    pub assistant_id: Option<Uuid>,
    /// Parameters for the model, which override the assistant's.
    pub parameters: Map<String, Value>,
    /// Skills. By default those of the conversation and the assistant.
    pub skills: Option<Vec<Uuid>>,
    /// Names of tools, including `server/tool` and `server/*`. By default the assistant's tools.
    pub tools: Option<Vec<String>>,
    /// Knowledge bases that are searched in addition to those of the assistant.
    pub knowledge_bases: Vec<Uuid>,
    /// What is done after a crash. By default the assistant's policy, or otherwise `keep`.
    pub recovery: Option<Recovery>,
    /// What is done if another completion is live in the conversation.
    pub on_active: OnActive,
    /// Free-form label of the calling interface, for the usage record.
    pub context: Option<String>,
    /// Whether the client wants a stream.
    pub stream: bool,
}

/// What a completion answers.
#[derive(Clone, Debug)]
pub enum Input {
    /// A new message of the user.
    Message {
        text: String,
        /// Files that belong to the message.
        attachments: Vec<Attachment>,
        /// The message that it follows. By default the conversation's current message.
        parent: Option<Uuid>,
    },
    /// A conversation as the client has it. The last message is answered; earlier messages that the server does not
    /// know are imported.
    Messages(Vec<NewMessage>),
    /// Generates an answer again, beside the earlier one, or answers a user's message again.
    Regenerate {
        /// The answer to repeat, or the message to answer.
        message_id: Uuid,
    },
}

/// A message as a client has it.
#[derive(Clone, Debug, PartialEq)]
pub struct NewMessage {
    /// ID of the message, which may be unknown to the server.
    pub id: Option<Uuid>,
    /// Who wrote the message.
    pub role: storage::records::MessageRole,
    /// Content of the message as text.
    pub text: String,
    /// Files that belong to the message.
    pub attachments: Vec<Attachment>,
}

/// What is done if another completion is already live in the conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = WhenActive)]
#[serde(rename_all = "snake_case")]
pub enum OnActive {
    /// The new completion is rejected with status 409.
    #[default]
    Refuse,
    /// The live completion is cancelled first.
    Cancel,
    /// The new completion is queued.
    Queue,
}

/// An accepted completion.
pub struct Started {
    /// The run as it was accepted. Its ID is the stream ID.
    pub run: Row<Run>,
    /// The message that the answer is written to.
    pub message_id: Uuid,
    /// Whether the completion had already been accepted under the same idempotency key.
    pub resumed: bool,
    /// A reader from the first event.
    pub cursor: Cursor,
}

/// The part of the request that is stored in the run's record for its work.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct StoredRequest {
    /// The user's message that is answered.
    pub parent_id: Option<Uuid>,
    /// Parameters for the model.
    #[serde(default)]
    pub parameters: Map<String, Value>,
    /// Names of built-in tools.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Tools of tool servers, `server/tool` or `server/*`. `None` means all that the assistant is approved for.
    #[serde(default)]
    pub server_tools: Option<Vec<String>>,
    #[serde(default)]
    pub skills: Vec<Uuid>,
    /// Knowledge bases that are searched in addition to those of the assistant.
    #[serde(default)]
    pub knowledge_bases: Vec<Uuid>,
}
