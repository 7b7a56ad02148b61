//! The messages of a conversation: edits of one message, and replacement of all messages.

use actix_web::web::Data;
use serde::Deserialize;
use serde::de::IgnoredAny;
use storage::records::{Attachment, Conversation, Feedback, MessageRole, Part, ToolCall};
use storage::{Row, Tx};
use utoipa::ToSchema;
use uuid::Uuid;

use super::schema::ConversationResponse;
use super::view::ConversationMessage;
use crate::App;
use crate::http::media_type::{NO_MEDIA_TYPE, is_content_type};
use crate::http::scopes::ConversationsWrite;
use crate::http::{Api, Faults, IfMatch, Json, Loaded, Patch, Validate, operations};
use domain::conversations::{self, MessageEdit, MessageInput, Replacement};

/// Maximum length of the text of a message, in characters.
const TEXT: usize = 1_000_000;
/// Maximum length of a feedback comment, in characters.
const COMMENT: usize = 4_000;
/// Maximum number of messages in a replacement.
const MESSAGES: usize = 10_000;

/// A change to a message.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UpdateConversationMessageRequest {
    pub message_id: Uuid,
    /// The new text. The old message is kept: the new text becomes a sibling of it.
    #[schema(min_length = 1, max_length = 1_000_000)]
    pub content: Option<String>,
    /// The user's rating; `null` removes it. It changes the message itself.
    #[serde(default)]
    #[schema(value_type = Option<Feedback>)]
    pub feedback: Patch<Feedback>,
}

impl Validate for UpdateConversationMessageRequest {
    fn validate(&self, faults: &mut Faults) {
        if self.content.is_none() && self.feedback.is_keep() {
            faults.add(["content"], "either this or `feedback` is required", "missing");
        }
        let comment = self.feedback.as_set().and_then(|feedback| feedback.comment.as_ref());
        if comment.is_some_and(|comment| comment.chars().take(COMMENT + 1).count() > COMMENT) {
            let why = format!("has more than {COMMENT} characters");
            faults.add(["feedback", "comment"], why, "too_long");
        }
    }
}

/// All messages of a conversation, on all branches.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ReplaceConversationPayloadRequest {
    /// The messages. Parents may be anywhere in the list.
    #[schema(max_items = 10_000)]
    pub messages: Vec<PayloadMessage>,
    /// Id of the message at the end of the branch that is shown. Defaults to the last message of the list.
    pub current_message_id: Option<Uuid>,
    /// The version of the conversation that is replaced. If the current version differs, the response is 412.
    pub version: Option<u64>,
}

impl Validate for ReplaceConversationPayloadRequest {
    fn validate(&self, faults: &mut Faults) {
        for (at, message) in self.messages.iter().enumerate().take(MESSAGES) {
            message.validate_at(at, faults);
        }
    }
}

/// A message as the client stores it. Fields that the server measures (`usage`, `cost`, `status` and so on) may be sent back. The server
/// ignores them and keeps the stored values.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct PayloadMessage {
    /// Id of the message. Generated if omitted.
    pub id: Option<Uuid>,
    /// Id of the message that this one follows; `null` for a first message. Defaults to the previous message of the list.
    #[serde(default)]
    #[schema(value_type = Option<Uuid>)]
    pub parent_id: Patch<Uuid>,
    /// Author of the message.
    pub role: MessageRole,
    /// Content of the message.
    pub parts: Option<Vec<Part>>,
    /// Content of a message that is only text; used instead of `parts`.
    pub content: Option<String>,
    /// Model that wrote the message.
    pub model: Option<String>,
    /// Tools that were called while the message was written.
    #[serde(default)]
    pub tool_calls: Vec<ToolCall>,
    /// Attached files. Only files that the conversation already contains are allowed.
    #[serde(default)]
    pub attachments: Vec<Attachment>,
    /// The user's rating of the message.
    pub feedback: Option<Feedback>,
    /// Ignored; the stored value is kept.
    #[serde(default, rename = "run_id")]
    #[schema(value_type = Option<Uuid>)]
    _run_id: Option<IgnoredAny>,
    /// Ignored; the stored value is kept.
    #[serde(default, rename = "usage")]
    #[schema(value_type = Option<storage::records::Usage>)]
    _usage: Option<IgnoredAny>,
    /// Ignored; the stored value is kept.
    #[serde(default, rename = "cost_nanos")]
    #[schema(value_type = Option<i64>)]
    _cost_nanos: Option<IgnoredAny>,
    /// Ignored; the stored value is kept.
    #[serde(default, rename = "cost")]
    #[schema(value_type = Option<String>)]
    _cost: Option<IgnoredAny>,
    /// Ignored; the stored value is kept.
    #[serde(default, rename = "status")]
    #[schema(value_type = Option<String>)]
    _status: Option<IgnoredAny>,
    /// Ignored; the stored value is kept.
    #[serde(default, rename = "error")]
    #[schema(value_type = Option<Value>)]
    _error: Option<IgnoredAny>,
    /// Ignored; the stored value is kept.
    #[serde(default, rename = "memory_ids")]
    #[schema(value_type = Vec<Uuid>)]
    _memory_ids: Option<IgnoredAny>,
    /// Ignored; the stored value is kept.
    #[serde(default, rename = "version")]
    #[schema(value_type = Option<u64>)]
    _version: Option<IgnoredAny>,
    /// Ignored; the stored value is kept.
    #[serde(default, rename = "created_at")]
    #[schema(value_type = Option<String>)]
    _created_at: Option<IgnoredAny>,
    /// Ignored; the stored value is kept.
    #[serde(default, rename = "updated_at")]
    #[schema(value_type = Option<String>)]
    _updated_at: Option<IgnoredAny>,
}

impl PayloadMessage {
    fn validate_at(&self, at: usize, faults: &mut Faults) {
        let at = at.to_string();
        match (&self.parts, &self.content) {
            (Some(_), Some(_)) => {
                faults.add(
                    ["messages", &at, "content"],
                    "only one of this and `parts` is allowed",
                    "conflicting",
                );
            }
            (None, None) => {
                faults.add(["messages", &at, "parts"], "this or `content` is required", "missing")
            }
            _ => {}
        }
        for (part_at, part) in self.parts.iter().flatten().enumerate() {
            if let Part::File { media_type, .. } = part
                && !is_content_type(media_type)
            {
                let part_at = part_at.to_string();
                faults.add(["messages", &at, "parts", &part_at, "media_type"], NO_MEDIA_TYPE, "malformed");
            }
        }
        for (file_at, file) in self.attachments.iter().enumerate() {
            if !is_content_type(&file.media_type) {
                let file_at = file_at.to_string();
                faults.add(
                    ["messages", &at, "attachments", &file_at, "media_type"],
                    NO_MEDIA_TYPE,
                    "malformed",
                );
            }
        }
        if self.text_chars() > TEXT {
            faults.add(["messages", &at], format!("has more than {TEXT} characters"), "too_long");
        }
    }

    fn text_chars(&self) -> usize {
        let text = |part: &Part| match part {
            Part::Text { text } | Part::Reasoning { text } => text.chars().count(),
            _ => 0,
        };
        let parts = self.parts.iter().flatten().map(text);
        parts.sum::<usize>() + self.content.as_ref().map_or(0, |content| content.chars().count())
    }
}

impl From<UpdateConversationMessageRequest> for MessageEdit {
    fn from(change: UpdateConversationMessageRequest) -> Self {
        let UpdateConversationMessageRequest { message_id, content, feedback } = change;
        Self { message_id, content, feedback }
    }
}

impl From<ReplaceConversationPayloadRequest> for Replacement {
    fn from(new: ReplaceConversationPayloadRequest) -> Self {
        let ReplaceConversationPayloadRequest { messages, current_message_id, version } = new;
        Self { messages: messages.into_iter().map(Into::into).collect(), current_message_id, version }
    }
}

impl From<PayloadMessage> for MessageInput {
    fn from(message: PayloadMessage) -> Self {
        let text = message.content.map(|text| vec![Part::Text { text }]);
        Self {
            id: message.id,
            parent_id: message.parent_id,
            role: message.role,
            parts: message.parts.or(text).unwrap_or_default(),
            model: message.model,
            tool_calls: message.tool_calls,
            attachments: message.attachments,
            feedback: message.feedback,
        }
    }
}

/// Edit a message, or rate it.
///
/// An edit never overwrites: it creates a sibling, which becomes the current message. To have it answered, request a completion with
/// `regenerate_message_id`.
#[utoipa::path(put, path = "/api/conversations/{conversation_id}/message")]
async fn update_conversation_message(
    conversation: Loaded<Row<Conversation>, ConversationsWrite>,
    app: Data<App>,
    Json(change): Json<UpdateConversationMessageRequest>,
) -> Api<Json<ConversationMessage>> {
    let (caller, id) = (conversation.auth.caller(), conversation.id);
    let edit = move |tx: &mut Tx| conversations::edit(tx, &caller, id, change.clone().into());
    Ok(Json(app.store.run(edit).await?.into()))
}

/// Replace all messages of a conversation.
///
/// The whole tree is replaced, or nothing is. Duplicate ids, missing parents and cycles are reported as faults. While a stream is live in
/// the conversation, the response is 409.
#[utoipa::path(put, path = "/api/conversations/{conversation_id}/payload")]
async fn replace_conversation_payload(
    conversation: Loaded<Row<Conversation>, ConversationsWrite>,
    app: Data<App>,
    if_match: IfMatch,
    Json(new): Json<ReplaceConversationPayloadRequest>,
) -> Api<Json<ConversationResponse>> {
    let (caller, id) = (conversation.auth.caller(), conversation.id);
    let _turn = app.whole_reads.turn().await?;
    let (expected, new) = (if_match.precondition(), Replacement::from(new));
    let replace = move |tx: &mut Tx| conversations::replace(tx, &caller, id, &expected, new.clone());
    let (conversation, messages) = app.store.run(replace).await?;
    let messages = Some(messages.into_iter().map(Into::into).collect());
    Ok(Json(ConversationResponse { messages, ..conversation.into() }))
}

operations!(update_conversation_message, replace_conversation_payload);
