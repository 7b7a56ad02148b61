//! Branches of a conversation, in pages.

use actix_web::web::Data;
use domain::conversations::{self, BranchEnd, BranchMessage, BranchPage, BranchPart};
use serde::{Deserialize, Serialize};
use storage::records::MessageNode;
use storage::{Page, Row, Timestamp};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::reach::Readable;
use super::view::ConversationMessage;
use crate::App;
use crate::http::scopes::ConversationsRead;
use crate::http::{Api, DEFAULT_PAGE, Faults, Json, Loaded, Paging, Query, Validate, operations};

/// Selects a branch of a conversation, and where to begin.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct SelectBranch {
    /// Id of the message with which the branch ends. Defaults to the `current_message_id` of the conversation. Ignored with a `cursor`.
    pub leaf_id: Option<Uuid>,
    /// Id of a message that the branch contains, such as a sibling to switch to. After it, the branch continues with the newest message
    /// of each fork. Instead of `leaf_id`.
    pub through_id: Option<Uuid>,
    /// Only messages whose `position` is lower.
    #[param(minimum = 1)]
    pub before: Option<u32>,
}

impl Validate for SelectBranch {
    fn validate(&self, faults: &mut Faults) {
        if self.leaf_id.is_some() && self.through_id.is_some() {
            faults.add(["through_id"], "cannot be combined with `leaf_id`", "conflict");
        }
    }
}

/// A page of the messages of a branch, the last one first.
#[derive(Debug, Serialize, ToSchema)]
pub struct BranchResponse {
    pub items: Vec<BranchItem>,
    /// Id of the last message of the branch; `null` if the conversation has no messages.
    pub leaf_id: Option<Uuid>,
    /// Number of messages of the branch.
    pub total: u32,
    /// Number of messages of the user on the branch.
    pub user_messages: u32,
    /// The cursor of the next page, which contains earlier messages; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub next_cursor: Option<String>,
}

/// A message of a branch.
#[derive(Debug, Serialize, ToSchema)]
pub struct BranchItem {
    #[serde(flatten)]
    pub message: ConversationMessage,
    /// Number of the message on its branch, from 1.
    pub position: u32,
    /// Number of the message among `sibling_ids`, from 1.
    pub sibling_number: u32,
    /// Ids of the messages that follow the same message, including this one, the oldest first: the question and its edited versions, or
    /// the answer and the regenerated ones.
    pub sibling_ids: Vec<Uuid>,
}

impl From<BranchMessage> for BranchItem {
    fn from(item: BranchMessage) -> Self {
        let BranchMessage { message, position, siblings } = item;
        let index = siblings.iter().position(|id| *id == message.id.1).unwrap_or_default();
        Self { message: message.into(), position, sibling_number: index as u32 + 1, sibling_ids: siblings }
    }
}

/// A page of the user's messages on a branch, the last one first.
#[derive(Debug, Serialize, ToSchema)]
pub struct OutlineResponse {
    pub items: Vec<OutlineItem>,
    /// Id of the last message of the branch; `null` if the conversation has no messages.
    pub leaf_id: Option<Uuid>,
    /// Number of messages of the branch.
    pub total: u32,
    /// Number of messages of the user on the branch.
    pub user_messages: u32,
    /// The cursor of the next page, which contains earlier messages; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub next_cursor: Option<String>,
}

/// A message of the user in an outline.
#[derive(Debug, Serialize, ToSchema)]
pub struct OutlineItem {
    /// Id of the message.
    pub id: Uuid,
    /// Number of the message on its branch, from 1.
    pub position: u32,
    /// Time at which the message was created.
    pub created_at: Timestamp,
    /// The first 120 characters of the text, with single spaces; the names of its files if it has no text.
    pub preview: String,
}

impl From<Row<MessageNode>> for OutlineItem {
    fn from(row: Row<MessageNode>) -> Self {
        let MessageNode { depth, message_created_at: created_at, preview, .. } = row.body;
        Self { id: row.id.1, position: depth + 1, created_at, preview }
    }
}

/// Selects a page of an outline.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct OutlinePaging {
    /// Maximum number of messages of the user.
    #[param(minimum = 1, maximum = 5_000, default = 50)]
    pub limit: u32,
    /// The position at which the page begins: the `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

impl Default for OutlinePaging {
    fn default() -> Self {
        Self { limit: DEFAULT_PAGE, cursor: None }
    }
}

impl Validate for OutlinePaging {
    fn validate(&self, faults: &mut Faults) {
        self.as_paging().validate(faults);
    }
}

impl OutlinePaging {
    fn as_paging(&self) -> Paging {
        Paging { limit: self.limit, cursor: self.cursor.clone() }
    }
}

/// List the messages of one branch of a conversation.
///
/// The last message comes first, and `next_cursor` leads towards the beginning of the branch. A page takes about the same time however
/// long the conversation is. `before` reads from any position.
#[utoipa::path(get, path = "/api/conversations/{conversation_id}/messages", params(SelectBranch, Paging))]
async fn list_conversation_messages(
    conversation: Loaded<Readable, ConversationsRead>,
    app: Data<App>,
    Query(select): Query<SelectBranch>,
    Query(paging): Query<Paging>,
) -> Api<Json<BranchResponse>> {
    let (tenant, part, row) = (conversation.auth.tenant, part(&select, &paging)?, conversation.row().clone());
    let read = app.store.read(move |reader| conversations::branch(reader, tenant, &row, &part)).await?;
    let BranchPage { leaf_id, messages: total, user_messages, page } = read;
    let (items, next_cursor) = converted(page);
    Ok(Json(BranchResponse { items, leaf_id, total, user_messages, next_cursor }))
}

/// List the user's messages on one branch of a conversation.
///
/// They are an outline of a long conversation: the beginning of each text, with its position. The last message comes first. The entries are
/// small, so a page may have up to 5,000; a page with long previews ends earlier, once it takes 4 MiB.
#[utoipa::path(
    get,
    path = "/api/conversations/{conversation_id}/outline",
    params(SelectBranch, OutlinePaging)
)]
async fn get_conversation_outline(
    conversation: Loaded<Readable, ConversationsRead>,
    app: Data<App>,
    Query(select): Query<SelectBranch>,
    Query(paging): Query<OutlinePaging>,
) -> Api<Json<OutlineResponse>> {
    let (tenant, row) = (conversation.auth.tenant, conversation.row().clone());
    let part = part(&select, &paging.as_paging())?;
    let read = app.store.read(move |reader| conversations::outline(reader, tenant, &row, &part)).await?;
    let BranchPage { leaf_id, messages: total, user_messages, page } = read;
    let (items, next_cursor) = converted(page);
    Ok(Json(OutlineResponse { items, leaf_id, total, user_messages, next_cursor }))
}

fn part(select: &SelectBranch, paging: &Paging) -> Api<BranchPart> {
    let end = match (select.leaf_id, select.through_id) {
        (Some(id), _) => BranchEnd::At(id),
        (None, Some(id)) => BranchEnd::Through(id),
        (None, None) => BranchEnd::Current,
    };
    Ok(BranchPart { end, before: select.before, limit: paging.limit as usize, after: paging.after()? })
}

fn converted<T, U: From<T>>(page: Page<T>) -> (Vec<U>, Option<String>) {
    let next = page.next.as_ref().map(ToString::to_string);
    (page.items.into_iter().map(U::from).collect(), next)
}

operations!(list_conversation_messages, get_conversation_outline);
