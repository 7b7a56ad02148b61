//! One conversation as a whole: as it is now, or as a feed of what happens in it.

use std::collections::HashMap;
use std::io;
use std::str::FromStr;

use actix_web::http::header::ETAG;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use bytes::Bytes;
use storage::records::Message;
use storage::{Reader, Row, Scan, Store, TenantId};
use utoipa::ToSchema;
use uuid::Uuid;

use super::reach::{Readable, shown};
use super::rights::rights;
use super::schema::ConversationResponse;
use super::streams::active;
use super::view::ConversationMessage;
use crate::App;
use crate::http::encodings::{self, Feed, Position, Sources, Wire};
use crate::http::scopes::ConversationsRead;
use crate::http::{Api, Code, Loaded, Refusal};
use domain::conversations::{MessagePlace, ordered};

/// One event of a conversation's feed.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes what the feed writes")]
pub struct FeedEvent {
    /// What happened: `stream.started`, `stream.ended`, `message.created`, `message.updated`,
    /// `message.deleted`, `title.updated`, `conversation.updated`, `function.started`, `function.ended`; besides,
    /// `feed.opened` begins each connection, and `feed.reset` asks to reload the conversation.
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

type Reading = Loaded<Readable, ConversationsRead>;

/// Whether the request asks for a feed (outer `None` if not), and the position after which it continues.
pub fn resume_position(request: &HttpRequest) -> Api<Option<Option<Position>>> {
    if Wire::accepted(request.headers()) != Some(Wire::Events) {
        return Ok(None);
    }
    let Some(last) = request.headers().get("last-event-id") else { return Ok(Some(None)) };
    let position = last.to_str().ok().and_then(|text| Position::from_str(text).ok());
    let fault = || Refusal::invalid("header", ["Last-Event-ID"], "is not an id of this feed", "malformed");
    Ok(Some(Some(position.ok_or_else(fault)?)))
}

/// The feed, until the conversation is gone or the caller's rights are.
pub fn answer(app: &Data<App>, conversation: Reading, from: Option<Position>) -> HttpResponse {
    let caller = conversation.auth.caller();
    let rights = rights(app, &caller, conversation.id, conversation.guest);
    let rights = rights.until(app.closing.subscribe());
    let show = |row| serde_json::json!({"message": ConversationMessage::from(row)});
    let sources =
        Sources { store: app.store.clone(), progress: app.progress.clone(), reads: app.whole_reads.clone() };
    let body = encodings::feed(sources, caller.tenant, conversation.id, from, rights, show);
    let mut response = HttpResponse::Ok();
    Wire::Events.headers(&mut response);
    response.streaming(body)
}

/// The conversation with its messages and what is live in it. One of more than [`WHOLE`] bytes is written piece by
/// piece, so that it is never in memory as a whole.
pub async fn snapshot(app: &App, conversation: Reading) -> Api<HttpResponse> {
    let (tenant, id, caller) = (conversation.auth.tenant, conversation.id, conversation.auth.caller());
    let turn = app.whole_reads.turn().await?;
    let read = app.store.read(move |reader| Snapshot::read(reader, tenant, id)).await?;
    drop(turn);
    let Snapshot { feed, mut order, messages } = read.ok_or_else(|| Refusal::not_found("conversation"))?;
    let position = feed.position().to_string();
    let version = feed.conversation.version;
    let shown = ConversationResponse {
        messages: messages.map(|rows| in_order(rows, &order)),
        active_stream: app.actors.active(tenant, id).map(active),
        ..shown(feed.conversation, &caller)
    };
    let mut response = HttpResponse::Ok();
    // For `If-Match`; it does not stand for the messages, so it never answers 304.
    response.insert_header((ETAG, format!("\"{version}\"")));
    response.insert_header(("x-feed-id", position));
    if shown.messages.is_some() {
        return Ok(response.json(shown));
    }
    let head = serde_json::to_string(&shown).map_err(|why| Refusal::new(Code::Internal).because(why))?;
    order.reverse();
    let pieces = Pieces { store: app.store.clone(), tenant, conversation: id, left: order, head: Some(head) };
    let body = futures::stream::try_unfold(pieces, |mut pieces| async move {
        Ok::<_, io::Error>(pieces.next().await?.map(|piece| (piece, pieces)))
    });
    Ok(response.content_type("application/json").streaming(body))
}

/// Bytes of messages up to which a conversation is answered in one piece.
const WHOLE: usize = 1 << 20;
/// Bytes of a piece, at least.
const PIECE: usize = 256 << 10;

struct Snapshot {
    feed: Feed,
    /// The messages, oldest first.
    order: Vec<MessagePlace>,
    /// All of them, where they are few.
    messages: Option<Vec<Row<Message>>>,
}

impl Snapshot {
    fn read(reader: &Reader, tenant: TenantId, id: Uuid) -> storage::Result<Option<Self>> {
        let Some(feed) = Feed::read(reader, tenant, id)? else { return Ok(None) };
        let (mut order, mut messages) = (Vec::with_capacity(feed.messages.len()), None);
        if feed.messages.iter().map(|head| head.size).sum::<usize>() <= WHOLE {
            messages = Some(Vec::with_capacity(feed.messages.len()));
        }
        reader.visit::<Message>(tenant, Scan::table().prefix(id.as_bytes()), |row| {
            order.push(MessagePlace::from(&row));
            messages.iter_mut().for_each(|messages| messages.push(row.clone()));
            true
        })?;
        Ok(Some(Self { feed, order: ordered(order), messages }))
    }
}

fn in_order(rows: Vec<Row<Message>>, order: &[MessagePlace]) -> Vec<ConversationMessage> {
    let mut rows: HashMap<Uuid, Row<Message>> = rows.into_iter().map(|row| (row.id.1, row)).collect();
    order.iter().filter_map(|place| rows.remove(&place.id)).map(Into::into).collect()
}

/// A large conversation while it is being sent. A message that is deleted before its turn is left out, and one that
/// changes is sent as changed; the feed reports both.
struct Pieces {
    store: Store,
    tenant: TenantId,
    conversation: Uuid,
    /// What is still to be written, the next one last.
    left: Vec<MessagePlace>,
    /// The document without its messages, until it is written.
    head: Option<String>,
}

impl Pieces {
    /// The next piece; none at the end.
    async fn next(&mut self) -> io::Result<Option<Bytes>> {
        let Some(mut piece) = self.head.take().or_else(|| (!self.left.is_empty()).then(String::new)) else {
            return Ok(None);
        };
        let is_first = !piece.is_empty();
        if is_first {
            // The closing brace comes last.
            piece.pop();
            piece.push_str(",\"messages\":[");
        }
        let (tenant, conversation, mut remaining) =
            (self.tenant, self.conversation, std::mem::take(&mut self.left));
        let read = self.store.read(move |reader| {
            let mut needs_comma = !is_first;
            while piece.len() < PIECE
                && let Some(place) = remaining.pop()
            {
                let Some(row) = reader.get::<Message>(tenant, &(conversation, place.id))? else { continue };
                if std::mem::replace(&mut needs_comma, true) {
                    piece.push(',');
                }
                let shown = serde_json::to_string(&ConversationMessage::from(row));
                piece.push_str(&shown.map_err(|why| storage::Error::Invalid(why.to_string()))?);
            }
            if remaining.is_empty() {
                piece.push_str("]}");
            }
            Ok::<_, storage::Error>((piece, remaining))
        });
        let (piece, remaining) = read.await.map_err(|why| {
            tracing::error!(%conversation, %why, "a conversation could not be read to its end");
            io::Error::from(io::ErrorKind::ConnectionAborted)
        })?;
        self.left = remaining;
        Ok(Some(piece.into()))
    }
}
