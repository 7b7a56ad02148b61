//! Streams a cursor as the body of an HTTP response.

use std::io;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use futures::Stream;
use runs::{Chunk, Cursor, Event};
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
    let open = STREAMS_OPEN.open(["run"]);
    let is_settled = tells_restarts(reading.encoder.wire());
    let body = Body {
        reading,
        ticks: heartbeats(),
        step: Step::Head,
        is_settled,
        has_sent: false,
        last: None,
        _open: open,
    };
    futures::stream::unfold(body, |mut body| async move { Some((body.next().await?, body)) })
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

struct Body {
    reading: Reading,
    ticks: Interval,
    step: Step,
    /// Whether no event written so far can become void, or the encoding can express it.
    is_settled: bool,
    /// Whether any part of the answer has been sent.
    has_sent: bool,
    last: Option<Event>,
    _open: Open,
}

impl Body {
    async fn next(&mut self) -> Option<Result<Bytes, io::Error>> {
        loop {
            match self.step {
                Step::Head => {
                    self.step = Step::Events;
                    if let Some(head) = self.reading.encoder.head() {
                        return Some(Ok(head.into()));
                    }
                }
                Step::Events => {
                    let frame = self.frame().await;
                    if !frame.is_empty() {
                        return Some(Ok(frame));
                    }
                }
                Step::Broken => {
                    self.step = Step::Over;
                    return Some(Err(io::ErrorKind::ConnectionAborted.into()));
                }
                Step::Over => return None,
            }
        }
    }

    async fn frame(&mut self) -> Bytes {
        if !self.reading.rights.check().await {
            return self.conversation_gone();
        }
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
        self.has_sent |= events.iter().any(|event| !event.kind.starts_with("run."));
        self.last = events.last().cloned().or(self.last.take());
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
