//! Reads any bytes as a file: what the child of the server does, without the child. The length of the
//! file chooses the name that it is said to have, so that samples of each format are inputs as they are.

#![no_main]

use knowledge::Hint;
use knowledge::extract::{Limits, read};
use libfuzzer_sys::fuzz_target;

const NAMES: &[&str] =
    &["a", "a.txt", "a.html", "a.md", "a.csv", "a.tsv", "a.json", "a.eml", "a.xml", "a.py", "a.pdf", "a.rtf"];

fuzz_target!(|bytes: &[u8]| {
    let filename = NAMES[bytes.len() % NAMES.len()].to_owned();
    let limits = Limits { text_bytes: 1 << 20, pages: 100, unpacked_bytes: 16 << 20 };
    if let Ok(read) = read(bytes, &Hint { filename, media_type: String::new() }, limits) {
        let text: usize = read.pages.iter().map(|page| page.text.len()).sum();
        assert!(text as u64 <= limits.text_bytes && read.pages.len() <= limits.pages as usize);
        assert!(read.pages.iter().any(|page| !page.text.trim().is_empty()));
        assert!((1..).zip(&read.pages).all(|(number, page)| page.number == number));
    }
});
