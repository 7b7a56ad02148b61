//! Reads WebSocket frames of a client.
//!
//! The library's own reader takes all available bytes before it decodes one frame, and its codec waits until a frame is
//! complete before it compares the length with the limit. Small frames that arrive faster than they are handled, and a
//! frame that announces a gigabyte, would be buffered entirely. This reader decodes before it continues reading, and
//! checks the frame headers first.

use std::pin::Pin;
use std::task::{Context, Poll};

use actix_http::ws::{CloseCode, Codec, Frame, Message, ProtocolError};
use actix_web::error::PayloadError;
use bytes::{Bytes, BytesMut};
use futures::Stream;
use tokio_util::codec::Decoder;

/// The maximum length of a control frame's payload (RFC 6455, 5.5).
const CONTROL_BYTES: u64 = 125;

/// The messages and fragments of a client, up to the first one that violates the protocol or the size limit; that item
/// is the code to close with. Holds one frame and the bytes received together with its end.
pub struct Messages<S> {
    stream: S,
    heads: Heads,
    codec: Codec,
    bytes: BytesMut,
    ended: bool,
}

impl<S> Messages<S> {
    /// Reads `stream`. A message, whole or in fragments, has at most `limit` bytes.
    pub fn new(stream: S, limit: usize) -> Self {
        let (heads, codec) = (Heads::new(limit as u64), Codec::new().max_size(limit));
        Self { stream, heads, codec, bytes: BytesMut::new(), ended: false }
    }

    fn decode(&mut self) -> Result<Option<Message>, CloseCode> {
        let frame = self.codec.decode(&mut self.bytes).map_err(|why| match why {
            ProtocolError::Overflow => CloseCode::Size,
            _ => CloseCode::Protocol,
        })?;
        Ok(match frame {
            None => None,
            Some(Frame::Text(text)) => Some(Message::Text(text.try_into().map_err(|_| CloseCode::Invalid)?)),
            Some(Frame::Binary(bytes)) => Some(Message::Binary(bytes)),
            Some(Frame::Continuation(part)) => Some(Message::Continuation(part)),
            Some(Frame::Ping(bytes)) => Some(Message::Ping(bytes)),
            Some(Frame::Pong(bytes)) => Some(Message::Pong(bytes)),
            Some(Frame::Close(reason)) => Some(Message::Close(reason)),
        })
    }
}

impl<S: Stream<Item = Result<Bytes, PayloadError>> + Unpin> Stream for Messages<S> {
    type Item = Result<Message, CloseCode>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let me = &mut *self;
        while !me.ended {
            match me.decode() {
                Ok(Some(message)) => return Poll::Ready(Some(Ok(message))),
                Ok(None) => {}
                Err(code) => {
                    me.ended = true;
                    return Poll::Ready(Some(Err(code)));
                }
            }
            match Pin::new(&mut me.stream).poll_next(cx) {
                Poll::Pending => return Poll::Pending,
                // The connection has ended, regularly or with an error.
                Poll::Ready(None | Some(Err(_))) => me.ended = true,
                Poll::Ready(Some(Ok(bytes))) => match me.heads.check(&bytes) {
                    Ok(()) => me.bytes.extend_from_slice(&bytes),
                    Err(code) => {
                        me.ended = true;
                        return Poll::Ready(Some(Err(code)));
                    }
                },
            }
        }
        Poll::Ready(None)
    }
}

/// Tracks the frames of a stream without retaining their payload.
pub struct Heads {
    limit: u64,
    /// The header that is being read: two bytes, up to eight bytes of length, four bytes of mask.
    head: [u8; 14],
    have: usize,
    /// The remaining bytes of the current frame's payload.
    payload: u64,
    /// The total size in bytes of the message's fragments so far.
    message: u64,
    /// Whether a fragmented message has begun and not ended.
    open: bool,
}

impl Heads {
    pub fn new(limit: u64) -> Self {
        Self { limit, head: [0; 14], have: 0, payload: 0, message: 0, open: false }
    }

    pub fn check(&mut self, mut bytes: &[u8]) -> Result<(), CloseCode> {
        while let Some((first, rest)) = bytes.split_first() {
            if self.payload > 0 {
                let skipped = usize::try_from(self.payload).map_or(bytes.len(), |left| left.min(bytes.len()));
                self.payload -= skipped as u64;
                bytes = &bytes[skipped..];
                continue;
            }
            self.head[self.have] = *first;
            self.have += 1;
            bytes = rest;
            if self.have == 2 {
                self.begin()?;
            }
            let extended = self.extended();
            if self.have == 2 + extended {
                self.admit()?;
            }
            if self.have == 2 + extended + 4 {
                self.payload = self.length();
                self.have = 0;
            }
        }
        Ok(())
    }

    /// The number of bytes of the extended length. Not meaningful before the second byte, which is then 0.
    fn extended(&self) -> usize {
        match self.head[1] & 0x7f {
            _ if self.have < 2 => 2,
            126 => 2,
            127 => 8,
            _ => 0,
        }
    }

    fn length(&self) -> u64 {
        let number = |bytes: &[u8]| bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
        match self.head[1] & 0x7f {
            126 => number(&self.head[2..4]),
            127 => number(&self.head[2..10]),
            short => u64::from(short),
        }
    }

    /// Validates the first two bytes: flags, the kind of frame, and whether it is masked.
    fn begin(&mut self) -> Result<(), CloseCode> {
        let [first, second, ..] = self.head;
        let (last, reserved, opcode) = (first & 0x80 != 0, first & 0x70 != 0, first & 0x0f);
        let masked = second & 0x80 != 0;
        let sound = match opcode {
            0 => self.open,
            1 | 2 => !self.open,
            8..=10 => last && u64::from(second & 0x7f) <= CONTROL_BYTES,
            _ => false,
        };
        match sound && masked && !reserved {
            true => Ok(()),
            false => Err(CloseCode::Protocol),
        }
    }

    /// Compares the announced length with the limit before any of the payload arrives.
    fn admit(&mut self) -> Result<(), CloseCode> {
        let (last, opcode, length) = (self.head[0] & 0x80 != 0, self.head[0] & 0x0f, self.length());
        // A length of 64 bits has its highest bit clear (RFC 6455, 5.2).
        if length > i64::MAX as u64 {
            return Err(CloseCode::Protocol);
        }
        if opcode >= 8 {
            return Ok(());
        }
        let before = if opcode == 0 { self.message } else { 0 };
        self.message = before.saturating_add(length);
        self.open = !last;
        match self.message > self.limit {
            true => Err(CloseCode::Size),
            false => Ok(()),
        }
    }
}
