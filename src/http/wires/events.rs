//! The `events` wire: server-sent events for our own clients.

use actors::Event;

/// Sent first: wait a second before a new connection. It has no blank line of its own and so belongs to the first
/// event: some clients take every blank line for the end of a message, and deliver an empty one.
pub const HEAD: &str = "retry: 1000\n";

/// A comment that keeps the connection alive. One line end, for the same reason as in [`HEAD`].
pub const HEARTBEAT: &str = ": heartbeat\n";

/// Writes one event.
pub fn encode(event: &Event, out: &mut Vec<u8>) {
    out.reserve(event.json.len() + event.kind.len() + 48);
    out.extend_from_slice(b"id: ");
    out.extend_from_slice(itoa::Buffer::new().format(event.seq).as_bytes());
    out.extend_from_slice(b"\nevent: ");
    out.extend_from_slice(event.kind.as_bytes());
    out.extend_from_slice(b"\ndata: ");
    out.extend_from_slice(&event.json);
    out.extend_from_slice(b"\n\n");
}
