//! The `ndjson` wire: one canonical event a line. No heartbeat: every line is an event.

use runs::Event;

pub fn encode(event: &Event, out: &mut Vec<u8>) {
    out.reserve(event.json.len() + 1);
    out.extend_from_slice(&event.json);
    out.push(b'\n');
}
