//! The `events` encoding: server-sent events for Understudy's own clients.

use runs::Event;

/// Sent first: clients wait a second before they reconnect. There is no blank line after it, so that it belongs to the
/// first event: some clients treat every blank line as the end of a message, and deliver an empty one.
pub const HEAD: &str = "retry: 1000\n";

/// A comment that keeps the connection alive. It has a single line end, for the same reason as [`HEAD`].
pub const HEARTBEAT: &str = ": heartbeat\n";

/// Encodes one event. The id is the last line: some clients record it as soon as they read it, and would otherwise
/// resume after an event of which they have received only the beginning.
pub fn encode(event: &Event, out: &mut Vec<u8>) {
    out.reserve(event.json.len() + event.kind.len() + 48);
    out.extend_from_slice(b"event: ");
    out.extend_from_slice(event.kind.as_bytes());
    out.extend_from_slice(b"\ndata: ");
    out.extend_from_slice(&event.json);
    out.extend_from_slice(b"\nid: ");
    out.extend_from_slice(itoa::Buffer::new().format(event.seq).as_bytes());
    out.extend_from_slice(b"\n\n");
}
