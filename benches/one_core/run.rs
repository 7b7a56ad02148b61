//! A run: what the provider has sent of an answer and the client has not received yet.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use futures::{FutureExt, Stream, StreamExt};
use hyper::body::Frame;
use parking_lot::Mutex;

use crate::decoder::{Decoder, Event};
use crate::log;

const CLOSE: &[u8] = b"\"},\"finish_reason\":null}]}\n\n";
const END: &[u8] = b"[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

static NEXT: AtomicU64 = AtomicU64::new(1);

/// A run, shared by the reader of the provider, the log and the writer to the client.
pub struct Run {
    id: [u8; 16],
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    seq: u64,
    /// Texts that wait for the commit. They are folded into one entry, as the server folds deltas.
    waiting: Vec<u8>,
    /// Texts of the commit in progress.
    in_flight: Vec<u8>,
    /// Committed texts that the client has not received.
    durable: Vec<u8>,
    end: End,
    /// Whether the run waits for a commit.
    is_queued: bool,
    waker: Option<Waker>,
}

/// How far the end of the answer has come.
#[derive(Clone, Copy, Default, PartialEq)]
enum End {
    #[default]
    Open,
    Received,
    InFlight,
    Durable,
    Sent,
    /// The provider ended early.
    Broken,
}

impl Run {
    pub fn begin() -> Arc<Run> {
        let id = u128::from(NEXT.fetch_add(1, Ordering::Relaxed)).to_be_bytes();
        Arc::new(Run { id, state: Mutex::default() })
    }

    /// Adds what one piece of the provider's response contains.
    pub fn add(&self, decoder: &mut Decoder, piece: Bytes) {
        decoder.push(piece);
        let mut state = self.state.lock();
        while let Some(event) = decoder.next() {
            match event {
                Event::Text(text) => state.waiting.extend_from_slice(&text),
                Event::Done => state.end = End::Received,
            }
        }
    }

    /// Commits what was added, in the way that the variant of the prototype commits.
    pub fn commit(self: &Arc<Run>, at_once: bool) {
        let mut state = self.state.lock();
        let has_news = !state.waiting.is_empty() || state.end == End::Received;
        if !has_news || state.is_queued {
            return;
        }
        state.is_queued = !at_once;
        drop(state);
        match at_once {
            true => log::commit_now(self),
            false => log::commit_soon(self.clone()),
        }
    }

    /// Ends a run whose provider sends nothing more. If that is too early, its client gets an error.
    pub fn finish(&self) {
        let mut state = self.state.lock();
        if state.end == End::Open {
            state.end = End::Broken;
            state.waker.take().into_iter().for_each(Waker::wake);
        }
    }

    /// Writes what waits as a journal entry.
    pub fn take(&self, buffer: &mut Vec<u8>) {
        let mut state = self.state.lock();
        let state = &mut *state;
        state.is_queued = false;
        std::mem::swap(&mut state.waiting, &mut state.in_flight);
        if !state.in_flight.is_empty() {
            state.seq += 1;
            log::entry(buffer, &self.id, state.seq, &state.in_flight);
        }
        if state.end == End::Received {
            state.end = End::InFlight;
            state.seq += 1;
            log::entry(buffer, &self.id, state.seq, b"");
        }
    }

    /// Shows the committed texts to the client.
    pub fn publish(&self) {
        let mut state = self.state.lock();
        let text = std::mem::take(&mut state.in_flight);
        match state.durable.is_empty() {
            true => state.durable = text,
            false => state.durable.extend_from_slice(&text),
        }
        if state.end == End::InFlight {
            state.end = End::Durable;
        }
        if let Some(waker) = state.waker.take() {
            drop(state);
            waker.wake();
        }
    }
}

/// The pieces of a provider's response, until its end or an error.
pub type Pieces = Pin<Box<dyn Stream<Item = Bytes> + Send>>;

/// Wraps a stream of a client library.
pub fn pieces<E>(stream: impl Stream<Item = Result<Bytes, E>> + Send + 'static) -> Pieces {
    Box::pin(stream.scan((), |(), piece| std::future::ready(piece.ok())).fuse())
}

/// The body of a client's response.
pub struct Body {
    run: Arc<Run>,
    /// The beginning of each chunk, up to its text.
    open: Vec<u8>,
    /// The provider's response, if this task reads it itself.
    source: Option<(Pieces, Decoder)>,
    at_once: bool,
}

impl Body {
    /// The body of a task that reads the provider itself, and commits what it has read at once or with the other runs.
    pub fn reading(pieces: Pieces, at_once: bool) -> Body {
        Body { source: Some((pieces, Decoder::default())), at_once, ..Body::of(Run::begin()) }
    }

    /// The body of an answer that could not be begun.
    pub fn broken() -> Body {
        let run = Run::begin();
        run.finish();
        Body::of(run)
    }

    /// The body of a run whose provider is read by another task.
    pub fn of(run: Arc<Run>) -> Body {
        let id = u128::from_be_bytes(run.id);
        let open = format!(
            "data: {{\"id\":\"chatcmpl-{id:032x}\",\"object\":\"chat.completion.chunk\",\"created\":1735689600,\"model\":\"bench\",\"choices\":"
        );
        Body { run, open: open.into_bytes(), source: None, at_once: false }
    }

    /// The next frame; `None` at the end of the answer, and an error if the provider ended before it.
    fn poll_frame(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Broken>>> {
        if let Some((pieces, decoder)) = &mut self.source {
            loop {
                match pieces.as_mut().poll_next(context) {
                    Poll::Ready(Some(piece)) => self.run.add(decoder, piece),
                    Poll::Ready(None) => {
                        self.source = None;
                        self.run.finish();
                        break;
                    }
                    Poll::Pending => break,
                }
            }
            self.run.commit(self.at_once);
        }
        let mut state = self.run.state.lock();
        match state.end {
            End::Sent => return Poll::Ready(None),
            End::Broken => return Poll::Ready(Some(Err(Broken))),
            End::Open | End::Received | End::InFlight | End::Durable => {}
        }
        let (text, is_over) = (std::mem::take(&mut state.durable), state.end == End::Durable);
        if text.is_empty() && !is_over {
            if !state.waker.as_ref().is_some_and(|known| known.will_wake(context.waker())) {
                state.waker = Some(context.waker().clone());
            }
            return Poll::Pending;
        }
        if is_over {
            state.end = End::Sent;
        }
        drop(state);
        Poll::Ready(Some(Ok(self.encode(&text, is_over).into())))
    }

    /// Encodes committed texts as one chunk of the OpenAI interface.
    fn encode(&self, text: &[u8], is_over: bool) -> Vec<u8> {
        let mut frame = Vec::with_capacity(self.open.len() + text.len() + 80);
        if !text.is_empty() {
            frame.extend_from_slice(&self.open);
            frame.extend_from_slice(b"[{\"index\":0,\"delta\":{\"content\":\"");
            escape(text, &mut frame);
            frame.extend_from_slice(CLOSE);
        }
        if is_over {
            frame.extend_from_slice(&self.open);
            frame.extend_from_slice(END);
        }
        frame
    }
}

impl Stream for Body {
    type Item = Result<Bytes, Broken>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll_frame(context)
    }
}

impl hyper::body::Body for Body {
    type Data = Bytes;
    type Error = Broken;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        Body::poll_frame(&mut self, context).map_ok(Frame::data)
    }
}

/// The provider's response ended early.
#[derive(Debug)]
pub struct Broken;

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the provider ended early")
    }
}

impl std::error::Error for Broken {}

/// Reads a provider's response for a run whose body is written by another task.
pub async fn pump(run: Arc<Run>, mut pieces: Pieces) {
    let mut decoder = Decoder::default();
    while let Some(piece) = pieces.next().await {
        run.add(&mut decoder, piece);
        // What has arrived by now is one entry.
        while let Some(Some(piece)) = pieces.next().now_or_never() {
            run.add(&mut decoder, piece);
        }
        run.commit(false);
    }
    run.finish();
}

/// Writes a text as the content of a JSON string.
fn escape(text: &[u8], out: &mut Vec<u8>) {
    if text.iter().all(|byte| *byte >= 0x20 && !matches!(byte, b'"' | b'\\')) {
        return out.extend_from_slice(text);
    }
    let quoted = serde_json::to_string(&String::from_utf8_lossy(text)).expect("a text is JSON");
    out.extend_from_slice(&quoted.as_bytes()[1..quoted.len() - 1]);
}
