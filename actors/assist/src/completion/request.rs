//! What a completion is asked for, and how that can be refused.

use runs::{Cursor, RequestKey};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use storage::records::{Attachment, Recovery, Run};
use storage::{Row, TenantId};
use utoipa::ToSchema;
use uuid::Uuid;

/// A completion that is asked for in a conversation.
#[derive(Clone, Debug)]
pub struct CompletionStart {
    /// Whose conversation it is.
    pub tenant: TenantId,
    /// Who asks; the conversation must be theirs.
    pub user: Uuid,
    /// The API token that was used, for the usage record.
    pub token_id: Option<Uuid>,
    /// Where the answer goes.
    pub conversation_id: Uuid,
    /// The client's idempotency key: the same key within 24 h gives the same stream.
    pub idempotency_key: Option<RequestKey>,
    /// SHA-256 of the request, in hex: a key used for another request is refused.
    pub request_sha256: String,
    /// What is answered.
    pub input: Input,
    /// The model; else the conversation's, the assistant's, the user's, the tenant's.
    pub model: Option<String>,
    /// The assistant; else the conversation's.
    pub assistant_id: Option<Uuid>,
    /// Passed to the model, over the assistant's own.
    pub parameters: Map<String, Value>,
    /// Skills; else the conversation's and the assistant's.
    pub skills: Option<Vec<Uuid>>,
    /// Names of tools, `server/tool` and `server/*` among them; else the assistant's.
    pub tools: Option<Vec<String>>,
    /// Knowledge bases that are searched beside those of the assistant.
    pub knowledge_bases: Vec<Uuid>,
    /// What is done after a crash; else the assistant's policy, else `keep`.
    pub recovery: Option<Recovery>,
    /// What is done when a completion is live in the conversation.
    pub on_active: OnActive,
    /// A free label of the surface that asks, for the usage record.
    pub context: Option<String>,
    /// Whether the client wants a stream.
    pub stream: bool,
}

/// What is answered.
#[derive(Clone, Debug)]
pub enum Input {
    /// A new message of the user's.
    Message {
        text: String,
        /// Its files.
        attachments: Vec<Attachment>,
        /// The message it follows; else the conversation's current one.
        parent: Option<Uuid>,
    },
    /// A conversation as the client has it; its last message is new, those before it that the
    /// server does not know are taken over.
    Messages(Vec<NewMessage>),
    /// An answer once more, beside the old one; or the answer to a user's message once more.
    Regenerate {
        /// The answer, or the message that is answered.
        message_id: Uuid,
    },
}

/// A message as a client has it.
#[derive(Clone, Debug, PartialEq)]
pub struct NewMessage {
    /// Known to the server, or not.
    pub id: Option<Uuid>,
    /// Who speaks.
    pub role: storage::records::MessageRole,
    /// What is said.
    pub text: String,
    /// Its files.
    pub attachments: Vec<Attachment>,
}

/// What is done when a completion is live in the conversation already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = WhenActive)]
#[serde(rename_all = "snake_case")]
pub enum OnActive {
    /// The new one is refused with 409.
    #[default]
    Refuse,
    /// The live one is stopped first.
    Cancel,
    /// The new one waits for its turn.
    Queue,
}

/// An accepted completion.
pub struct Started {
    /// Its run, as it was accepted. Its id is that of the stream.
    pub run: Row<Run>,
    /// The message that the answer is written to.
    pub message_id: Uuid,
    /// Whether it had been accepted before, under the same idempotency key.
    pub resumed: bool,
    /// A reader of it, from its first event.
    pub cursor: Cursor,
}

/// What the run keeps of its request, for the actor that works on it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct StoredRequest {
    /// The user's message that is answered.
    pub parent_id: Option<Uuid>,
    /// For the model.
    #[serde(default)]
    pub parameters: Map<String, Value>,
    /// Tools by name.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Tools of tool servers, `server/tool` or `server/*`; without a list, all that the assistant is approved for.
    #[serde(default)]
    pub server_tools: Option<Vec<String>>,
    #[serde(default)]
    pub skills: Vec<Uuid>,
    /// Knowledge bases beside those of the assistant.
    #[serde(default)]
    pub knowledge_bases: Vec<Uuid>,
}
