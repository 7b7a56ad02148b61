//! The connection of a WebSocket: connects a session to the frames of its client, and detects lost clients.

use std::io;

use actix_http::ws::{CloseCode, CloseReason, OpCode};
use actix_web::web::Payload;
use bytes::Bytes;
use futures::{FutureExt, Stream};
use telemetry::metrics::Open;
use telemetry::metrics::table::STREAMS_OPEN;
use tokio::sync::watch;
use tokio::time::Interval;

use super::incoming::{Incoming, Received};
use super::outgoing::{Outgoing, Texts, close, control};
use crate::http::encodings::{closed, heartbeats};

/// The number of pings in succession that a client may leave unanswered: a minute. Only pings that were sent are
/// counted, because a client that does not read cannot receive them either.
const UNANSWERED_PINGS: u32 = 4;

/// The server's side of the messages of one WebSocket.
pub trait Session: 'static {
    /// Handles a text message of the client, and returns the reply, if there is one at once.
    fn receive(&mut self, text: &str) -> Option<Outgoing>;

    /// Whether a further message can be handled. Otherwise none is read, so that commands do not accumulate.
    fn is_ready(&self) -> bool;

    /// Called at every heartbeat.
    fn beat(&mut self);

    /// Returns what is sent next. Can be cancelled without losing anything.
    fn next(&mut self) -> impl Future<Output = Outgoing>;
}

/// A connection with its session.
pub(super) struct Connection<S> {
    session: S,
    incoming: Incoming,
    ticks: Interval,
    unanswered_pings: u32,
    closing: watch::Receiver<bool>,
    is_over: bool,
    _open: Open,
}

/// The end of a connection without a closing frame.
struct Lost;

impl<S: Session> Connection<S> {
    pub fn new(session: S, payload: Payload, closing: watch::Receiver<bool>) -> Self {
        Self {
            session,
            incoming: Incoming::new(payload),
            ticks: heartbeats(),
            unanswered_pings: 0,
            closing,
            is_over: false,
            _open: STREAMS_OPEN.open(["websocket"]),
        }
    }

    /// The frames that the client receives.
    pub fn frames(self) -> impl Stream<Item = Result<Bytes, io::Error>> {
        futures::stream::unfold(self, |mut connection| async move {
            if connection.is_over {
                return None;
            }
            let bytes = connection.next().await.ok()?;
            Some((Ok(bytes), connection))
        })
    }

    /// Returns the next frames. The order of the branches is random, so that neither side can starve the other.
    async fn next(&mut self) -> Result<Bytes, Lost> {
        loop {
            let Self { session, incoming, ticks, closing, .. } = self;
            let is_ready = session.is_ready();
            let sent = tokio::select! {
                received = incoming.next(), if is_ready => self.receive(received.ok_or(Lost)?),
                outgoing = session.next() => Some(self.send(outgoing)),
                _ = ticks.tick() => self.beat()?,
                () = closed(closing) => Some(self.close(CloseCode::Away, "the server is shutting down")),
            };
            if let Some(bytes) = sent {
                return Ok(bytes);
            }
        }
    }

    fn receive(&mut self, received: Received) -> Option<Bytes> {
        self.unanswered_pings = 0;
        match received {
            Received::Text(text) => self.session.receive(&text).map(|reply| self.send(reply)),
            Received::Ping(bytes) => Some(control(OpCode::Pong, &bytes)),
            Received::Pong => None,
            Received::Close(reason) => {
                self.is_over = true;
                Some(close(reason))
            }
            Received::Violation(code, why) => Some(self.close(code, &why)),
        }
    }

    fn send(&mut self, outgoing: Outgoing) -> Bytes {
        match outgoing {
            Outgoing::Texts(texts) => Texts::into_bytes(texts),
            Outgoing::Close(code, why) => self.close(code, why),
        }
    }

    fn beat(&mut self) -> Result<Option<Bytes>, Lost> {
        if self.unanswered_pings == UNANSWERED_PINGS {
            // The answer may have arrived while the session was not ready.
            let received = self.incoming.next().now_or_never().flatten().ok_or(Lost)?;
            return Ok(self.receive(received));
        }
        self.unanswered_pings += 1;
        self.session.beat();
        Ok(Some(control(OpCode::Ping, b"")))
    }

    fn close(&mut self, code: CloseCode, why: &str) -> Bytes {
        self.is_over = true;
        close(Some(CloseReason { code, description: Some(why.into()) }))
    }
}
