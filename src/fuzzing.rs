//! Entry points of the fuzz targets: parsers of data that clients and publishers of packages send.

use actix_http::ws::{CloseCode, Message};
use bytes::Bytes;
use futures::{StreamExt, stream};
use serde_json::Value;

use crate::api::chat::messages::{messages, tools};
use crate::catalog::{Package, files};
use crate::http::Faults;
pub use crate::http::upload::fuzzing::{FormSummary, form};
use crate::http::websocket::frames::Messages;

/// Reads a package from an archive; returns whether it can be installed.
pub fn package(archive: &[u8]) -> bool {
    files::from_archive(archive).and_then(|files| Package::read(files, "fuzzed")).is_ok()
}

/// Reads the messages and tools of a request of the OpenAI interface; returns the number of valid messages.
pub fn client_messages(values: &[Value]) -> usize {
    let mut faults = Faults::new("body");
    tools(values, &mut faults);
    messages(values, &mut faults).len()
}

/// Reads a WebSocket connection that arrives in these pieces, with messages of at most `limit` bytes. Returns the
/// payloads, and the code that the connection is closed with if it violates the protocol.
///
/// # Panics
/// If a payload is longer than the limit, or if an item follows the code.
pub async fn frames(pieces: Vec<Bytes>, limit: usize) -> (Vec<Bytes>, Option<CloseCode>) {
    let mut messages = Messages::new(stream::iter(pieces.into_iter().map(Ok)), limit);
    let mut payloads = Vec::new();
    while let Some(message) = messages.next().await {
        let payload = match message {
            Err(code) => {
                assert!(messages.next().await.is_none());
                return (payloads, Some(code));
            }
            Ok(Message::Text(text)) => text.into_bytes(),
            Ok(Message::Binary(bytes) | Message::Ping(bytes) | Message::Pong(bytes)) => bytes,
            Ok(Message::Continuation(item)) => {
                use actix_http::ws::Item::{Continue, FirstBinary, FirstText, Last};
                let (FirstText(bytes) | FirstBinary(bytes) | Continue(bytes) | Last(bytes)) = item;
                bytes
            }
            Ok(Message::Close(_) | Message::Nop) => Bytes::new(),
        };
        assert!(payload.len() <= limit.max(125));
        payloads.push(payload);
    }
    (payloads, None)
}
