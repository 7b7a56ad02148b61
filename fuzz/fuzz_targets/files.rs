//! Reads any bytes as a file: what the child of the server does, without the child. The length of the
//! file chooses the name that it is said to have, so that samples of each format are inputs as they are.

#![no_main]

mod extraction;

use libfuzzer_sys::fuzz_target;

use crate::extraction::extract;

const NAMES: &[&str] =
    &["a", "a.txt", "a.html", "a.md", "a.csv", "a.tsv", "a.json", "a.eml", "a.xml", "a.py", "a.pdf", "a.rtf"];

fuzz_target!(|bytes: &[u8]| {
    if let Some(read) = extract(bytes, NAMES[bytes.len() % NAMES.len()], 16 << 20) {
        assert!(read.pages.iter().any(|page| !page.text.trim().is_empty()));
    }
});
