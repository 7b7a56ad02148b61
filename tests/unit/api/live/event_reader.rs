use bytes::Bytes;
use understudy::parts::api::{EventReader, StreamedEvent};

fn event(json: &'static str, position: Option<&'static str>) -> StreamedEvent {
    StreamedEvent { json: json.into(), position: position.map(Bytes::from) }
}

#[test]
fn read_does_not_depend_on_the_pieces() {
    let text = "retry: 1000\nevent: a\ndata: {\"n\":1}\nid: 1\n\n: heartbeat\n: heartbeat\nevent: b\ndata: {}\n\n\
                : heartbeat\nevent: c\ndata: {\"t\":\"id: 9\"}\nid: 3-4-5\n\n";
    let want = [event(r#"{"n":1}"#, Some("1")), event("{}", None), event(r#"{"t":"id: 9"}"#, Some("3-4-5"))];
    for size in 1..=text.len() {
        let mut reader = EventReader::default();
        let pieces = text.as_bytes().chunks(size);
        let events: Vec<_> = pieces.flat_map(|piece| reader.read(Bytes::copy_from_slice(piece))).collect();
        assert_eq!(events, want, "pieces of {size}");
        assert!(reader.buffered() == 0);
    }
}

#[test]
fn read_discards_heartbeats() {
    let mut reader = EventReader::default();
    for _ in 0..100 {
        assert!(reader.read(Bytes::from_static(b": heartbeat\n")).is_empty());
    }
    assert!(reader.buffered() == 0);
}
