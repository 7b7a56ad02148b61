//! Reads responses that arrive as event streams, within size limits.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use futures::StreamExt;
use futures::stream::BoxStream;
use parking_lot::Mutex;
use rmcp::model::{ConstString, ToolListChangedNotificationMethod};
use rmcp::transport::streamable_http_client::SseError;
use serde::Deserialize;
use sse_stream::{Sse, SseStream};

use super::error::{McpError, McpErrorKind};
use super::tool::keeping_execution;
use crate::Secret;
use crate::web::WebError;

/// The text that replaces a token.
const REMOVED: &str = "[secret]";

/// Facts seen on the wire that the `rmcp` library does not report, or reports too late. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct WireEvents(Arc<WireState>);

#[derive(Default)]
struct WireState {
    broken: Mutex<Option<McpError>>,
    other_tools: AtomicBool,
}

impl WireEvents {
    /// Takes the error that ended the last broken response. The library reports only that the connection is closed.
    pub fn broken(&self) -> Option<McpError> {
        self.0.broken.lock().take()
    }

    /// Returns whether the server has announced a changed list of tools since the last call. The library reports the
    /// change in a separate task, which may run after the response that follows it on the wire.
    pub fn other_tools(&self) -> bool {
        self.0.other_tools.swap(false, Ordering::AcqRel)
    }

    fn note_notification(&self, data: &str) {
        #[derive(Deserialize)]
        struct Message {
            method: String,
        }
        let changed = ToolListChangedNotificationMethod::VALUE;
        let says = |message: Message| message.method == changed;
        if data.contains(changed) && serde_json::from_str(data).is_ok_and(says) {
            self.0.other_tools.store(true, Ordering::Release);
        }
    }
}

/// Parses the events of a response body. Each event has at most `longest` bytes, and the token that was sent is
/// removed from the data.
pub(super) fn read(
    body: BoxStream<'static, Result<Bytes, WebError>>,
    longest: usize,
    token: Option<Secret>,
    wire_events: WireEvents,
) -> BoxStream<'static, Result<Sse, SseError>> {
    let mut measure = Measure::default();
    let passed = wire_events.clone();
    let measured = body.map(move |piece| {
        let piece = piece.map_err(|error| McpError::from(error).maybe_sent());
        let measured = piece.and_then(|piece| match measure.longest_of(&piece) > longest {
            true => Err(McpError::new(
                McpErrorKind::TooLarge,
                format!("it sent an event of more than {longest} bytes"),
            )),
            false => Ok(piece),
        });
        measured.inspect_err(|error| *passed.0.broken.lock() = Some(error.clone()))
    });
    let hide = move |event: Result<Sse, SseError>| {
        let mut event = event?;
        event.data.iter().for_each(|data| wire_events.note_notification(data));
        event.data = event.data.map(|data| keeping_execution(without(data, token.as_ref())));
        Ok(event)
    };
    SseStream::from_bytes_stream(measured.boxed()).map(hide).boxed()
}

/// Removes the token from a text. Servers that echo the request would otherwise pass the token to the model.
pub(super) fn without(text: String, token: Option<&Secret>) -> String {
    match token.map(Secret::expose).filter(|token| token.len() >= 8) {
        Some(token) if text.contains(token) => text.replace(token, REMOVED),
        _ => text,
    }
}

/// Measures the length of the event that is being received.
#[derive(Default)]
struct Measure {
    /// Bytes since the last blank line.
    event: usize,
    /// Bytes since the last end of line.
    line: usize,
    after_cr: bool,
}

impl Measure {
    /// Returns the length of the longest event in these bytes, including the incomplete last one.
    fn longest_of(&mut self, bytes: &[u8]) -> usize {
        let mut longest = 0;
        for byte in bytes {
            self.event += 1;
            longest = longest.max(self.event);
            let second_half = *byte == b'\n' && self.after_cr;
            self.after_cr = *byte == b'\r';
            match byte {
                _ if second_half => {}
                b'\n' | b'\r' if self.line == 0 => self.event = 0,
                b'\n' | b'\r' => self.line = 0,
                _ => self.line += 1,
            }
        }
        longest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::stream;

    async fn events(
        pieces: &[&str],
        longest: usize,
        token: Option<&str>,
    ) -> Vec<Result<Option<String>, String>> {
        let pieces: Vec<Result<Bytes, WebError>> =
            pieces.iter().map(|piece| Ok(Bytes::copy_from_slice(piece.as_bytes()))).collect();
        let read =
            read(stream::iter(pieces).boxed(), longest, token.map(Secret::from), WireEvents::default());
        read.map(|event| event.map(|event| event.data).map_err(|why| why.to_string())).collect().await
    }

    #[tokio::test]
    async fn read_enforces_the_event_limit_for_every_line_ending() {
        for end in ["\n", "\r", "\r\n"] {
            let small = format!("id: 1{end}data: {{}}{end}{end}");
            let many = [small.as_str(); 5];
            assert_eq!(events(&many, 30, None).await, vec![Ok(Some("{}".to_owned())); 5], "{end:?}");
            let long = format!("data: 1{end}").repeat(20);
            let received = events(&[small.as_str(), long.as_str()], 30, None).await;
            assert!(received.last().is_some_and(Result::is_err), "{end:?}: {received:?}");
        }
    }

    #[test]
    fn other_tools_reports_a_list_change_notification_once() {
        let wire_events = WireEvents::default();
        wire_events.note_notification(
            r#"{"jsonrpc":"2.0","id":1,"result":{"text":"notifications/tools/list_changed"}}"#,
        );
        assert!(!wire_events.other_tools(), "a result that speaks of it");
        wire_events.note_notification(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#);
        assert!(wire_events.other_tools() && !wire_events.other_tools());
    }

    #[tokio::test]
    async fn without_removes_the_token() {
        let received = events(&["data: a secret-token b\n\n"], 1_000, Some("secret-token")).await;
        assert_eq!(received, [Ok(Some("a [secret] b".to_owned()))]);
        assert_eq!(without("abc".into(), Some(&Secret::from("b"))), "abc", "too short to be one");
    }
}
