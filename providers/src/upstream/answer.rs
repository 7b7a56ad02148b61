//! A streamed response that is being received.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use futures::{Stream, StreamExt};

use super::host::Line;
use super::idle::Idle;
use super::reply::{Body, Reply};
use super::sse::{Event, Parser};
use super::words::root;
use crate::chat::{ChatDelta, ProviderError, ProviderErrorKind};

/// How long to wait for usage or a last event after the server sent the finish reason. Some servers send neither and
/// keep the connection open.
const TRAILING_EVENTS_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a connection may take to end after the last event and still be reused.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(1);

/// Decodes the stream events of one provider protocol.
pub(crate) trait Dialect: Send + Unpin {
    /// Processes one event with non-blank data.
    ///
    /// # Errors
    /// Returns the error that the provider reports, or an error if the event cannot be parsed.
    fn take(
        &mut self,
        line: &Line,
        event: &Event,
        out: &mut VecDeque<ChatDelta>,
    ) -> Result<Step, ProviderError>;

    /// Whether the server has sent the finish reason. After it, an early end of the stream is not an error.
    fn finished(&self) -> bool;

    /// Emits the final deltas of the response: usage and finish reason.
    fn end(&mut self, out: &mut VecDeque<ChatDelta>);
}

/// What to do after an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Read the next event.
    On,
    /// Stop reading.
    End,
}

/// The stream of deltas of one response.
pub(crate) struct Answer<D> {
    line: Line,
    /// `None` once the response has ended.
    body: Option<Body>,
    parser: Parser,
    dialect: D,
    ready: VecDeque<ChatDelta>,
    idle: Idle,
}

impl<D: Dialect> Answer<D> {
    pub(crate) fn new(reply: Reply, dialect: D) -> Self {
        let mut parser = Parser::new();
        parser.push(reply.first);
        let idle = Idle::new(reply.line.timeouts().idle());
        Self { line: reply.line, body: Some(reply.body), parser, dialect, ready: VecDeque::new(), idle }
    }

    /// Reads until a delta is available or the response has ended.
    fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ProviderError>> {
        while self.ready.is_empty() && self.body.is_some() {
            match self.parser.next() {
                Ok(Some(event)) => self.take(&event)?,
                Ok(None) if self.idle.exceeded_keepalive_limit() => self.silent()?,
                Ok(None) => ready!(self.poll_body(cx))?,
                Err(_) => {
                    let text = format!("{} sent an event of more than 8 MiB", self.line.name());
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
            if self.dialect.finished() {
                self.idle.shorten(TRAILING_EVENTS_TIMEOUT);
            }
            ready!(self.idle.poll(cx));
            return Poll::Ready(self.silent());
        };
        self.idle.bytes_received();
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
        if event.data.trim_ascii().is_empty() {
            return Ok(());
        }
        self.idle.content_received();
        if self.dialect.take(&self.line, event, &mut self.ready)? == Step::End {
            self.end();
        }
        Ok(())
    }

    /// Handles the end of the body.
    fn over(&mut self) -> Result<(), ProviderError> {
        if let Some(event) = self.parser.end() {
            match self.take(&event) {
                // An incomplete event at the end means that the response ended early, not that it was invalid.
                Err(error) if error.kind == ProviderErrorKind::Protocol => {}
                taken => taken?,
            }
        }
        if self.body.is_none() {
            return Ok(());
        }
        self.complete(|name| format!("{name} ended the response early"))
    }

    fn broken(&mut self, error: &reqwest::Error) -> Result<(), ProviderError> {
        self.complete(|name| {
            format!("{name} ended the response early: the connection broke ({})", root(error))
        })
    }

    /// Ends the response if the server has sent the finish reason; otherwise returns an error.
    fn complete(&mut self, early: impl FnOnce(&str) -> String) -> Result<(), ProviderError> {
        if !self.dialect.finished() {
            return Err(ProviderError::protocol(early(self.line.name())));
        }
        self.end();
        Ok(())
    }

    fn silent(&mut self) -> Result<(), ProviderError> {
        if self.dialect.finished() {
            self.end();
            return Ok(());
        }
        Err(match self.idle.is_spent() {
            true => self.line.keepalive_timeout(self.idle.patience()),
            false => self.line.silent(),
        })
    }

    fn end(&mut self) {
        self.dialect.end(&mut self.ready);
        if let Some(body) = self.body.take() {
            drain(body);
        }
    }
}

impl<D: Dialect> Stream for Answer<D> {
    type Item = Result<ChatDelta, ProviderError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Err(error) = ready!(self.poll_read(cx)) {
            self.body = None;
            let cleaned = self.line.cleaned(error);
            return Poll::Ready(Some(Err(cleaned)));
        }
        Poll::Ready(self.ready.pop_front().map(Ok))
    }
}

/// Reads the rest of the body in the background so that the connection can be reused. Usually it has already arrived.
fn drain(mut body: Body) {
    let mut cx = Context::from_waker(Waker::noop());
    if body.poll_next_unpin(&mut cx).is_pending()
        && let Ok(runtime) = tokio::runtime::Handle::try_current()
    {
        runtime.spawn(async move {
            let end = async { while let Some(Ok(_)) = body.next().await {} };
            let _ = tokio::time::timeout(DRAIN_TIMEOUT, end).await;
        });
    }
}
