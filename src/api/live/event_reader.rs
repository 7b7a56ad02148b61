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
}

fn field(line: &Bytes, name: &[u8]) -> Option<Bytes> {
    line.starts_with(name).then(|| line.slice(name.len()..))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(json: &'static str, position: Option<&'static str>) -> StreamedEvent {
        StreamedEvent { json: json.into(), position: position.map(Bytes::from) }
    }

    #[test]
    fn read_does_not_depend_on_the_pieces() {
        let text = "retry: 1000\nevent: a\ndata: {\"n\":1}\nid: 1\n\n: heartbeat\n: heartbeat\nevent: b\ndata: {}\n\n\
                    : heartbeat\nevent: c\ndata: {\"t\":\"id: 9\"}\nid: 3-4-5\n\n";
        let want =
            [event(r#"{"n":1}"#, Some("1")), event("{}", None), event(r#"{"t":"id: 9"}"#, Some("3-4-5"))];
        for size in 1..=text.len() {
            let mut reader = EventReader::default();
            let pieces = text.as_bytes().chunks(size);
            let events: Vec<_> =
                pieces.flat_map(|piece| reader.read(Bytes::copy_from_slice(piece))).collect();
            assert_eq!(events, want, "pieces of {size}");
            assert!(reader.rest.is_empty());
        }
    }

    #[test]
    fn read_discards_heartbeats() {
        let mut reader = EventReader::default();
        for _ in 0..100 {
            assert!(reader.read(Bytes::from_static(b": heartbeat\n")).is_empty());
        }
        assert!(reader.rest.is_empty());
    }
}
