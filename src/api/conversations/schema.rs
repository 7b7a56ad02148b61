//! Requests and responses of conversations.

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

/// A conversation with its messages and the stream that is live in it, where they were requested.
#[derive(Debug, Serialize, ToSchema)]
pub struct ConversationResponse {
    #[serde(flatten)]
    pub conversation: StoredConversation,
    /// All messages, on all branches, oldest first; not in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages: Option<Vec<ConversationMessage>>,
    /// The stream that is live now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_stream: Option<ActiveStream>,
    /// Whether it is another's, and the caller reads it as a member of its project.
    pub read_only: bool,
}

impl From<Row<Conversation>> for ConversationResponse {
    fn from(conversation: Row<Conversation>) -> Self {
        Self { conversation, messages: None, active_stream: None, read_only: false }
    }
}

/// A stream that is live.
#[derive(Debug, Serialize, ToSchema)]
pub struct ActiveStream {
    /// The stream; also its run's id.
    pub stream_id: Uuid,
    /// What kind of work it is.
    pub kind: RunKind,
    pub state: RunState,
    /// Sequence number of its last event.
    pub last_seq: u64,
    /// When it was accepted.
    pub started_at: Timestamp,
    /// The message that it writes.
    pub message_id: Option<Uuid>,
    /// The model that answers.
    pub model: String,
}

list_of! {
    /// A page of conversations, the latest changed first.
    #[derive(Debug)]
    pub ConversationsListResponse of ConversationResponse
}

/// How `assistant_id` selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AssistantFilterMode {
    /// Those of this assistant; without an id, those of any.
    Only,
    /// All except those of this assistant; without an id, those without an assistant.
    Exclude,
    /// Those without an assistant.
    None,
}

#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct ListConversations {
    /// Only those last changed before this moment, that is after it in the order of the list: the
    /// `updated_at` of a page's last conversation gives the next page. Unix time in seconds, with
    /// fractions; values from 10^11 on are read as milliseconds.
    pub after_timestamp: Option<f64>,
    /// How many.
    #[param(minimum = 1, maximum = 200, default = 50)]
    pub limit: u32,
    /// Whether those in projects are listed, too.
    pub include_projects: bool,
    /// An assistant; see `assistant_filter_mode`.
    pub assistant_id: Option<Uuid>,
    /// How `assistant_id` selects; `only` by default.
    pub assistant_filter_mode: Option<AssistantFilterMode>,
    /// Lists those that the platform created for its own purposes, instead of the user's own.
    pub is_system: bool,
    /// Lists those put away, instead of the others.
    pub archived: bool,
    /// Only pinned ones, or only the others.
    pub pinned: Option<bool>,
    /// Only those with these words, in whatever order and case, in the title, in a message or in the
    /// name of a file.
    #[param(max_length = 200)]
    pub search: Option<String>,
    /// `next_cursor` of the page before.
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

/// A new conversation.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct CreateConversationRequest {
    /// Its title; generated from the first exchange if left out.
    #[schema(min_length = 1, max_length = 200)]
    pub title: Option<String>,
    /// The assistant that answers.
    pub assistant_id: Option<Uuid>,
    /// The project it belongs to.
    pub project_id: Option<Uuid>,
    /// The model that answers.
    pub model: Option<String>,
    /// Whether it is for the platform's own purposes and hidden from the usual lists.
    pub is_system: bool,
    /// Data of the client; up to 32 KiB.
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

/// All fields of a conversation that can be set. Fields that are left out get their default.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdateConversationRequest {
    /// Its title; without one, it is generated from the next exchange.
    #[schema(min_length = 1, max_length = 200)]
    pub title: Option<String>,
    /// The assistant that answers from now on.
    pub assistant_id: Option<Uuid>,
    /// The project it belongs to.
    pub project_id: Option<Uuid>,
    /// The model that answers.
    pub model: Option<String>,
    /// Whether it is put away.
    pub archived: bool,
    /// Whether it is pinned.
    pub pinned: bool,
    /// The message at the end of the branch shown; left out, it stays.
    pub current_message_id: Option<Uuid>,
    /// The version that is replaced; if it is another by now, the answer is 412. `If-Match` does
    /// the same.
    pub version: Option<u64>,
}

impl Validate for UpdateConversationRequest {
    const TRIMMED: &'static [&'static str] = &["title"];

    fn validate(&self, faults: &mut Faults) {
        validate_title(self.title.as_deref(), faults);
    }
}

/// A change to a conversation. What is left out stays; `null` brings back the default.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct PatchConversationRequest {
    /// Its title; without one, it is generated from the next exchange.
    #[schema(value_type = Option<String>, min_length = 1, max_length = 200)]
    pub title: Patch<String>,
    /// The assistant that answers from now on.
    #[schema(value_type = Option<Uuid>)]
    pub assistant_id: Patch<Uuid>,
    /// The project it belongs to.
    #[schema(value_type = Option<Uuid>)]
    pub project_id: Patch<Uuid>,
    /// The model that answers.
    #[schema(value_type = Option<String>)]
    pub model: Patch<String>,
    /// Whether it is put away.
    #[schema(value_type = Option<bool>)]
    pub archived: Patch<bool>,
    /// Whether it is pinned.
    #[schema(value_type = Option<bool>)]
    pub pinned: Patch<bool>,
    /// The message at the end of the branch shown.
    pub current_message_id: Option<Uuid>,
    /// The version that is changed; if it is another by now, the answer is 412. `If-Match` does the
    /// same.
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

/// What became of each conversation that was to be deleted.
#[derive(Debug, Serialize, ToSchema)]
pub struct BulkDeleteConversationsResponse {
    /// In the order of the request.
    pub results: Vec<BulkDeleteResult>,
    /// How many were deleted.
    pub deleted: usize,
}

/// What became of one conversation.
#[derive(Debug, Serialize, ToSchema)]
pub struct BulkDeleteResult {
    /// The conversation.
    pub id: Uuid,
    /// What became of it.
    pub status: BulkDeleteStatus,
}

/// What became of one conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BulkDeleteStatus {
    Deleted,
    /// It does not exist, or the caller may not see it.
    NotFound,
    /// It is another's, and the caller reads it in a project.
    NotAllowed,
    /// A stream in it could not be stopped in time; it is still there.
    Busy,
}
