//! Requests and responses of conversations.

use runs::QueuePlace;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use storage::Row;
use storage::Timestamp;
use storage::records::{Conversation, RunKind, RunState};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::user_data;
use super::view::ConversationMessage;
use crate::http::{Faults, Patch, Validate, list_of};
use domain::conversations::{ConversationChange, NewConversation};

/// A stored conversation. An alias, since the derived schema of a flattened field cannot have a generic type.
pub type StoredConversation = Row<Conversation>;

/// A conversation. Includes its messages and its live stream if they were requested.
#[derive(Debug, Serialize, ToSchema)]
pub struct ConversationResponse {
    #[serde(flatten)]
    pub conversation: StoredConversation,
    /// All messages, on all branches, oldest first. Not included in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub messages: Option<Vec<ConversationMessage>>,
    /// The live stream, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub active_stream: Option<ActiveStream>,
    /// Whether the conversation belongs to another user and the caller reads it as a member of its project.
    pub read_only: bool,
}

impl From<Row<Conversation>> for ConversationResponse {
    fn from(conversation: Row<Conversation>) -> Self {
        Self { conversation, messages: None, active_stream: None, read_only: false }
    }
}

/// A live stream.
#[derive(Debug, Serialize, ToSchema)]
pub struct ActiveStream {
    /// Id of the stream, which is also the id of its run.
    pub stream_id: Uuid,
    /// Kind of work that the run does.
    pub kind: RunKind,
    pub state: RunState,
    /// Sequence number of the last event.
    pub last_seq: u64,
    /// When the run was accepted.
    pub started_at: Timestamp,
    /// Id of the message that the run writes.
    pub message_id: Option<Uuid>,
    /// Model that answers.
    pub model: String,
    /// Why the stream has not begun, and its position in the queue. Absent if it does not wait for other runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub queue: Option<QueuePlace>,
}

list_of! {
    /// A page of conversations, the most recently changed first.
    #[derive(Debug)]
    pub ConversationsListResponse of ConversationResponse
}

/// How `assistant_id` filters conversations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AssistantFilterMode {
    /// Conversations with this assistant. Without an id, conversations with any assistant.
    Only,
    /// All conversations except those with this assistant. Without an id, conversations without an assistant.
    Exclude,
    /// Conversations without an assistant.
    None,
}

/// Where a list of conversations searches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchIn {
    /// In titles, messages and the names of files.
    #[default]
    Everything,
    /// Only in titles. A page may have fewer conversations than `limit`, although there are more.
    Title,
}

#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct ListConversations {
    /// Only conversations that were last changed before this time, which are those after it in the order of the list. Pass the `updated_at`
    /// of the last conversation of a page to get the next page. Unix time in seconds, with fractions; values from 10^11 on are read as
    /// milliseconds.
    pub after_timestamp: Option<f64>,
    /// Maximum number of conversations per page.
    #[param(minimum = 1, maximum = 200, default = 50)]
    pub limit: u32,
    /// Whether conversations in projects are listed, too.
    pub include_projects: bool,
    /// Id of an assistant; see `assistant_filter_mode`.
    pub assistant_id: Option<Uuid>,
    /// How `assistant_id` filters conversations. Defaults to `only`.
    pub assistant_filter_mode: Option<AssistantFilterMode>,
    /// Lists conversations that the platform created for its own purposes instead of the user's own.
    pub is_system: bool,
    /// Lists archived conversations instead of the others.
    pub archived: bool,
    /// Lists only pinned conversations (`true`), or only the others (`false`).
    pub pinned: Option<bool>,
    /// Only conversations that contain all of these words or parts of words, in any order and case, in the title, in a message or in the
    /// name of a file.
    #[param(max_length = 200)]
    pub search: Option<String>,
    /// Where the words of `search` are searched.
    #[param(inline)]
    pub search_in: SearchIn,
    /// The `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

impl Default for ListConversations {
    fn default() -> Self {
        Self {
            after_timestamp: None,
            limit: 50,
            include_projects: false,
            assistant_id: None,
            assistant_filter_mode: None,
            is_system: false,
            archived: false,
            pinned: None,
            search: None,
            search_in: SearchIn::default(),
            cursor: None,
        }
    }
}

impl Validate for ListConversations {
    fn validate(&self, faults: &mut Faults) {
        if self.after_timestamp.is_some_and(|at| !at.is_finite() || at.abs() > 1e15) {
            faults.add(["after_timestamp"], "is not a valid timestamp", "out_of_range");
        }
        if let Some(cursor) = &self.cursor
            && storage::Cursor::parse(cursor).is_err()
        {
            faults.add(["cursor"], "is not a valid cursor", "malformed");
        }
    }
}

/// What a conversation is retrieved with.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct RetrieveConversation {
    /// Whether the response contains the messages of all branches.
    #[param(default = true)]
    pub include_messages: bool,
}

impl Default for RetrieveConversation {
    fn default() -> Self {
        Self { include_messages: true }
    }
}

impl Validate for RetrieveConversation {}

/// A new conversation.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct CreateConversationRequest {
    /// Title of the conversation. Generated from the first exchange if omitted.
    #[schema(min_length = 1, max_length = 200)]
    pub title: Option<String>,
    /// Id of the assistant that answers.
    pub assistant_id: Option<Uuid>,
    /// Id of the project that the conversation belongs to.
    pub project_id: Option<Uuid>,
    /// The model that answers.
    pub model: Option<String>,
    /// Whether the conversation serves the platform's own purposes and is hidden from the default lists.
    pub is_system: bool,
    /// Data of the client, up to 32 KiB.
    #[schema(value_type = Object)]
    pub user_data: Map<String, Value>,
}

impl Validate for CreateConversationRequest {
    const TRIMMED: &'static [&'static str] = &["title"];

    fn validate(&self, faults: &mut Faults) {
        validate_title(self.title.as_deref(), faults);
        user_data::validate(&self.user_data, faults);
    }
}

impl From<CreateConversationRequest> for NewConversation {
    fn from(new: CreateConversationRequest) -> Self {
        let CreateConversationRequest { title, assistant_id, project_id, model, is_system, user_data } = new;
        Self { title, assistant_id, project_id, model, is_system, user_data }
    }
}

/// All settings of a conversation. Fields that are omitted are reset to their default.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdateConversationRequest {
    /// Title of the conversation. If omitted, it is generated from the next exchange.
    #[schema(min_length = 1, max_length = 200)]
    pub title: Option<String>,
    /// Id of the assistant that answers from now on.
    pub assistant_id: Option<Uuid>,
    /// Id of the project that the conversation belongs to.
    pub project_id: Option<Uuid>,
    /// The model that answers.
    pub model: Option<String>,
    /// Whether the conversation is archived.
    pub archived: bool,
    /// Whether the conversation is pinned.
    pub pinned: bool,
    /// Id of the message at the end of the branch that is shown. Stays unchanged if omitted.
    pub current_message_id: Option<Uuid>,
    /// The version that is replaced. If the current version differs, the response is 412. `If-Match` has the same effect.
    pub version: Option<u64>,
}

impl Validate for UpdateConversationRequest {
    const TRIMMED: &'static [&'static str] = &["title"];

    fn validate(&self, faults: &mut Faults) {
        validate_title(self.title.as_deref(), faults);
    }
}

/// A change to a conversation. Fields that are omitted stay unchanged; `null` restores the default.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct PatchConversationRequest {
    /// Title of the conversation. If `null`, it is generated from the next exchange.
    #[schema(value_type = Option<String>, min_length = 1, max_length = 200)]
    pub title: Patch<String>,
    /// Id of the assistant that answers from now on.
    #[schema(value_type = Option<Uuid>)]
    pub assistant_id: Patch<Uuid>,
    /// Id of the project that the conversation belongs to.
    #[schema(value_type = Option<Uuid>)]
    pub project_id: Patch<Uuid>,
    /// The model that answers.
    #[schema(value_type = Option<String>)]
    pub model: Patch<String>,
    /// Whether the conversation is archived.
    #[schema(value_type = Option<bool>)]
    pub archived: Patch<bool>,
    /// Whether the conversation is pinned.
    #[schema(value_type = Option<bool>)]
    pub pinned: Patch<bool>,
    /// Id of the message at the end of the branch that is shown.
    pub current_message_id: Option<Uuid>,
    /// The version that is changed. If the current version differs, the response is 412. `If-Match` has the same effect.
    pub version: Option<u64>,
}

impl Validate for PatchConversationRequest {
    const TRIMMED: &'static [&'static str] = &["title"];

    fn validate(&self, faults: &mut Faults) {
        validate_title(self.title.as_set().map(String::as_str), faults);
    }
}

impl From<PatchConversationRequest> for ConversationChange {
    fn from(new: PatchConversationRequest) -> Self {
        let PatchConversationRequest {
            title,
            assistant_id,
            project_id,
            model,
            archived,
            pinned,
            current_message_id,
            version,
        } = new;
        Self { title, assistant_id, project_id, model, archived, pinned, current_message_id, version }
    }
}

impl From<UpdateConversationRequest> for PatchConversationRequest {
    fn from(new: UpdateConversationRequest) -> Self {
        Self {
            title: new.title.map_or(Patch::Clear, Patch::Set),
            assistant_id: new.assistant_id.map_or(Patch::Clear, Patch::Set),
            project_id: new.project_id.map_or(Patch::Clear, Patch::Set),
            model: new.model.map_or(Patch::Clear, Patch::Set),
            archived: Patch::Set(new.archived),
            pinned: Patch::Set(new.pinned),
            current_message_id: new.current_message_id,
            version: new.version,
        }
    }
}

fn validate_title(title: Option<&str>, faults: &mut Faults) {
    if let Some(title) = title {
        faults.name("title", title.trim());
    }
}

/// Conversations to delete.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct BulkDeleteConversationsRequest {
    #[schema(min_items = 1, max_items = 200)]
    pub conversation_ids: Vec<Uuid>,
}

impl Validate for BulkDeleteConversationsRequest {}

/// Results of the deletion of several conversations.
#[derive(Debug, Serialize, ToSchema)]
pub struct BulkDeleteConversationsResponse {
    /// One result per conversation, in the order of the request.
    pub results: Vec<BulkDeleteResult>,
    /// Number of conversations that were deleted.
    pub deleted: usize,
}

/// Result of the deletion of one conversation.
#[derive(Debug, Serialize, ToSchema)]
pub struct BulkDeleteResult {
    /// Id of the conversation.
    pub id: Uuid,
    /// Whether the conversation was deleted, and if not, the reason.
    pub status: BulkDeleteStatus,
}

/// Outcome of the deletion of one conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BulkDeleteStatus {
    Deleted,
    /// The conversation does not exist, or the caller may not see it.
    NotFound,
    /// The conversation belongs to another user, and the caller may only read it as a member of its project.
    NotAllowed,
    /// A stream in the conversation could not be stopped in time. The conversation was not deleted.
    Busy,
}
