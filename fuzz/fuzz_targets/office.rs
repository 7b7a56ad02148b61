//! Office files: archives whose parts have any content. A mutation of a packed archive seldom unpacks; here the parts are
//! mutated, and packed without compression.

#![no_main]

use std::io::{Cursor, Write};

use knowledge::Hint;
use knowledge::extract::{Limits, read};
use libfuzzer_sys::fuzz_target;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// Between the parts of an input, and between the name of a part and its content.
const PART: u8 = 0;
/// The most parts of an archive.
const PARTS: usize = 24;

/// The archive that the input describes: `name NUL content NUL name NUL content ..`.
fn archive(input: &[u8]) -> Option<Vec<u8>> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let mut pieces = input.split(|byte| *byte == PART);
    for _ in 0..PARTS {
        let (Some(name), Some(content)) = (pieces.next(), pieces.next()) else { break };
        writer.start_file(std::str::from_utf8(name).ok()?, options).ok()?;
        writer.write_all(content).ok()?;
    }
    Some(writer.finish().ok()?.into_inner())
}

fuzz_target!(|input: &[u8]| {
    let Some(bytes) = archive(input) else { return };
    let limits = Limits { text_bytes: 1 << 20, pages: 100, unpacked_bytes: 4 << 20 };
    if let Ok(read) = read(&bytes, &Hint::default(), limits) {
        let text: usize = read.pages.iter().map(|page| page.text.len()).sum();
        assert!(text as u64 <= limits.text_bytes && read.pages.len() <= limits.pages as usize);
        assert!((1..).zip(&read.pages).all(|(number, page)| page.number == number));
    }
});
