//! What a completion is asked for, and how that can be refused.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use storage::TenantId;
use storage::authority::Feature;
use storage::records::{Attachment, Recovery};
use uuid::Uuid;

use crate::journal::Cursor;
use crate::offer::OverBudget;
use crate::workflow::graph::GraphFault;

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
    /// The asker's own key: the same key within 24 h gives the same stream.
    pub idempotency_key: Option<String>,
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
    /// Whether the asker wants a stream.
    pub stream: bool,
}

/// What is answered.
#[derive(Clone, Debug)]
pub enum Input {
    /// A new message of the user's.
    Message {
        /// Its text.
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnActive {
    /// The new one is refused.
    #[default]
    Refuse,
    /// The live one is stopped first.
    Cancel,
    /// The new one waits for its turn.
    Queue,
}

/// An accepted completion.
pub struct Started {
    /// Its run, which is its stream id.
    pub run_id: Uuid,
    /// The message that the answer is written to.
    pub message_id: Uuid,
    /// Whether it had been accepted before, under the same idempotency key.
    pub resumed: bool,
    /// A reader of it, from its first event.
    pub cursor: Cursor,
}

/// Why a completion is refused; nothing has changed then.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Something it names does not exist for this user.
    #[error("no such {0}")]
    NotFound(&'static str),
    /// The conversation's assistant does not exist for this user any more, and the request names no other.
    #[error("the conversation's assistant is gone")]
    AssistantGone,
    /// One is live in the conversation.
    #[error("a completion is live in this conversation")]
    StreamActive {
        /// Its stream.
        stream_id: Uuid,
    },
    /// The idempotency key was used for another request.
    #[error("this idempotency key was used for another request")]
    IdempotencyMismatch,
    /// A field is at fault.
    #[error("{msg}")]
    Invalid {
        /// The field.
        loc: &'static str,
        /// What is wrong with it.
        msg: String,
    },
    /// The assistant has been disabled, for the reason that was given.
    #[error("the assistant is disabled{}", .0.as_ref().map(|why| format!(": {why}")).unwrap_or_default())]
    AssistantDisabled(Option<String>),
    /// Something it needs is switched off for this user.
    #[error("{} is switched off", .0.key())]
    FeatureDisabled(Feature),
    /// There is no such model for this user.
    #[error("there is no model {0:?}")]
    UnknownModel(String),
    /// Nothing more may be spent on models.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// There is no such tool.
    #[error("there is no tool {0:?}")]
    UnknownTool(String),
    /// The assistant goes by no graph.
    #[error("the assistant is no workflow, or has no graph yet")]
    NotAWorkflow,
    /// The assistant's graph does not hold.
    #[error("the workflow of the assistant does not hold")]
    GraphInvalid(Vec<GraphFault>),
    /// What the run is to be started with does not fit the graph; faults are located from the inputs
    /// inwards.
    #[error("the inputs do not fit the workflow")]
    Inputs(Vec<GraphFault>),
    /// The user has as many runs waiting as they may.
    #[error("too many runs are waiting")]
    TooMany,
    /// The supervisor's mailbox is full.
    #[error("the server is busy")]
    Busy,
    /// The process is about to stop.
    #[error("the server is shutting down")]
    ShuttingDown,
    /// The stream that the idempotency key names has expired.
    #[error("the stream has expired")]
    Expired,
    /// Storage failed.
    #[error(transparent)]
    Storage(#[from] storage::Error),
}

/// What the run keeps of its request, for the actor that works on it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Kept {
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
    /// Skills.
    #[serde(default)]
    pub skills: Vec<Uuid>,
    /// Knowledge bases beside those of the assistant.
    #[serde(default)]
    pub knowledge_bases: Vec<Uuid>,
}
