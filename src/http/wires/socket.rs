//! The WebSocket: the `events` wire's objects as text frames, and a client that may steer.

use std::sync::Arc;
use std::time::{Duration, Instant};

use actix::{Actor, ActorContext, ActorFutureExt, AsyncContext, SpawnHandle, StreamHandler, WrapFuture};
use actix_web_actors::ws::{self, CloseCode, CloseReason, WebsocketContext};
use actors::{Chunk, Cursor};
use futures::Stream;
use futures::future::LocalBoxFuture;
use serde::Deserialize;
use serde_json::json;
use storage::RightsBell;

use super::Rights;
use super::rights::HEARTBEAT;

/// A client that has not been heard of for this long, not even by a pong, is gone.
const SILENCE: Duration = Duration::from_secs(60);

/// Largest message of a client, in bytes; all it can say is short.
pub const FRAME_BYTES: usize = 4 * 1024;

/// What a client may do to the run it reads.
pub struct Steering {
    /// A new cursor after this sequence number.
    pub attach: Box<dyn Fn(u64) -> LocalBoxFuture<'static, Result<Cursor, Refusal>>>,
    /// Asks the run to stop.
    pub cancel: Box<dyn Fn() -> LocalBoxFuture<'static, Result<(), Refusal>>>,
}

/// Why a client's message was not followed.
#[derive(Debug)]
pub struct Refusal {
    /// Stable code.
    pub code: &'static str,
    /// For people.
    pub message: String,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum Command {
    Cancel {},
    Attach { after: u64 },
}

/// One WebSocket that reads a run. The actor runs inside the answer's body, so it is only polled
/// while the client takes what it is sent: a slow one holds nothing in memory.
pub struct Socket {
    first: Option<Cursor>,
    steering: Steering,
    rights: Rights,
    heard: Instant,
    following: Option<SpawnHandle>,
}

impl Socket {
    /// A socket that begins where `cursor` stands.
    pub fn new(cursor: Cursor, steering: Steering, rights: Rights) -> Self {
        Self { first: Some(cursor), steering, rights, heard: Instant::now(), following: None }
    }

    fn follow(&mut self, cursor: Cursor, ctx: &mut WebsocketContext<Self>) {
        if let Some(former) = self.following.take() {
            ctx.cancel_future(former);
        }
        self.following = Some(ctx.add_stream(told(cursor)));
    }

    fn obey(&mut self, text: &str, ctx: &mut WebsocketContext<Self>) {
        match serde_json::from_str(text) {
            Ok(Command::Cancel {}) => {
                let cancelled = (self.steering.cancel)().into_actor(self);
                ctx.spawn(cancelled.map(|outcome, _, ctx| {
                    if let Err(why) = outcome {
                        refuse(&why, ctx);
                    }
                }));
            }
            Ok(Command::Attach { after }) => {
                let attached = (self.steering.attach)(after).into_actor(self);
                ctx.spawn(attached.map(|outcome, me, ctx| match outcome {
                    Ok(cursor) => me.follow(cursor, ctx),
                    Err(why) => refuse(&why, ctx),
                }));
            }
            Err(_) => {
                let message = r#"say {"type":"cancel"} or {"type":"attach","after":N}"#.into();
                refuse(&Refusal { code: "bad_message", message }, ctx);
            }
        }
    }

    fn beat(&mut self, ctx: &mut WebsocketContext<Self>) {
        if self.heard.elapsed() > SILENCE {
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
                close(ctx, CloseCode::Policy, "the conversation is no longer there for you");
            }
        }));
    }
}

fn refuse(why: &Refusal, ctx: &mut WebsocketContext<Socket>) {
    let error = json!({"code": why.code, "message": why.message});
    ctx.text(json!({"type": "error", "error": error}).to_string());
}

fn close(ctx: &mut WebsocketContext<Socket>, code: CloseCode, why: &str) {
    ctx.close(Some(CloseReason { code, description: Some(why.into()) }));
    ctx.stop();
}

/// What the journal gives.
enum Told {
    Chunk(Arc<Chunk>),
    Ended,
    Unreadable,
}

fn told(cursor: Cursor) -> impl Stream<Item = Told> {
    futures::stream::unfold(Some(cursor), |cursor| async move {
        let mut cursor = cursor?;
        match cursor.next().await {
            Ok(Some(chunk)) => Some((Told::Chunk(chunk), Some(cursor))),
            Ok(None) => Some((Told::Ended, None)),
            Err(why) => {
                tracing::error!(run = %cursor.run(), %why, "the journal could not be read");
                Some((Told::Unreadable, None))
            }
        }
    })
}

/// Rights changed, perhaps those of the reader.
struct RightsChanged;

fn rings(bell: RightsBell) -> impl Stream<Item = RightsChanged> {
    futures::stream::unfold(bell, |mut bell| async move {
        bell.rung().await;
        Some((RightsChanged, bell))
    })
}

impl Actor for Socket {
    type Context = WebsocketContext<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        if let Some(cursor) = self.first.take() {
            self.follow(cursor, ctx);
        }
        if let Some(bell) = self.rights.bell() {
            ctx.add_stream(rings(bell));
        }
        ctx.run_interval(HEARTBEAT, Self::beat);
    }
}

impl StreamHandler<Told> for Socket {
    fn handle(&mut self, told: Told, ctx: &mut Self::Context) {
        match told {
            Told::Chunk(chunk) => {
                for event in &chunk.events {
                    // Canonical JSON is UTF-8, so this cannot fail.
                    if let Ok(text) = std::str::from_utf8(&event.json) {
                        ctx.text(text);
                    }
                }
            }
            Told::Ended => close(ctx, CloseCode::Normal, "the run has ended"),
            Told::Unreadable => close(ctx, CloseCode::Again, "the stream could not be read on"),
        }
    }

    /// A cursor that was read to its end closes the socket itself.
    fn finished(&mut self, _: &mut Self::Context) {}
}

impl StreamHandler<RightsChanged> for Socket {
    fn handle(&mut self, _: RightsChanged, ctx: &mut Self::Context) {
        let question = self.rights.question();
        self.put(question, ctx);
    }
}

impl StreamHandler<Result<ws::Message, ws::ProtocolError>> for Socket {
    fn handle(&mut self, said: Result<ws::Message, ws::ProtocolError>, ctx: &mut Self::Context) {
        self.heard = Instant::now();
        match said {
            Ok(ws::Message::Text(text)) => self.obey(&text, ctx),
            Ok(ws::Message::Ping(bytes)) => ctx.pong(&bytes),
            Ok(ws::Message::Pong(_) | ws::Message::Nop) => {}
            Ok(ws::Message::Close(reason)) => {
                ctx.close(reason);
                ctx.stop();
            }
            Ok(ws::Message::Binary(_) | ws::Message::Continuation(_)) => {
                close(ctx, CloseCode::Unsupported, "text messages only");
            }
            Err(_) => ctx.stop(),
        }
    }
}
