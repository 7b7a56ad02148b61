//! The same messages as server-sent events, for environments without WebSocket.

use std::io;
use std::rc::Rc;

use bytes::Bytes;
use futures::Stream;
use telemetry::metrics::Open;
use telemetry::metrics::table::STREAMS_OPEN;
use tokio::sync::watch;
use tokio::time::Interval;

use super::messages::{self, LiveMessage};
use super::positions::Positions;
use super::requests::Requests;
use super::subscription::Update;
use super::subscriptions::Subscriptions;
use crate::http::ConnectionPermit;
use crate::http::encodings::{Rights, SSE_HEAD, SSE_HEARTBEAT, closed, heartbeats};

/// The subscriptions that a request lists.
pub struct LiveEventStream {
    requests: Rc<Requests>,
    subscriptions: Subscriptions,
    positions: Positions,
    rights: Rights,
    ticks: Interval,
    /// Becomes true when the server no longer waits for runs.
    drained: watch::Receiver<bool>,
    has_begun: bool,
    _open: Open,
    _permit: ConnectionPermit,
}

impl LiveEventStream {
    /// `rights` are those to the connection itself: the client's credential is valid.
    pub fn new(
        requests: Rc<Requests>,
        (subscriptions, positions): (Subscriptions, Positions),
        (rights, permit): (Rights, ConnectionPermit),
        drained: watch::Receiver<bool>,
    ) -> Self {
        let (ticks, open) = (heartbeats(), STREAMS_OPEN.open(["live"]));
        Self {
            requests,
            subscriptions,
            positions,
            rights,
            ticks,
            drained,
            has_begun: false,
            _open: open,
            _permit: permit,
        }
    }

    /// The body of the response. It ends with the last subscription, with the client's credential, and when the server
    /// shuts down.
    pub fn body(self) -> impl Stream<Item = Result<Bytes, io::Error>> {
        futures::stream::unfold(self, |mut stream| async move { Some((Ok(stream.next().await?), stream)) })
    }

    async fn next(&mut self) -> Option<Bytes> {
        if !std::mem::replace(&mut self.has_begun, true) {
            return Some(Bytes::from_static(SSE_HEAD.as_bytes()));
        }
        while !self.subscriptions.is_empty() && self.rights.check().await {
            let Self { requests, subscriptions, positions, rights, ticks, drained, .. } = self;
            let waits_for_no_run = !subscriptions.has_runs();
            tokio::select! {
                biased;
                // The check follows.
                () = rights.changed() => {}
                () = closed(drained) => return None,
                () = requests.closed(), if waits_for_no_run => return None,
                (id, update) = subscriptions.next() => return Some(written(&id, &update, positions).into()),
                _ = ticks.tick() => {
                    rights.beat();
                    return Some(Bytes::from_static(SSE_HEARTBEAT.as_bytes()));
                }
            }
        }
        None
    }
}

/// The messages about an update as server-sent events. Those that change a position have an `id`.
fn written(id: &str, update: &Update, positions: &mut Positions) -> Vec<u8> {
    let mut out = Vec::new();
    match update {
        Update::Subscribed(stream_id) => {
            write(&mut out, messages::subscribed(id, stream_id.as_ref()).as_bytes(), None);
        }
        Update::Events(events) => {
            for event in events {
                let position = event.position.as_deref().and_then(|at| std::str::from_utf8(at).ok());
                let all = position.map(|position| positions.advance(id, position));
                write(&mut out, &messages::event(id, event), all.as_deref());
            }
        }
        Update::Ended(problem) => {
            let message = LiveMessage::Ended { id, problem: problem.as_ref() }.to_json();
            write(&mut out, message.as_bytes(), Some(&positions.end(id)));
        }
    }
    out
}

fn write(out: &mut Vec<u8>, message: &[u8], id: Option<&str>) {
    out.extend_from_slice(b"data: ");
    out.extend_from_slice(message);
    // The id is the last line, because some clients record it as soon as they have read it.
    if let Some(id) = id {
        out.extend_from_slice(b"\nid: ");
        out.extend_from_slice(id.as_bytes());
    }
    out.extend_from_slice(b"\n\n");
}
