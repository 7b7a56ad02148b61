//! Packs files into a bundle.

use std::collections::BTreeMap;
use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// Packs files, by path, into a zip archive. The same files result in the same bytes. Returns an error if a path cannot be stored
/// in a zip archive.
pub fn pack(files: &BTreeMap<String, String>) -> Result<Vec<u8>, String> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::default())
        .unix_permissions(0o644);
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, content) in files {
        zip.start_file(path.as_str(), options).map_err(|why| format!("{path}: {why}"))?;
        zip.write_all(content.as_bytes()).map_err(|why| format!("{path}: {why}"))?;
    }
    zip.finish().map(Cursor::into_inner).map_err(|why| why.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pack_is_deterministic() {
        let files = BTreeMap::from([
            ("SKILL.md".to_owned(), "---\nname: A\n---\nDo it.".to_owned()),
            ("lib/a.js".to_owned(), "const functions = {};".repeat(100)),
        ]);
        let bytes = pack(&files).expect("a bundle");
        assert_eq!(bytes, pack(&files).expect("a bundle"));
        assert!(bytes.starts_with(b"PK"));
        assert!(bytes.len() < 1_000, "it is compressed");
    }
}
