//! WebSocket frames: messages are within their limit, and do not depend on where the network splits the stream.

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
    // A stream that violates the protocol is closed immediately if the fault arrives together with valid messages. It
    // may be closed for another fault if that one is detected first.
    assert_eq!(code.is_some(), cut_code.is_some());
    assert!(cut.starts_with(&whole));
    if code.is_none() {
        assert_eq!(whole, cut);
    }
});
