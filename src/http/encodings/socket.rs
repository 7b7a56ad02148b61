//! The WebSocket encoding: the objects of the `events` encoding as text frames, with commands from the client.

use crate::http::error::RefusalResponse;
use std::sync::Arc;
use std::time::{Duration, Instant};

use actix::{Actor, ActorContext, ActorFutureExt, AsyncContext, SpawnHandle, StreamHandler, WrapFuture};
use actix_http::ws::Item;
use actix_web::error::PayloadError;
use actix_web::http::header::{
    HeaderName, HeaderValue, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, TRANSFER_ENCODING,
};
use actix_web::web::Payload;
use actix_web::{HttpRequest, HttpResponse};
use actix_web_actors::ws::{
    self, CloseCode, CloseReason, ProtocolError, WebsocketContext, WsResponseBuilder,
};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::{Bytes, BytesMut};
use futures::Stream;
use futures::future::LocalBoxFuture;
use runs::{Chunk, Cursor};
use serde::Deserialize;
use serde_json::json;
use storage::RightsListener;

use super::Rights;
use super::frames::Messages;
use super::rights::HEARTBEAT;
use crate::http::{Api, Code, Refusal};
use telemetry::metrics::Open;
use telemetry::metrics::table::STREAMS_OPEN;

/// A client that has sent nothing for this long, not even a pong, is considered disconnected.
const IDLE_TIMEOUT: Duration = Duration::from_secs(60);

/// The maximum size of a client's message in bytes, whole or in fragments. All commands are short.
const MESSAGE_BYTES: usize = 4 * 1024;

/// The version of the protocol (RFC 6455, 4.1). Drafts 7 and 8 use different masking and closing rules.
const VERSION: HeaderValue = HeaderValue::from_static("13");

/// The commands that a client may send to the run it reads.
pub struct Steering {
    /// Opens a new cursor after this sequence number.
    pub attach: Box<dyn Fn(u64) -> LocalBoxFuture<'static, Result<Cursor, SocketRefusal>>>,
    /// Requests that the run stops.
    pub cancel: Box<dyn Fn() -> LocalBoxFuture<'static, Result<(), SocketRefusal>>>,
}

/// Why a client's command was refused.
#[derive(Debug)]
pub struct SocketRefusal {
    /// A code from the table of error codes.
    pub code: &'static str,
    /// A sentence for people.
    pub message: String,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum Command {
    Cancel {},
    Attach { after: u64 },
}

/// A WebSocket that reads a run. The actor runs inside the response body, so it is polled only while the client accepts
/// data: a slow client causes no buffering in memory.
pub struct Socket {
    first: Option<Cursor>,
    messages: Option<Messages<Payload>>,
    steering: Steering,
    rights: Rights,
    last_message_at: Instant,
    following: Option<SpawnHandle>,
    /// The fragments of a text message that has not ended.
    fragments: Option<BytesMut>,
    _open: Open,
}

/// Accepts an upgrade with a socket that begins at the position of `cursor`.
///
/// # Errors
/// 400 if the request is not a handshake of version 13 with a key of 16 bytes.
pub fn open(
    cursor: Cursor,
    steering: Steering,
    rights: Rights,
    request: &HttpRequest,
    payload: Payload,
) -> Api<HttpResponse> {
    if let Err(why) = handshake(request) {
        let mut refusal = why.error_response();
        refusal.headers_mut().insert(SEC_WEBSOCKET_VERSION, VERSION);
        return Ok(refusal);
    }
    let socket = Socket::new(cursor, Messages::new(payload, MESSAGE_BYTES), steering, rights);
    // The socket reads the frames itself; see `frames`.
    let nothing = futures::stream::pending::<Result<Bytes, PayloadError>>();
    let started = WsResponseBuilder::new(socket, request, nothing).start();
    started.map_err(|why| Refusal::new(Code::BadRequest).detail(why.to_string()))
}

/// Checks that the library omits: it accepts drafts of the protocol, and any key.
fn handshake(request: &HttpRequest) -> Result<(), Refusal> {
    let refuse = |why: &str| Err(Refusal::new(Code::BadRequest).detail(why));
    let single = |name: HeaderName| {
        let mut values = request.headers().get_all(name);
        values.next().filter(|_| values.next().is_none())
    };
    if single(SEC_WEBSOCKET_VERSION) != Some(&VERSION) {
        return refuse("the WebSocket handshake needs `Sec-WebSocket-Version: 13`");
    }
    let key = single(SEC_WEBSOCKET_KEY).and_then(|key| STANDARD.decode(key.as_bytes()).ok());
    if key.is_none_or(|key| key.len() != 16) {
        return refuse("the WebSocket handshake needs one `Sec-WebSocket-Key`, 16 bytes in base64");
    }
    match request.headers().contains_key(TRANSFER_ENCODING) {
        true => refuse("a WebSocket handshake must have no body"),
        false => Ok(()),
    }
}

impl Socket {
    fn new(cursor: Cursor, messages: Messages<Payload>, steering: Steering, rights: Rights) -> Self {
        Self {
            first: Some(cursor),
            messages: Some(messages),
            steering,
            rights,
            last_message_at: Instant::now(),
            following: None,
            fragments: None,
            _open: STREAMS_OPEN.open(["websocket"]),
        }
    }

    fn follow(&mut self, cursor: Cursor, ctx: &mut WebsocketContext<Self>) {
        if let Some(former) = self.following.take() {
            ctx.cancel_future(former);
        }
        self.following = Some(ctx.add_stream(journal_items(cursor)));
    }

    fn handle_command(&mut self, text: &str, ctx: &mut WebsocketContext<Self>) {
        match serde_json::from_str(text) {
            Ok(Command::Cancel {}) => {
                let cancelled = (self.steering.cancel)().into_actor(self);
                // Stop reading until the command is done, so that commands do not accumulate.
                ctx.wait(cancelled.map(|outcome, _, ctx| {
                    if let Err(why) = outcome {
                        refuse(&why, ctx);
                    }
                }));
            }
            Ok(Command::Attach { after }) => {
                let attached = (self.steering.attach)(after).into_actor(self);
                ctx.wait(attached.map(|outcome, me, ctx| match outcome {
                    Ok(cursor) => me.follow(cursor, ctx),
                    Err(why) => refuse(&why, ctx),
                }));
            }
            Err(_) => {
                let message = r#"say {"type":"cancel"} or {"type":"attach","after":N}"#.into();
                refuse(&SocketRefusal { code: "bad_message", message }, ctx);
            }
        }
    }

    /// Handles a fragment of a message: joins fragments of texts, and refuses all others.
    fn fragment(&mut self, part: Item, ctx: &mut WebsocketContext<Self>) {
        match (part, self.fragments.take()) {
            (Item::FirstText(bytes), _) => self.fragments = Some(BytesMut::from(&bytes[..])),
            (Item::Continue(bytes), Some(mut text)) => {
                text.extend_from_slice(&bytes);
                self.fragments = Some(text);
            }
            (Item::Last(bytes), Some(mut text)) => {
                text.extend_from_slice(&bytes);
                match std::str::from_utf8(&text) {
                    Ok(text) => self.handle_command(text, ctx),
                    Err(_) => close(ctx, CloseCode::Invalid, "a text message must be UTF-8"),
                }
            }
            (Item::FirstBinary(_) | Item::Continue(_) | Item::Last(_), _) => {
                close(ctx, CloseCode::Unsupported, "only text messages are supported");
            }
        }
    }

    fn violated(code: CloseCode, ctx: &mut WebsocketContext<Self>) {
        let why = match code {
            CloseCode::Size => format!("a message may have at most {MESSAGE_BYTES} bytes"),
            CloseCode::Invalid => "a text message must be UTF-8".to_owned(),
            _ => "the frame breaks the protocol".to_owned(),
        };
        close(ctx, code, &why);
    }

    fn beat(&mut self, ctx: &mut WebsocketContext<Self>) {
        if self.last_message_at.elapsed() > IDLE_TIMEOUT {
            return ctx.stop();
        }
        ctx.ping(b"");
        if let Some(question) = self.rights.beat() {
            self.put(question, ctx);
        }
    }

    fn put(&mut self, question: LocalBoxFuture<'static, bool>, ctx: &mut WebsocketContext<Self>) {
        ctx.spawn(question.into_actor(self).map(|holds, _, ctx| {
            if !holds {
                close(ctx, CloseCode::Policy, "you no longer have access to the conversation");
            }
        }));
    }
}

fn refuse(why: &SocketRefusal, ctx: &mut WebsocketContext<Socket>) {
    let error = json!({"code": why.code, "message": why.message});
    ctx.text(json!({"type": "error", "error": error}).to_string());
}

fn close(ctx: &mut WebsocketContext<Socket>, code: CloseCode, why: &str) {
    ctx.close(Some(CloseReason { code, description: Some(why.into()) }));
    ctx.stop();
}

/// An item read from the journal.
enum JournalItem {
    Chunk(Arc<Chunk>),
    Ended,
    Unreadable,
}

fn journal_items(cursor: Cursor) -> impl Stream<Item = JournalItem> {
    futures::stream::unfold(Some(cursor), |cursor| async move {
        let mut cursor = cursor?;
        match cursor.next().await {
            Ok(Some(chunk)) => Some((JournalItem::Chunk(chunk), Some(cursor))),
            Ok(None) => Some((JournalItem::Ended, None)),
            Err(why) => {
                tracing::error!(run = %cursor.run(), %why, "the journal could not be read");
                Some((JournalItem::Unreadable, None))
            }
        }
    })
}

/// A change of rights, which may concern the reader.
struct RightsChanged;

fn rights_changes(listener: RightsListener) -> impl Stream<Item = RightsChanged> {
    futures::stream::unfold(listener, |mut listener| async move {
        listener.changed().await;
        Some((RightsChanged, listener))
    })
}

impl Actor for Socket {
    type Context = WebsocketContext<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        if let Some(cursor) = self.first.take() {
            self.follow(cursor, ctx);
        }
        if let Some(messages) = self.messages.take() {
            ctx.add_stream(messages);
        }
        if let Some(listener) = self.rights.listener() {
            ctx.add_stream(rights_changes(listener));
        }
        ctx.run_interval(HEARTBEAT, Self::beat);
    }
}

impl StreamHandler<JournalItem> for Socket {
    fn handle(&mut self, item: JournalItem, ctx: &mut Self::Context) {
        match item {
            JournalItem::Chunk(chunk) => {
                for event in &chunk.events {
                    // Canonical JSON is UTF-8, so this cannot fail.
                    if let Ok(text) = std::str::from_utf8(&event.json) {
                        ctx.text(text);
                    }
                }
            }
            JournalItem::Ended => close(ctx, CloseCode::Normal, "the run has ended"),
            JournalItem::Unreadable => close(ctx, CloseCode::Again, "the stream could not be read further"),
        }
    }

    /// Does nothing: a cursor that was read to its end closes the socket itself.
    fn finished(&mut self, _: &mut Self::Context) {}
}

impl StreamHandler<RightsChanged> for Socket {
    fn handle(&mut self, _: RightsChanged, ctx: &mut Self::Context) {
        let question = self.rights.question();
        self.put(question, ctx);
    }
}

impl StreamHandler<Result<ws::Message, CloseCode>> for Socket {
    fn handle(&mut self, incoming: Result<ws::Message, CloseCode>, ctx: &mut Self::Context) {
        self.last_message_at = Instant::now();
        match incoming {
            Ok(ws::Message::Text(text)) => self.handle_command(&text, ctx),
            Ok(ws::Message::Ping(bytes)) => ctx.pong(&bytes),
            Ok(ws::Message::Pong(_) | ws::Message::Nop) => {}
            Ok(ws::Message::Close(reason)) => {
                ctx.close(reason);
                ctx.stop();
            }
            Ok(ws::Message::Continuation(part)) => self.fragment(part, ctx),
            Ok(ws::Message::Binary(_)) => {
                close(ctx, CloseCode::Unsupported, "only text messages are supported")
            }
            Err(code) => Self::violated(code, ctx),
        }
    }
}

/// Required by the library for the stream that it would read itself. That stream is empty.
impl StreamHandler<Result<ws::Message, ProtocolError>> for Socket {
    fn handle(&mut self, _: Result<ws::Message, ProtocolError>, _: &mut Self::Context) {}
}
