use actix_http::ws::CloseCode;
use understudy::parts::http::Heads;

/// The header of a masked frame that announces `length` bytes.
fn head(first: u8, length: u64) -> Vec<u8> {
    let mut head = vec![first];
    match length {
        0..=125 => head.push(0x80 | length as u8),
        126..=0xffff => {
            head.push(0x80 | 126);
            head.extend((length as u16).to_be_bytes());
        }
        _ => {
            head.push(0x80 | 127);
            head.extend(length.to_be_bytes());
        }
    }
    head.extend([1, 2, 3, 4]);
    head
}

fn frame(first: u8, length: u64) -> Vec<u8> {
    let mut frame = head(first, length);
    frame.resize(frame.len() + length as usize, b'x');
    frame
}

/// Checks the bytes at once and one by one: both must have the same result.
fn check(bytes: &[u8]) -> Result<(), CloseCode> {
    let at_once = Heads::new(1000).check(bytes);
    let mut heads = Heads::new(1000);
    let one_by_one = bytes.iter().try_for_each(|byte| heads.check(&[*byte]));
    assert_eq!(at_once, one_by_one);
    at_once
}

#[test]
fn check_compares_announced_lengths_before_the_payload() {
    assert_eq!(check(&frame(0x81, 1000)), Ok(()));
    assert_eq!(
        check(&[frame(0x81, 125), frame(0x82, 126), frame(0x81, 0), frame(0x89, 125)].concat()),
        Ok(())
    );
    for length in [1001, 0xffff, 1 << 30, 1 << 62] {
        assert_eq!(check(&head(0x81, length)), Err(CloseCode::Size), "{length}");
    }
    assert_eq!(check(&head(0x81, 1 << 63)), Err(CloseCode::Protocol));
    // The length is checked before any byte of the mask or the payload.
    assert_eq!(check(&head(0x81, 1 << 30)[..10]), Err(CloseCode::Size));
}

#[test]
fn check_adds_up_fragments() {
    let fragments = [frame(0x01, 400), frame(0x89, 4), frame(0x00, 400), frame(0x80, 200), frame(0x81, 1000)];
    assert_eq!(check(&fragments.concat()), Ok(()));
    let fragments = [frame(0x01, 400), frame(0x00, 400), head(0x80, 201)];
    assert_eq!(check(&fragments.concat()), Err(CloseCode::Size));
}

#[test]
fn check_refuses_invalid_headers() {
    let unmasked = [0x81, 5];
    let reserved = head(0xc1, 5);
    let unknown = head(0x83, 5);
    let long_ping = head(0x89, 126);
    let fragmented_ping = head(0x09, 5);
    let nothing_to_continue = head(0x80, 5);
    let begun_twice = [frame(0x01, 5), frame(0x01, 5)].concat();
    for bytes in
        [&unmasked[..], &reserved, &unknown, &long_ping, &fragmented_ping, &nothing_to_continue, &begun_twice]
    {
        assert_eq!(check(bytes), Err(CloseCode::Protocol), "{bytes:?}");
    }
}
