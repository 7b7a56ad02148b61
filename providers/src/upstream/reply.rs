use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures::{Stream, StreamExt};

use super::host::Line;
use super::idle::Idle;
use super::words;
use crate::chat::ProviderError;
use crate::collected::{CollectedBody, TooLong};

/// The bytes of a body as they arrive. Dropping it closes the connection unless the body has been read to its end.
pub(crate) type Body = Pin<Box<dyn Stream<Item = reqwest::Result<Bytes>> + Send>>;

/// A response whose first bytes have arrived.
pub(crate) struct Reply {
    pub(crate) line: Line,
    pub(crate) status: u16,
    /// The media type in lower case, including its parameters; empty if the server sent none.
    pub(crate) kind: String,
    /// The part of the body that has already been read.
    pub(crate) first: Bytes,
    pub(crate) body: Body,
}

impl Reply {
    /// Reads the whole body, at most `limit` bytes; each piece must arrive within the idle timeout.
    pub(crate) async fn whole(self, limit: usize) -> Result<Bytes, ProviderError> {
        let line = self.line.clone();
        let mut pieces = self.pieces();
        let mut body = CollectedBody::new(limit);
        while let Some(piece) = pieces.next().await {
            body.push(&piece?).map_err(|TooLong| {
                let (name, mib) = (line.name(), limit >> 20);
                ProviderError::protocol(format!("{name} sent an answer of more than {mib} MiB"))
            })?;
        }
        Ok(body.into_bytes())
    }

    /// Returns the body as a stream of pieces; each must arrive within the idle timeout. Errors contain no keys.
    pub(crate) fn pieces(self) -> Pieces {
        let idle = Idle::new(self.line.timeouts().idle());
        Pieces {
            line: self.line,
            first: Some(self.first).filter(|b| !b.is_empty()),
            body: Some(self.body),
            idle,
        }
    }
}

/// A body that is being received.
pub(crate) struct Pieces {
    line: Line,
    first: Option<Bytes>,
    /// `None` once the body has ended.
    body: Option<Body>,
    idle: Idle,
}

impl Stream for Pieces {
    type Item = Result<Bytes, ProviderError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        if let Some(first) = this.first.take() {
            return Poll::Ready(Some(Ok(first)));
        }
        let Some(body) = &mut this.body else {
            return Poll::Ready(None);
        };
        let error = match body.poll_next_unpin(cx) {
            Poll::Ready(Some(Ok(bytes))) => {
                this.idle.bytes_received();
                return Poll::Ready(Some(Ok(bytes)));
            }
            Poll::Ready(None) => {
                this.body = None;
                return Poll::Ready(None);
            }
            Poll::Ready(Some(Err(error))) => {
                let why = words::root(&error);
                ProviderError::protocol(format!("{} ended the response early: {why}", this.line.name()))
            }
            Poll::Pending => {
                ready!(this.idle.poll(cx));
                this.line.silent()
            }
        };
        this.body = None;
        Poll::Ready(Some(Err(this.line.cleaned(error))))
    }
}
