//! Office files: archives whose parts have any content. A mutated compressed archive can seldom be unpacked, so this
//! target mutates the parts and packs them without compression.

#![no_main]

mod extraction;

use std::io::{Cursor, Write};

use libfuzzer_sys::fuzz_target;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::extraction::extract;

/// Separates the parts of an input, and the name of a part from its content.
const PART: u8 = 0;
/// Maximum number of parts in an archive.
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
    extract(&bytes, "", 4 << 20);
});
