//! Operations on whole conversations.

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
    RetrieveConversation, UpdateConversationRequest,
};
use super::{feed, feed_events, list, remove};
use crate::App;
use crate::http::scopes::{ConversationsRead, ConversationsWrite};
use crate::http::{Api, Auth, Caller, Created, IfMatch, Json, Loaded, NoContent, Query, operations};
use domain::conversations::{ConversationChange, NewConversation};

/// Create a conversation.
///
/// All fields are optional. If the title is omitted, it is generated from the first exchange.
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
/// The most recently changed come first. Archived conversations and those in projects are left out unless requested. Each conversation
/// includes its live stream.
#[utoipa::path(get, path = "/api/conversations", params(ListConversations))]
async fn conversations(
    auth: Auth<ConversationsRead>,
    app: Data<App>,
    Query(query): Query<ListConversations>,
) -> Api<Json<ConversationsListResponse>> {
    list::listed(&app, auth.caller(), query).await.map(Json)
}

/// Retrieve a conversation with all its messages, or stream its changes.
///
/// The conversation must belong to the caller, or to a project of which the caller is a member.
///
/// With `Accept: text/event-stream` the response is the feed of the conversation: `stream.started`, `stream.ended`, `message.created`,
/// `message.updated`, `message.deleted`, `title.updated` and `conversation.updated`. Open tabs use it to stay in sync. Each connection
/// begins with `feed.opened`, after the events that were missed since `Last-Event-ID`. `feed.reset` asks the client to reload the
/// conversation. The `X-Feed-Id` header of the plain response is the position from which a feed continues without a gap.
///
/// Long conversations open faster with `include_messages=false` and a page of `GET …/messages`.
#[utoipa::path(get, path = "/api/conversations/{conversation_id}",
    params(RetrieveConversation, ("Last-Event-ID" = Option<String>, Header,
        description = "The id of the last event that the client received, or the `X-Feed-Id`. The feed continues after it.")),
    responses((status = 200, description = "The conversation, or the event stream of its feed.", content(
        (ConversationResponse = "application/json"), (feed_events::FeedEvent = "text/event-stream")),
        headers(("ETag" = String, description = "The version of the conversation."),
            ("X-Feed-Id" = String, description = "The position from which its feed continues.")))))]
async fn get_conversation(
    conversation: Loaded<Readable, ConversationsRead>,
    app: Data<App>,
    Query(query): Query<RetrieveConversation>,
    request: HttpRequest,
) -> Api<HttpResponse> {
    match feed::resume_position(&request)? {
        Some(from) => Ok(feed::answer(&app, conversation, from)),
        None => feed::snapshot(&app, conversation, query.include_messages).await,
    }
}

/// Change settings of a conversation, such as its title, its assistant or the branch shown.
///
/// Fields that are omitted stay unchanged; `null` restores the default.
#[utoipa::path(patch, path = "/api/conversations/{conversation_id}")]
async fn patch_conversation(
    conversation: Loaded<Row<Conversation>, ConversationsWrite>,
    app: Data<App>,
    if_match: IfMatch,
    Json(new): Json<PatchConversationRequest>,
) -> Api<Json<ConversationResponse>> {
    change(&app, &conversation, if_match, new).await.map(Json)
}

/// Replace the settings of a conversation.
///
/// Fields that are omitted are reset to their default, except `current_message_id`, which stays unchanged. To change a single field, use
/// PATCH.
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

/// Returns a function that checks whether a caller may choose a model.
fn offers(models: &Models) -> impl Fn(&Reader, &Caller, &str) -> storage::Result<bool> {
    |reader, caller, model| {
        let choices = ModelChoices::read(reader, caller.tenant, caller.user)?;
        Ok(choices.find(models, model).is_some())
    }
}

/// Delete a conversation with everything that belongs to it.
///
/// Its live streams are stopped first. Its messages, runs, journals and uploads are deleted with it. Its costs remain on record.
#[utoipa::path(delete, path = "/api/conversations/{conversation_id}")]
async fn delete_conversation(
    conversation: Loaded<Row<Conversation>, ConversationsWrite>,
    app: Data<App>,
) -> Api<NoContent> {
    remove::remove(&app, &conversation.auth.caller(), conversation.id).await.map(|()| NoContent)
}

/// Delete several conversations.
///
/// Each conversation is deleted separately and has its own result.
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
