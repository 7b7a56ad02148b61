//! An answer that is being received.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use bytes::Bytes;
use futures::{Stream, StreamExt};
use tokio::time::{Instant, Sleep};

use super::Host;
use super::assemble::Assembler;
use super::sse::{Event, Parser};
use super::wire::Chunk;
use super::words::{Words, root};
use crate::chat::{ChatDelta, ProviderError, ProviderErrorKind};

/// The bytes of a body as they come off the socket. Dropping it closes the connection, unless the
/// body has been read to its end.
pub(super) type Body = Pin<Box<dyn Stream<Item = reqwest::Result<Bytes>> + Send>>;

/// How long to wait for a usage or a `[DONE]` after the server said why it stopped. Some servers
/// send neither and keep the connection open.
const AFTERMATH: Duration = Duration::from_secs(5);
/// How long a connection may take to end after `[DONE]` and still be used again.
const LEAVE_TAKING: Duration = Duration::from_secs(1);

/// The stream of deltas of one answer.
pub(super) struct Answer {
    host: Arc<Host>,
    /// `None` once the answer has ended.
    body: Option<Body>,
    parser: Parser,
    assembler: Assembler,
    ready: VecDeque<ChatDelta>,
    idle: Idle,
}

impl Answer {
    /// `first` is what was read of the body already.
    pub(super) fn new(host: Arc<Host>, body: Body, first: Bytes, assembler: Assembler) -> Self {
        let mut parser = Parser::new();
        parser.push(first);
        let idle = Idle::new(host.timeouts.idle());
        Self { host, body: Some(body), parser, assembler, ready: VecDeque::new(), idle }
    }

    /// Reads until there is a delta, and tells whether there can be one.
    fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ProviderError>> {
        while self.ready.is_empty() && self.body.is_some() {
            match self.parser.next() {
                Ok(Some(event)) => self.take(&event)?,
                Ok(None) => ready!(self.poll_body(cx))?,
                Err(_) => {
                    let text = format!("{} sent an event of more than 8 MiB", self.host.name);
                    return Poll::Ready(Err(ProviderError::protocol(text)));
                }
            }
        }
        Poll::Ready(Ok(()))
    }

    fn poll_body(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ProviderError>> {
        let Some(body) = &mut self.body else {
            return Poll::Ready(Ok(()));
        };
        let Poll::Ready(read) = body.poll_next_unpin(cx) else {
            if self.assembler.finished() {
                self.idle.shorten(AFTERMATH);
            }
            ready!(self.idle.poll(cx));
            return Poll::Ready(self.silent());
        };
        self.idle.heard();
        match read {
            Some(Ok(bytes)) => {
                self.parser.push(bytes);
                Poll::Ready(Ok(()))
            }
            Some(Err(error)) => Poll::Ready(self.broken(&error)),
            None => Poll::Ready(self.over()),
        }
    }

    fn take(&mut self, event: &Event) -> Result<(), ProviderError> {
        let data = event.data.trim_ascii();
        if data.is_empty() {
            return Ok(());
        }
        if data == b"[DONE]" {
            self.end();
            return Ok(());
        }
        if event.error {
            return Err(self.host.reported(data));
        }
        let chunk: Chunk<'_> = serde_json::from_slice(data).map_err(|_| self.host.rubbish(data))?;
        if let Some(error) = chunk.error {
            return Err(self.host.reported(error.get().as_bytes()));
        }
        if chunk.choices.is_none() && chunk.usage.is_none() && Words::read(data).is_some() {
            return Err(self.host.reported(data));
        }
        self.assembler.take(chunk, &mut self.ready);
        Ok(())
    }

    /// The body has come to its end.
    fn over(&mut self) -> Result<(), ProviderError> {
        if let Some(event) = self.parser.end() {
            match self.take(&event) {
                // Half an event is no rubbish but an answer that ended early.
                Err(error) if error.kind == ProviderErrorKind::Protocol => {}
                taken => taken?,
            }
        }
        if self.body.is_none() {
            return Ok(());
        }
        self.complete(|name| format!("{name} ended the answer early"))
    }

    fn broken(&mut self, error: &reqwest::Error) -> Result<(), ProviderError> {
        self.complete(|name| format!("{name} ended the answer early: the connection broke ({})", root(error)))
    }

    /// Ends the answer if the server has said why it stopped, which is all that matters then.
    fn complete(&mut self, early: impl FnOnce(&str) -> String) -> Result<(), ProviderError> {
        if !self.assembler.finished() {
            return Err(ProviderError::protocol(early(&self.host.name)));
        }
        self.end();
        Ok(())
    }

    fn silent(&mut self) -> Result<(), ProviderError> {
        if self.assembler.finished() {
            self.end();
            return Ok(());
        }
        let (name, s) = (&self.host.name, self.host.timeouts.idle_s);
        Err(ProviderError::timeout(format!("{name} fell silent in mid-answer for {s} s")))
    }

    fn end(&mut self) {
        self.assembler.end(&mut self.ready);
        if let Some(body) = self.body.take() {
            take_leave(body);
        }
    }
}

impl Stream for Answer {
    type Item = Result<ChatDelta, ProviderError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Err(error) = ready!(self.poll_read(cx)) {
            self.body = None;
            let cleaned = self.host.redactor.clean(&error.message);
            return Poll::Ready(Some(Err(ProviderError::new(error.kind, cleaned))));
        }
        Poll::Ready(self.ready.pop_front().map(Ok))
    }
}

/// Lets the end of the body arrive, so that the connection can be used again. Usually it has.
fn take_leave(mut body: Body) {
    let mut cx = Context::from_waker(Waker::noop());
    if body.poll_next_unpin(&mut cx).is_pending()
        && let Ok(runtime) = tokio::runtime::Handle::try_current()
    {
        runtime.spawn(async move {
            let end = async { while let Some(Ok(_)) = body.next().await {} };
            let _ = tokio::time::timeout(LEAVE_TAKING, end).await;
        });
    }
}

/// Measures silence: the time we have waited for the server, not the time our reader took. The
/// timer is set once and put off only when it rings, so a busy stream never touches it.
struct Idle {
    limit: Duration,
    since: Option<Instant>,
    timer: Option<Pin<Box<Sleep>>>,
}

impl Idle {
    fn new(limit: Duration) -> Self {
        Self { limit, since: None, timer: None }
    }

    fn heard(&mut self) {
        self.since = None;
    }

    fn shorten(&mut self, limit: Duration) {
        if limit < self.limit {
            self.limit = limit;
            self.timer = None;
        }
    }

    /// Ready when nothing was heard for too long.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let deadline = *self.since.get_or_insert_with(Instant::now) + self.limit;
        let timer = self.timer.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(deadline)));
        loop {
            ready!(timer.as_mut().poll(cx));
            if Instant::now() >= deadline {
                return Poll::Ready(());
            }
            timer.as_mut().reset(deadline);
        }
    }
}
