//! Whole messages of a client, joined from their fragments.

use actix_http::ws::{CloseCode, CloseReason, Item, Message};
use actix_web::web::Payload;
use bytes::{Bytes, BytesMut};
use futures::StreamExt;

use super::frames::Messages;

/// The maximum size of a client's message in bytes, whole or in fragments. All commands are short.
const MESSAGE_BYTES: usize = 4 * 1024;

/// A message of the client.
pub enum Received {
    Text(String),
    Ping(Bytes),
    Pong,
    Close(Option<CloseReason>),
    /// The client violates the protocol: the code and the reason to close with.
    Violation(CloseCode, String),
}

/// Reads the messages of a client.
pub struct Incoming {
    messages: Messages<Payload>,
    /// The fragments of a text message that has not ended.
    fragments: Option<BytesMut>,
}

impl Incoming {
    pub fn new(payload: Payload) -> Self {
        Self { messages: Messages::new(payload, MESSAGE_BYTES), fragments: None }
    }

    /// Returns the next message; `None` if the connection has ended. Can be cancelled without losing anything.
    pub async fn next(&mut self) -> Option<Received> {
        loop {
            return Some(match self.messages.next().await? {
                Ok(Message::Text(text)) => Received::Text(text.to_string()),
                Ok(Message::Ping(bytes)) => Received::Ping(bytes),
                Ok(Message::Pong(_) | Message::Nop) => Received::Pong,
                Ok(Message::Close(reason)) => Received::Close(reason),
                Ok(Message::Continuation(part)) => match self.join(part) {
                    Some(received) => received,
                    None => continue,
                },
                Ok(Message::Binary(_)) => unsupported(),
                Err(code) => violation(code),
            });
        }
    }

    /// Joins fragments of a text, and refuses all others. Returns `None` as long as the message has not ended.
    fn join(&mut self, part: Item) -> Option<Received> {
        match (part, self.fragments.take()) {
            (Item::FirstText(bytes), _) => {
                self.fragments = Some(BytesMut::from(&bytes[..]));
                None
            }
            (Item::Continue(bytes), Some(mut text)) => {
                text.extend_from_slice(&bytes);
                self.fragments = Some(text);
                None
            }
            (Item::Last(bytes), Some(mut text)) => {
                text.extend_from_slice(&bytes);
                Some(match String::from_utf8(text.into()) {
                    Ok(text) => Received::Text(text),
                    Err(_) => violation(CloseCode::Invalid),
                })
            }
            (Item::FirstBinary(_) | Item::Continue(_) | Item::Last(_), _) => Some(unsupported()),
        }
    }
}

fn unsupported() -> Received {
    Received::Violation(CloseCode::Unsupported, "only text messages are supported".to_owned())
}

fn violation(code: CloseCode) -> Received {
    let why = match code {
        CloseCode::Size => format!("a message may have at most {MESSAGE_BYTES} bytes"),
        CloseCode::Invalid => "a text message must be UTF-8".to_owned(),
        _ => "the frame breaks the protocol".to_owned(),
    };
    Received::Violation(code, why)
}
