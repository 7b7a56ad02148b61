//! Streamed responses of model providers: the deltas do not depend on where the network splits the
//! body.

#![no_main]

use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use providers::fuzzing::{StreamFormat, model_stream};

fuzz_target!(|input: &[u8]| {
    let [format, size, body @ ..] = input else { return };
    let format = [StreamFormat::OpenAi, StreamFormat::Anthropic, StreamFormat::Gemini][usize::from(format % 3)];
    let body = Bytes::copy_from_slice(body);
    let pieces = body.chunks(usize::from(*size).max(1)).map(|piece| body.slice_ref(piece)).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    runtime.expect("a runtime").block_on(async {
        let whole = model_stream(format, vec![body.clone()]).await;
        let cut = model_stream(format, pieces).await;
        assert_eq!(whole, cut);
    });
});
