//! What the server sends.

use actix_http::ws::{CloseCode, CloseReason, OpCode, Parser};
use bytes::{Bytes, BytesMut};

/// Text messages that are sent at once.
#[derive(Default)]
pub struct Texts(BytesMut);

impl Texts {
    /// One message.
    pub fn one(text: impl AsRef<[u8]>) -> Self {
        let mut texts = Self::default();
        texts.push(text);
        texts
    }

    /// Adds a message, which must be UTF-8.
    pub fn push(&mut self, text: impl AsRef<[u8]>) {
        Parser::write_message(&mut self.0, text, OpCode::Text, true, false);
    }

    pub(super) fn into_bytes(self) -> Bytes {
        self.0.freeze()
    }
}

/// What a session sends next.
pub enum Outgoing {
    Texts(Texts),
    /// The end of the connection, with the reason.
    Close(CloseCode, &'static str),
}

/// A control frame. Its payload is short by definition.
pub(super) fn control(opcode: OpCode, payload: &[u8]) -> Bytes {
    let mut bytes = BytesMut::new();
    Parser::write_message(&mut bytes, payload, opcode, true, false);
    bytes.freeze()
}

pub(super) fn close(reason: Option<CloseReason>) -> Bytes {
    let mut bytes = BytesMut::new();
    Parser::write_close(&mut bytes, reason, false);
    bytes.freeze()
}
