//! WebSocket frames: messages keep their limit, and do not depend on where the network cuts the stream.

#![no_main]

use bytes::Bytes;
use futures::executor::block_on;
use libfuzzer_sys::fuzz_target;
use understudy::fuzzing::frames;

/// Longest message, in bytes.
const LIMIT: usize = 1000;

fuzz_target!(|input: &[u8]| {
    let Some((size, stream)) = input.split_first() else { return };
    let stream = Bytes::copy_from_slice(stream);
    let pieces = stream.chunks(usize::from(*size).max(1)).map(|piece| stream.slice_ref(piece)).collect();
    let (whole, code) = block_on(frames(vec![stream.clone()], LIMIT));
    let (cut, cut_code) = block_on(frames(pieces, LIMIT));
    // A stream that breaks the protocol is closed at once where the fault arrives with sound messages, and for another
    // fault if that is found first.
    assert_eq!(code.is_some(), cut_code.is_some());
    assert!(cut.starts_with(&whole));
    if code.is_none() {
        assert_eq!(whole, cut);
    }
});
