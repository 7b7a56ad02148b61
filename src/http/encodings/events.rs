//! The `events` wire: server-sent events for our own clients.

use runs::Event;

/// Sent first: wait a second before a new connection. It has no blank line of its own and so belongs to the first
/// event: some clients take every blank line for the end of a message, and deliver an empty one.
pub const HEAD: &str = "retry: 1000\n";

/// A comment that keeps the connection alive. One line end, for the same reason as in [`HEAD`].
pub const HEARTBEAT: &str = ": heartbeat\n";

/// Writes one event. The id is its last line: some clients take note of it as they read it, and ask for what follows an
/// event of which they had seen no more than the beginning.
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
