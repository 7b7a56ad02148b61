//! Skill bundles: parsing any bytes terminates, and a parsed bundle is within its limits.

#![no_main]

use assist::skills::bundle::{self, MAX_DEPTH, MAX_FILES, MAX_UNPACKED};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some((kind, bytes)) = input.split_first() else { return };
    let name = ["x.zip", "SKILL.md", "x.js", "x.skill"][usize::from(kind % 4)];
    let Ok(bundle) = bundle::read(name, bytes) else { return };
    assert!(bundle.files.len() + bundle.ignored.len() <= MAX_FILES);
    assert!(bundle.files.values().map(String::len).sum::<usize>() <= MAX_UNPACKED);
    for path in bundle.files.keys().chain(&bundle.ignored) {
        let parts: Vec<&str> = path.split('/').collect();
        assert!(
            parts.len() <= MAX_DEPTH && parts.iter().all(|part| !matches!(*part, "" | "." | "..")),
            "{path:?}"
        );
    }
    assert!(bundle.scripts.iter().all(|path| bundle.files.contains_key(path)));
});
