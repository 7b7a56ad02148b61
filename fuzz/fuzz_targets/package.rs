//! Catalog packages: an archive of any bytes, its manifest and its files.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    understudy::fuzzing::package(input);
});
