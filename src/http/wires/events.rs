//! The `events` wire: server-sent events for our own clients.

use actors::Event;

/// What a reader is told first: wait a second before a new connection.
pub const HEAD: &str = "retry: 1000\n\n";

/// A comment that keeps the connection alive.
pub const HEARTBEAT: &str = ": heartbeat\n\n";

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
