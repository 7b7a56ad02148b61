//! A single conversation: as a snapshot, or as a feed of its changes.

use std::collections::HashMap;
use std::io;
use std::str::FromStr;

use actix_web::http::header::ETAG;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use bytes::Bytes;
use storage::records::Message;
use storage::{Reader, Row, Scan, Store, TenantId};
use uuid::Uuid;

use super::reach::{Readable, shown};
use super::rights::rights;
use super::schema::ConversationResponse;
use super::streams::active_in;
use super::view::ConversationMessage;
use crate::App;
use crate::http::encodings::{self, Feed, Position, Sources, Wire};
use crate::http::scopes::ConversationsRead;
use crate::http::{Api, Code, Loaded, Refusal};
use domain::conversations::{MessagePlace, ordered};

type Reading = Loaded<Readable, ConversationsRead>;

/// Returns whether the request asks for a feed (the outer `None` means no), and the position after which the feed continues.
pub fn resume_position(request: &HttpRequest) -> Api<Option<Option<Position>>> {
    if Wire::accepted(request.headers()) != Some(Wire::Events) {
        return Ok(None);
    }
    let Some(last) = request.headers().get("last-event-id") else { return Ok(Some(None)) };
    let position = last.to_str().ok().and_then(|text| Position::from_str(text).ok());
    let fault = || Refusal::invalid("header", ["Last-Event-ID"], "is not an id of this feed", "malformed");
    Ok(Some(Some(position.ok_or_else(fault)?)))
}

/// Responds with the feed. It ends when the conversation is deleted or the caller loses access.
pub fn answer(app: &Data<App>, conversation: Reading, from: Option<Position>) -> HttpResponse {
    let caller = conversation.auth.caller();
    let rights = rights(app, &caller, conversation.id, conversation.guest);
    let rights = rights.until(app.closing.subscribe());
    let show = |row| serde_json::json!({"message": ConversationMessage::from(row)});
    let sources = Sources {
        store: app.store.clone(),
        progress: app.progress.clone(),
        reads: app.whole_reads.clone(),
        runs: (*app.actors).clone(),
    };
    let body = encodings::feed(sources, caller.tenant, conversation.id, from, rights, show);
    let mut response = HttpResponse::Ok();
    Wire::Events.headers(&mut response);
    response.streaming(body)
}

/// Responds with the conversation, its messages if they are requested, and its live stream. Messages of more than [`WHOLE`] bytes are sent in pieces, so that they
/// are never in memory as a whole.
pub async fn snapshot(app: &App, conversation: Reading, with_messages: bool) -> Api<HttpResponse> {
    let (tenant, id, caller) = (conversation.auth.tenant, conversation.id, conversation.auth.caller());
    let turn = if with_messages { Some(app.whole_reads.turn().await?) } else { None };
    let read = app.store.read(move |reader| Snapshot::read(reader, tenant, id, with_messages)).await?;
    drop(turn);
    let Snapshot { feed, mut order, messages } = read.ok_or_else(|| Refusal::not_found("conversation"))?;
    let position = feed.position().to_string();
    let version = feed.conversation.version;
    let shown = ConversationResponse {
        messages: messages.map(|rows| in_order(rows, &order)),
        active_stream: active_in(app, tenant, id),
        ..shown(feed.conversation, &caller)
    };
    let mut response = HttpResponse::Ok();
    // For `If-Match`. The version does not cover the messages, so the server never responds with 304.
    response.insert_header((ETAG, format!("\"{version}\"")));
    response.insert_header(("x-feed-id", position));
    if shown.messages.is_some() || !with_messages {
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

/// Up to this many bytes of messages, a conversation is sent in one piece.
const WHOLE: usize = 1 << 20;
/// Minimum size of a piece, in bytes.
const PIECE: usize = 256 << 10;

struct Snapshot {
    feed: Feed,
    /// The places of the messages, oldest first.
    order: Vec<MessagePlace>,
    /// All messages, if they have at most [`WHOLE`] bytes.
    messages: Option<Vec<Row<Message>>>,
}

impl Snapshot {
    fn read(
        reader: &Reader,
        tenant: TenantId,
        id: Uuid,
        with_messages: bool,
    ) -> storage::Result<Option<Self>> {
        let Some(feed) = Feed::read(reader, tenant, id)? else { return Ok(None) };
        if !with_messages {
            return Ok(Some(Self { feed, order: Vec::new(), messages: None }));
        }
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

/// A large conversation that is being sent. A message that is deleted before it is sent is left out, and a message that changes is sent in
/// its new form. The feed reports both.
struct Pieces {
    store: Store,
    tenant: TenantId,
    conversation: Uuid,
    /// The messages that are still to be sent, the next one last.
    left: Vec<MessagePlace>,
    /// The document without its messages, until it has been sent.
    head: Option<String>,
}

impl Pieces {
    /// Returns the next piece, or `None` at the end.
    async fn next(&mut self) -> io::Result<Option<Bytes>> {
        let Some(mut piece) = self.head.take().or_else(|| (!self.left.is_empty()).then(String::new)) else {
            return Ok(None);
        };
        let is_first = !piece.is_empty();
        if is_first {
            // The closing brace is written after the last message.
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
