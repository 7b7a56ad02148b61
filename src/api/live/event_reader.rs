//! Reads server-sent events in the form that this server writes them: one line of data per event.

use bytes::{Bytes, BytesMut};

/// What a subscription passes on.
#[derive(Debug, PartialEq)]
pub struct StreamedEvent {
    /// The data, in the form of the operation that streams.
    pub json: Bytes,
    /// The position after the event, with which a reader resumes.
    pub position: Option<Bytes>,
}

/// Splits the pieces of a stream into events.
#[derive(Default)]
pub struct EventReader {
    /// The beginning of an event whose end has not arrived.
    rest: BytesMut,
}

impl EventReader {
    /// Returns the events that end in this piece. Comments and events without data are omitted.
    pub fn read(&mut self, piece: Bytes) -> Vec<StreamedEvent> {
        let bytes = match self.rest.is_empty() {
            true => piece,
            false => {
                self.rest.extend_from_slice(&piece);
                self.rest.split().freeze()
            }
        };
        let (mut events, mut at, mut unread) = (Vec::new(), 0, 0);
        let (mut is_begun, mut json, mut position) = (false, None, None);
        while let Some(length) = bytes[at..].iter().position(|byte| *byte == b'\n') {
            let line = bytes.slice(at..at + length);
            at += length + 1;
            if let Some(value) = field(&line, b"data: ") {
                json = Some(value);
            } else if let Some(value) = field(&line, b"id: ") {
                position = Some(value);
            } else if line.is_empty() {
                let position = position.take();
                events.extend(json.take().map(|json| StreamedEvent { json, position }));
                (is_begun, unread) = (false, at);
            } else if line.starts_with(b"event: ") {
                is_begun = true;
            } else if !is_begun && json.is_none() && position.is_none() {
                // A comment between two events: heartbeats must not accumulate.
                unread = at;
            }
        }
        self.rest.extend_from_slice(&bytes[unread..]);
        events
    }

    /// The number of bytes that are held because their event has not ended.
    pub fn buffered(&self) -> usize {
        self.rest.len()
    }
}

fn field(line: &Bytes, name: &[u8]) -> Option<Bytes> {
    line.starts_with(name).then(|| line.slice(name.len()..))
}
