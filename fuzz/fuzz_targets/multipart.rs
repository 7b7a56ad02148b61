//! Multipart forms: the parsed parts are within their limits, and no files are left on disk.

#![no_main]

use std::path::PathBuf;
use std::sync::LazyLock;

use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use tokio::runtime::{Builder, Runtime};
use understudy::Config;
use understudy::config::LimitsConfig;
use understudy::fuzzing::form;

static DIR: LazyLock<PathBuf> =
    LazyLock::new(|| std::env::temp_dir().join(format!("understudy-fuzz-forms-{}", std::process::id())));
static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Builder::new_current_thread().enable_all().build().expect("a runtime"));

fuzz_target!(|input: &[u8]| {
    let Some((size, body)) = input.split_first() else { return };
    let limits = LimitsConfig {
        form_parts: 8,
        form_files: 3,
        form_bytes: 4096,
        upload_bytes: 1024,
        json_bytes: 512,
        ..Config::default().limits
    };
    let body = Bytes::copy_from_slice(body);
    let pieces = body.chunks(usize::from(*size).max(1)).map(|piece| body.slice_ref(piece)).collect();
    if let Some(form) = RUNTIME.block_on(form(pieces, &limits, DIR.clone())) {
        assert!(form.texts.len() + form.files.len() <= limits.form_parts);
        assert!(form.files.len() <= limits.form_files);
        assert!(form.files.iter().all(|(_, bytes)| *bytes <= limits.upload_bytes));
        assert!(form.texts.iter().map(|(name, bytes)| name.len() + bytes).sum::<usize>() <= limits.json_bytes);
    }
    let left = DIR.read_dir().map_or(0, Iterator::count);
    assert_eq!(left, 0);
});
