//! The `ndjson` encoding: one canonical event per line. There is no heartbeat because every line is an event.

use runs::Event;

pub fn encode(event: &Event, out: &mut Vec<u8>) {
    out.reserve(event.json.len() + 1);
    out.extend_from_slice(&event.json);
    out.push(b'\n');
}
