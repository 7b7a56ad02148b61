use super::*;
use proptest::prelude::*;

/// Returns all events that a parser produces for these reads.
fn parse(reads: &[&[u8]]) -> Vec<Event> {
    let mut parser = Parser::new();
    let mut events = Vec::new();
    for read in reads {
        parser.push(Bytes::copy_from_slice(read));
        while let Some(event) = parser.next().unwrap() {
            events.push(event);
        }
    }
    events.extend(parser.end());
    events
}

fn data(reads: &[&[u8]]) -> Vec<String> {
    let text = |event: Event| String::from_utf8(event.data.to_vec()).unwrap();
    parse(reads).into_iter().map(text).collect()
}

/// The same grammar, implemented for clarity instead of speed.
fn reference(stream: &[u8]) -> Vec<Event> {
    let stream = stream.strip_prefix(BYTE_ORDER_MARK).unwrap_or(stream);
    let mut lines: Vec<Vec<u8>> = vec![Vec::new()];
    let mut bytes = stream.iter().peekable();
    while let Some(&byte) = bytes.next() {
        match byte {
            b'\r' => {
                bytes.next_if(|b| **b == b'\n');
                lines.push(Vec::new());
            }
            b'\n' => lines.push(Vec::new()),
            other => lines.last_mut().unwrap().push(other),
        }
    }
    lines.push(Vec::new()); // the exception: the end of the stream acts as a blank line
    let (mut events, mut held, mut error) = (Vec::new(), Vec::<Vec<u8>>::new(), false);
    for line in lines {
        if line.is_empty() {
            if !held.is_empty() {
                events.push(Event { error, data: held.join(&b'\n').into() });
            }
            (held, error) = (Vec::new(), false);
            continue;
        }
        let colon = line.iter().position(|b| *b == b':').unwrap_or(line.len());
        let value = line.get(colon + 1..).unwrap_or_default();
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match &line[..colon] {
            b"data" => held.push(value.to_vec()),
            b"event" => error = value == b"error",
            _ => {}
        }
    }
    events
}

#[test]
fn parser_accepts_all_three_line_endings() {
    assert_eq!(data(&[b"data: a\n\ndata: b\r\n\r\ndata: c\r\rdata:d\n\n"]), ["a", "b", "c", "d"]);
}

#[test]
fn parser_ignores_comments_other_fields_and_blank_lines() {
    let stream = b": OPENROUTER PROCESSING\n\nid: 7\nretry: 10\n\n\n\ndata: x\nid\nfoo: bar\n\n";
    assert_eq!(data(&[stream]), ["x"]);
}

#[test]
fn parser_joins_data_lines_and_drops_one_space() {
    assert_eq!(data(&[b"data: a\ndata:  b\ndata\ndata:c\n\n"]), ["a\n b\n\nc"]);
    assert_eq!(data(&[b"database: x\n\ndata:\n\n"]), [""]);
}

#[test]
fn parser_marks_only_the_event_named_error() {
    let events = parse(&[b"event: error\ndata: a\n\nevent: message\ndata: b\n\ndata: c\n\n"]);
    assert_eq!(events.iter().map(|e| e.error).collect::<Vec<_>>(), [true, false, false]);
}

#[test]
fn parser_returns_the_last_event_without_a_blank_line() {
    assert_eq!(data(&[b"data: a\n\ndata: [DONE]"]), ["a", "[DONE]"]);
    assert_eq!(data(&[b"data: a\n\ndata: [DONE]\n"]), ["a", "[DONE]"]);
}

#[test]
fn parser_drops_a_byte_order_mark_only_at_the_start() {
    assert_eq!(data(&[b"\xEF\xBB", b"\xBFdata: a\n\n"]), ["a"]);
    assert_eq!(data(&[b"\xEF\xBB\xBF\xEF\xBB\xBFdata: a\n\ndata: b\n\n"]), ["b"]);
}

#[test]
fn parser_does_not_copy_an_event_within_one_read() {
    let read = Bytes::from_static(b"data: hello\n\n");
    let mut parser = Parser::new();
    parser.push(read.clone());
    let event = parser.next().unwrap().unwrap();
    assert_eq!(event.data.as_ptr(), read[6..].as_ptr());
}

#[test]
fn parser_rejects_events_that_are_too_long() {
    let refused = |stream: &[u8], step: usize| {
        let mut parser = Parser::with_limit(32);
        stream.chunks(step).any(|read| {
            parser.push(Bytes::copy_from_slice(read));
            loop {
                match parser.next() {
                    Ok(Some(_)) => {}
                    Ok(None) => return false,
                    Err(TooLong) => return true,
                }
            }
        })
    };
    let long = [b"data: ", &b"x".repeat(40)[..]].concat();
    let many = b"data: 0123456789\n".repeat(4);
    let short = b"data: 0123456789\n\n".repeat(40);
    for step in [1, 7, 1_000] {
        assert!(refused(&long, step) && refused(&many, step), "{step}");
        assert!(!refused(&short, step), "{step}");
    }
}

/// Streams that mix the relevant elements of the grammar with arbitrary bytes.
fn streams() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => Just(b"data: ".to_vec()),
        4 => Just(b"\n".to_vec()),
        2 => Just(b"\n\n".to_vec()),
        2 => Just(b"\r\n".to_vec()),
        1 => Just(b"\r".to_vec()),
        1 => Just(b"data".to_vec()),
        1 => Just(b":".to_vec()),
        1 => Just(b"event: error".to_vec()),
        1 => Just(BYTE_ORDER_MARK.to_vec()),
        2 => Just("{\"a\":\"ü\"}".as_bytes().to_vec()),
        2 => prop::collection::vec(any::<u8>(), 0..6),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn parser_result_is_the_same_for_every_split_in_two(stream in streams()) {
        let expected = reference(&stream);
        for at in 0..=stream.len() {
            prop_assert_eq!(&parse(&[&stream[..at], &stream[at..]]), &expected, "split at {}", at);
        }
    }

    #[test]
    fn parser_result_is_the_same_for_any_splitting(
        stream in streams(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).collect();
        cuts.extend([0, stream.len()]);
        cuts.sort_unstable();
        let reads: Vec<&[u8]> = cuts.windows(2).map(|w| &stream[w[0]..w[1]]).collect();
        prop_assert_eq!(parse(&reads), reference(&stream));
        let bytes: Vec<&[u8]> = stream.chunks(1).collect();
        prop_assert_eq!(parse(&bytes), reference(&stream));
    }
}
