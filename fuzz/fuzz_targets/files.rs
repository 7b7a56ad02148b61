//! Extracts text from any bytes as the server's child process does, but in this process. The length of
//! the input selects its filename, so that sample files of each format can be used unchanged as inputs.

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
