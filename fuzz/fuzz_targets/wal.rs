//! A segment of the log: reading any content does not panic, and an undamaged segment accepts further records.

#![no_main]

use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use storage::fuzzing::{open_log, segment_of};

static LOG: LazyLock<PathBuf> = LazyLock::new(|| {
    let dir = std::env::temp_dir().join(format!("understudy-fuzz-wal-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a temporary directory is made");
    dir
});

fuzz_target!(|input: &[u8]| open_log(&LOG, &segment_of(input)));
