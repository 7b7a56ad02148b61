//! Conversations themselves.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use assist::offer::ModelChoices;
use providers::Models;
use storage::records::Conversation;
use storage::{Reader, Row, Tx};

use super::reach::Readable;
use super::schema::{
    BulkDeleteConversationsRequest, BulkDeleteConversationsResponse, ConversationResponse,
    ConversationsListResponse, CreateConversationRequest, ListConversations, PatchConversationRequest,
    UpdateConversationRequest,
};
use super::{feed, list, remove};
use crate::App;
use crate::http::scopes::{ConversationsRead, ConversationsWrite};
use crate::http::{Api, Auth, Caller, Created, IfMatch, Json, Loaded, NoContent, Query, operations};
use domain::conversations::{ConversationChange, NewConversation};

/// Create a conversation.
///
/// All fields are optional; without a title, the first exchange provides it.
#[utoipa::path(post, path = "/api/conversations")]
async fn create_conversation(
    auth: Auth<ConversationsWrite>,
    app: Data<App>,
    Json(new): Json<CreateConversationRequest>,
) -> Api<Created<ConversationResponse>> {
    let (caller, models) = (auth.caller(), app.models.clone());
    let new = NewConversation::from(new);
    let create = move |tx: &mut Tx| domain::conversations::create(tx, &caller, &offers(&models), new.clone());
    let response = ConversationResponse::from(app.store.run(create).await?);
    Ok(Created(ConversationResponse { messages: Some(Vec::new()), ..response }))
}

/// List the caller's conversations.
///
/// The latest changed come first. Archived ones and those in projects are left out unless requested.
/// Each names its live stream.
#[utoipa::path(get, path = "/api/conversations", params(ListConversations))]
async fn conversations(
    auth: Auth<ConversationsRead>,
    app: Data<App>,
    Query(query): Query<ListConversations>,
) -> Api<Json<ConversationsListResponse>> {
    list::listed(&app, auth.caller(), query).await.map(Json)
}

/// Show a conversation with all its messages, or follow what happens in it.
///
/// One's own, or one in a project of which one is a member.
///
/// With `Accept: text/event-stream` the answer is the conversation's feed: `stream.started`,
/// `stream.ended`, `message.created`, `message.updated`, `message.deleted`, `title.updated` and
/// `conversation.updated`, so that open tabs learn of each other. Each connection begins with `feed.opened`, after what was
/// missed since `Last-Event-ID`; `feed.reset` asks to reload the conversation. The `X-Feed-Id`
/// of the plain response is the position from which a feed continues without a gap.
#[utoipa::path(get, path = "/api/conversations/{conversation_id}",
    params(("Last-Event-ID" = Option<String>, Header, description = "The position from which the feed continues.")),
    responses((status = 200, description = "The conversation, or its feed.", content(
        (ConversationResponse = "application/json"), (feed::FeedEvent = "text/event-stream")))))]
async fn get_conversation(
    conversation: Loaded<Readable, ConversationsRead>,
    app: Data<App>,
    request: HttpRequest,
) -> Api<HttpResponse> {
    match feed::resume_position(&request)? {
        Some(from) => Ok(feed::answer(&app, conversation, from)),
        None => feed::snapshot(&app, conversation).await,
    }
}

/// Change a conversation: its title, its assistant, the branch that is shown, and the like.
///
/// What is left out stays; `null` brings back the default.
#[utoipa::path(patch, path = "/api/conversations/{conversation_id}")]
async fn patch_conversation(
    conversation: Loaded<Row<Conversation>, ConversationsWrite>,
    app: Data<App>,
    if_match: IfMatch,
    Json(new): Json<PatchConversationRequest>,
) -> Api<Json<ConversationResponse>> {
    change(&app, &conversation, if_match, new).await.map(Json)
}

/// Replace what can be set of a conversation.
///
/// Fields that are left out get their default, except `current_message_id`, which stays. To change one thing,
/// use PATCH.
#[utoipa::path(put, path = "/api/conversations/{conversation_id}")]
async fn update_conversation(
    conversation: Loaded<Row<Conversation>, ConversationsWrite>,
    app: Data<App>,
    if_match: IfMatch,
    Json(new): Json<UpdateConversationRequest>,
) -> Api<Json<ConversationResponse>> {
    change(&app, &conversation, if_match, new.into()).await.map(Json)
}

async fn change(
    app: &App,
    conversation: &Loaded<Row<Conversation>, ConversationsWrite>,
    if_match: IfMatch,
    new: PatchConversationRequest,
) -> Api<ConversationResponse> {
    let (caller, models, id) = (conversation.auth.caller(), app.models.clone(), conversation.id);
    let (expected, new) = (if_match.precondition(), ConversationChange::from(new));
    let change = move |tx: &mut Tx| {
        domain::conversations::update(tx, &caller, &offers(&models), (id, &expected), new.clone())
    };
    Ok(app.store.run(change).await?.into())
}

/// Whether a caller may choose a model.
fn offers(models: &Models) -> impl Fn(&Reader, &Caller, &str) -> storage::Result<bool> {
    |reader, caller, model| {
        let choices = ModelChoices::read(reader, caller.tenant, caller.user)?;
        Ok(choices.find(models, model).is_some())
    }
}

/// Delete a conversation with all that belongs to it.
///
/// Its live streams are stopped first. Its messages, runs, journals and uploads go with it; what
/// it cost stays on record.
#[utoipa::path(delete, path = "/api/conversations/{conversation_id}")]
async fn delete_conversation(
    conversation: Loaded<Row<Conversation>, ConversationsWrite>,
    app: Data<App>,
) -> Api<NoContent> {
    remove::remove(&app, &conversation.auth.caller(), conversation.id).await.map(|()| NoContent)
}

/// Delete several conversations.
///
/// Each is deleted for itself, with a result of its own.
#[utoipa::path(post, path = "/api/conversations/bulk-delete")]
async fn delete_multiple_conversations(
    auth: Auth<ConversationsWrite>,
    app: Data<App>,
    Json(body): Json<BulkDeleteConversationsRequest>,
) -> Api<Json<BulkDeleteConversationsResponse>> {
    remove::remove_all(&app, &auth.caller(), body.conversation_ids).await.map(Json)
}

operations!(
    create_conversation with slash, conversations, get_conversation, patch_conversation, update_conversation,
    delete_conversation, delete_multiple_conversations
);
