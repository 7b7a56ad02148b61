//! Streams a cursor as the body of an HTTP response.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::{Bytes, BytesMut};
use futures::Stream;
use futures::future::LocalBoxFuture;
use runs::{Chunk, Cursor, Event, InMemory};
use telemetry::metrics::Open;
use telemetry::metrics::table::STREAMS_OPEN;
use tokio::time::Interval;

use super::fold::Fold;
use super::rights::heartbeats;
use super::{Encoder, Rights, Wire};

/// The maximum size of a frame in bytes. Chunks that are ready at the same time are sent in one frame up to this size.
const FRAME: usize = 64 * 1024;

/// A reader of a run with its encoder and its rights.
pub struct Reading {
    /// The reader's position in the journal.
    pub cursor: Cursor,
    /// The encoder of the requested encoding.
    pub encoder: Encoder,
    /// The sequence number up to which deltas are folded; 0 folds nothing.
    pub fold_until: u64,
    /// Checks whether the reader may continue.
    pub rights: Rights,
}

/// The body of a streaming response. It ends with the run, and holds only the frame that is being sent, no matter how
/// slow the client is. If the reader has lost its rights or the journal cannot be read, the body breaks off without a
/// proper end; a client then reconnects and receives the reason.
pub fn stream(reading: Reading) -> impl Stream<Item = Result<Bytes, io::Error>> {
    stream_with(reading, heartbeats())
}

/// A body like that of [`stream`], with a heartbeat at each tick.
pub fn stream_with(reading: Reading, ticks: Interval) -> impl Stream<Item = Result<Bytes, io::Error>> {
    let open = STREAMS_OPEN.open(["run"]);
    let is_settled = tells_restarts(reading.encoder.wire());
    BodyStream::Ready(Box::new(Body {
        reading,
        ticks,
        step: Step::Head,
        is_settled,
        has_sent: false,
        last: None,
        _open: open,
    }))
}

/// A body between its frames, or with the frame that is being made.
enum BodyStream {
    /// The body is polled directly. Nearly all frames are made this way, without a future for each.
    Ready(Box<Body>),
    /// A frame for which the body waits for more than new events in memory: the disk, a permission, or the decision about a
    /// restart.
    Waiting(LocalBoxFuture<'static, (Box<Body>, Bytes)>),
    Over,
}

impl Stream for BodyStream {
    type Item = Result<Bytes, io::Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            let frame = match &mut *self {
                Self::Ready(body) => match ready!(body.poll_next(cx)) {
                    Next::Frame(frame) => frame,
                    Next::Wait(wait) => {
                        self.wait(wait);
                        continue;
                    }
                    Next::Broken => {
                        *self = Self::Over;
                        return Poll::Ready(Some(Err(io::ErrorKind::ConnectionAborted.into())));
                    }
                    Next::Over => {
                        *self = Self::Over;
                        return Poll::Ready(None);
                    }
                },
                Self::Waiting(making) => {
                    let (body, frame) = ready!(making.as_mut().poll(cx));
                    *self = Self::Ready(body);
                    frame
                }
                Self::Over => return Poll::Ready(None),
            };
            if !frame.is_empty() {
                return Poll::Ready(Some(Ok(frame)));
            }
        }
    }
}

impl BodyStream {
    /// Begins to wait for a frame.
    fn wait(&mut self, wait: Wait) {
        let Self::Ready(mut body) = std::mem::replace(self, Self::Over) else { return };
        *self = Self::Waiting(Box::pin(async move {
            let frame = match wait {
                Wait::Frame => body.frame().await,
                Wait::Beat => body.beat().await,
            };
            (body, frame)
        }));
    }
}

/// Whether an encoding can express that the events sent so far are void.
fn tells_restarts(wire: Wire) -> bool {
    wire.has_offsets() || wire == Wire::Responses
}

enum Step {
    Head,
    Events,
    Broken,
    Over,
}

/// What comes next in a body.
enum Next {
    /// A frame. Nothing is sent for an empty one.
    Frame(Bytes),
    /// A frame for which more than new events in memory is needed.
    Wait(Wait),
    Broken,
    Over,
}

/// A frame that is made by a future.
enum Wait {
    /// The next events.
    Frame,
    /// A heartbeat.
    Beat,
}

struct Body {
    reading: Reading,
    ticks: Interval,
    step: Step,
    /// Whether no event written so far can become void, or the encoding can express it.
    is_settled: bool,
    /// Whether any part of the answer has been sent.
    has_sent: bool,
    /// The run's last event, once it was sent.
    last: Option<Event>,
    _open: Open,
}

impl Body {
    /// Makes the next frame from events in memory, or states what else is needed for it. While it is pending, it waits for new
    /// events, changed rights and the next heartbeat.
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Next> {
        match self.step {
            Step::Head => {
                self.step = Step::Events;
                return Poll::Ready(Next::Frame(self.reading.encoder.head().unwrap_or_default().into()));
            }
            Step::Events => {}
            Step::Broken => return Poll::Ready(Next::Broken),
            Step::Over => return Poll::Ready(Next::Over),
        }
        let Reading { cursor, rights, fold_until, .. } = &mut self.reading;
        if !ready!(rights.poll_check(cx)) {
            return Poll::Ready(Next::Frame(self.conversation_gone()));
        }
        if !self.is_settled || cursor.position() < *fold_until {
            return Poll::Ready(Next::Wait(Wait::Frame));
        }
        let Poll::Ready(found) = cursor.poll_memory(cx) else {
            // The next frame begins with the check.
            if rights.poll_changed(cx).is_ready() {
                return Poll::Ready(Next::Frame(Bytes::new()));
            }
            ready!(self.ticks.poll_tick(cx));
            return Poll::Ready(Next::Wait(Wait::Beat));
        };
        Poll::Ready(match found {
            InMemory::Chunk(chunk) => Next::Frame(self.ready(&chunk)),
            InMemory::Ended => Next::Frame(self.end()),
            InMemory::Elsewhere => Next::Wait(Wait::Frame),
        })
    }

    /// Makes the next frame. Waits for whatever it needs.
    async fn frame(&mut self) -> Bytes {
        if !self.is_settled {
            return self.settle().await;
        }
        if self.reading.cursor.position() < self.reading.fold_until {
            return self.folded().await;
        }
        let Self { reading: Reading { cursor, rights, .. }, ticks, .. } = self;
        let chunk = tokio::select! {
            biased;
            // The next frame begins with the check.
            () = rights.changed() => return Bytes::new(),
            chunk = cursor.next() => chunk,
            _ = ticks.tick() => return self.beat().await,
        };
        match chunk {
            Ok(Some(chunk)) => self.ready(&chunk),
            Ok(None) => self.end(),
            Err(why) => self.unreadable(&why),
        }
    }

    /// Waits until a recovered run has recorded whether it restarts its answer, so that nothing is sent that becomes
    /// void.
    async fn settle(&mut self) -> Bytes {
        let Self { reading: Reading { cursor, rights, fold_until, .. }, ticks, .. } = self;
        tokio::select! {
            biased;
            // The next frame begins with the check.
            () = rights.changed() => Bytes::new(),
            seq = cursor.until_restarted() => {
                if *fold_until > 0 {
                    *fold_until = seq.max(*fold_until);
                }
                self.is_settled = true;
                Bytes::new()
            }
            _ = ticks.tick() => self.beat().await,
        }
    }

    /// Encodes the chunk and the following chunks that are already in memory.
    fn ready(&mut self, chunk: &Arc<Chunk>) -> Bytes {
        let first = self.encoded(chunk);
        if !matches!(self.step, Step::Events) || first.len() >= FRAME {
            return first;
        }
        let Some(second) = self.reading.cursor.try_next() else { return first };
        let mut frame = BytesMut::from(first);
        frame.extend_from_slice(&self.encoded(&second));
        while matches!(self.step, Step::Events) && frame.len() < FRAME {
            let Some(more) = self.reading.cursor.try_next() else { break };
            frame.extend_from_slice(&self.encoded(&more));
        }
        frame.freeze()
    }

    fn encoded(&mut self, chunk: &Chunk) -> Bytes {
        match self.reset_in(&chunk.events) {
            None => {
                self.note(&chunk.events);
                self.reading.encoder.chunk(chunk)
            }
            Some(_) if self.has_sent => self.restarted(),
            Some(at) => self.encode_events(&chunk.events[at + 1..]),
        }
    }

    fn encode_events(&mut self, events: &[Event]) -> Bytes {
        self.note(events);
        self.reading.encoder.events(events)
    }

    async fn folded(&mut self) -> Bytes {
        let mut fold = Fold::default();
        while self.reading.cursor.position() < self.reading.fold_until && fold.bytes() < FRAME * 4 {
            match self.reading.cursor.next().await {
                Ok(Some(chunk)) => chunk.events.iter().for_each(|event| fold.push(event)),
                Ok(None) => self.reading.fold_until = 0,
                Err(why) => return self.unreadable(&why),
            }
        }
        let events = fold.take();
        match self.reset_in(&events) {
            None => self.encode_events(&events),
            Some(_) if self.has_sent => self.restarted(),
            Some(at) => self.encode_events(&events[at + 1..]),
        }
    }

    /// The position of the last event that restarts the answer, for encodings that cannot express a restart.
    fn reset_in(&self, events: &[Event]) -> Option<usize> {
        if tells_restarts(self.reading.encoder.wire()) {
            return None;
        }
        events.iter().rposition(|event| &*event.kind == "run.reset")
    }

    fn note(&mut self, events: &[Event]) {
        self.has_sent = self.has_sent || events.iter().any(|event| !event.kind.starts_with("run."));
        if let Some(last) = events.last().filter(|event| &*event.kind == "run.ended") {
            self.last = Some(last.clone());
        }
    }

    fn end(&mut self) -> Bytes {
        self.step = Step::Over;
        self.reading.encoder.tail(self.last.as_ref()).unwrap_or_default().into()
    }

    /// Ends the stream because the events sent so far are void. A new reader receives only the new answer.
    fn restarted(&mut self) -> Bytes {
        self.step = Step::Over;
        let why = "the answer was restarted; read the stream again";
        self.reading.encoder.broken("stream_restarted", why).unwrap_or_default().into()
    }

    async fn beat(&mut self) -> Bytes {
        if self.reading.rights.check_at_heartbeat().await {
            return self.reading.encoder.heartbeat().unwrap_or_default().into();
        }
        self.conversation_gone()
    }

    fn conversation_gone(&mut self) -> Bytes {
        self.broken("not_found", "you no longer have access to the conversation")
    }

    fn unreadable(&mut self, why: &storage::Error) -> Bytes {
        tracing::error!(run = %self.reading.cursor.run(), %why, "the journal could not be read");
        self.broken("unavailable", "the stream could not be read further; read it again")
    }

    fn broken(&mut self, code: &str, message: &str) -> Bytes {
        let last = self.reading.encoder.broken(code, message);
        self.step = if last.is_some() { Step::Over } else { Step::Broken };
        last.unwrap_or_default().into()
    }
}
