//! One conversation as a whole: as it is now, or as a feed of what happens in it.

use std::str::FromStr;

use actix_web::http::header::ETAG;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use utoipa::ToSchema;
use uuid::Uuid;

use super::reach::{Readable, shown};
use super::schema::ConversationResponse;
use super::streams::active;
use super::view::ConversationMessage;
use super::{tree, watch};
use crate::App;
use crate::http::scopes::ConversationsRead;
use crate::http::wires::{self, Feed, Position, Wire};
use crate::http::{Api, ApiError, Found};

/// One event of a conversation's feed.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes what the feed writes")]
pub struct FeedEvent {
    /// What happened: `stream.started`, `stream.ended`, `message.created`, `message.updated`,
    /// `message.deleted`, `title.updated`, `conversation.updated`, `function.started`, `function.ended`; besides,
    /// `feed.opened` begins each connection, and `feed.reset` asks to load the conversation anew.
    #[schema(rename = "type", example = "message.created")]
    kind: String,
    /// Where.
    conversation_id: Uuid,
    /// The stream, the message, the id of the message that is gone, the title, what else is set of the conversation
    /// (the branch that is shown among it), or the function with the name under
    /// which it was said to be shown. A function that is told when a feed opens is under way; one that is not, and was
    /// before, has ended.
    #[schema(value_type = Object)]
    data: serde_json::Value,
}

type Reading = Found<Readable, ConversationsRead>;

/// Whether a feed is asked for, and from where it goes on.
pub fn asked(request: &HttpRequest) -> Api<Option<Option<Position>>> {
    if Wire::accepted(request.headers()) != Some(Wire::Events) {
        return Ok(None);
    }
    let Some(last) = request.headers().get("last-event-id") else { return Ok(Some(None)) };
    let position = last.to_str().ok().and_then(|text| Position::from_str(text).ok());
    let fault = || ApiError::invalid("header", ["Last-Event-ID"], "is none of this feed's", "malformed");
    Ok(Some(Some(position.ok_or_else(fault)?)))
}

/// The feed, until the conversation is gone or the caller's rights are.
pub fn answer(app: &Data<App>, conversation: Reading, from: Option<Position>) -> HttpResponse {
    let caller = conversation.auth.caller();
    let rights = watch::rights(app, &caller, Some(conversation.id), conversation.guest);
    let rights = rights.until(app.closing.subscribe());
    let show = |row| serde_json::json!({"message": ConversationMessage::from(row)});
    let body = wires::feed(
        app.store.clone(),
        app.progress.clone(),
        caller.tenant,
        conversation.id,
        from,
        rights,
        show,
    );
    let mut response = HttpResponse::Ok();
    Wire::Events.headers(&mut response);
    response.streaming(body)
}

/// The conversation with its messages and what is live in it.
pub async fn snapshot(app: &App, conversation: Reading) -> Api<HttpResponse> {
    let (tenant, id, caller) = (conversation.auth.tenant, conversation.id, conversation.auth.caller());
    let read = app.store.read(move |reader| Feed::read(reader, tenant, id)).await?;
    let now = read.ok_or_else(|| ApiError::not_found("conversation"))?;
    let position = now.position().to_string();
    let messages = tree::ordered(now.messages);
    let version = now.conversation.version;
    let whole = ConversationResponse {
        messages: Some(messages.into_iter().map(Into::into).collect()),
        active_stream: app.actors.active(tenant, id).map(active),
        ..shown(now.conversation, &caller)
    };
    let mut response = HttpResponse::Ok();
    // For `If-Match`; it does not stand for the messages, so it never answers 304.
    response.insert_header((ETAG, format!("\"{version}\"")));
    Ok(response.insert_header(("x-feed-id", position)).json(whole))
}
