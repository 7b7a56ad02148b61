//! Reads the files of a package within limits, and never from outside its folder.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use assist::skills::bundle::{BundleFault, MAX_FILES, MAX_UNPACKED, check_path, is_os_metadata, unpack};
use bytes::Bytes;
use data_encoding::HEXLOWER;
use ring::digest::{SHA256, digest};

use super::manifest::MANIFEST;

/// Files by their paths.
pub type Files = BTreeMap<String, Bytes>;

/// The maximum size of an archive in bytes.
pub const MAX_BYTES: u64 = 5 << 20;

/// The checksum of a package's content: SHA-256 of the output of `sha256sum` for its files in the order of their paths.
pub fn checksum(files: &Files) -> String {
    let mut lines = String::new();
    for (path, content) in files {
        let _ = writeln!(lines, "{}  {path}", sha256_hex(content));
    }
    format!("sha256:{}", sha256_hex(lines.as_bytes()))
}

fn sha256_hex(bytes: &[u8]) -> String {
    HEXLOWER.encode(digest(&SHA256, bytes).as_ref())
}

/// Reads the files of an archive.
///
/// # Errors
/// All faults of the archive.
pub fn from_archive(bytes: &[u8]) -> Result<Files, Vec<String>> {
    let unpacked = unpack(bytes, MANIFEST);
    let messages =
        |faults: Vec<BundleFault>| -> Vec<String> { faults.iter().map(ToString::to_string).collect() };
    Ok(unpacked.map_err(messages)?.into_iter().map(|(path, content)| (path, Bytes::from(content))).collect())
}

/// Reads the files of a folder. Symbolic links are followed if they stay within `bounds`, which must be a path without
/// links.
///
/// # Errors
/// Files that cannot be read, links that lead outside, and exceeded limits.
pub fn from_folder(folder: &Path, bounds: &Path) -> Result<Files, Vec<String>> {
    let mut found = FolderReader { files: Files::new(), remaining: MAX_UNPACKED };
    found.gather(folder, bounds, "").map_err(|why| vec![why])?;
    Ok(found.files)
}

struct FolderReader {
    files: Files,
    remaining: usize,
}

impl FolderReader {
    fn gather(&mut self, folder: &Path, bounds: &Path, inside: &str) -> Result<(), String> {
        let unreadable = |why: std::io::Error| format!("{inside:?} cannot be read: {why}");
        for entry in fs::read_dir(folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let name = entry.file_name();
            let name = name.to_str().ok_or_else(|| format!("a name in {inside:?} is not UTF-8 text"))?;
            let path = format!("{inside}{name}");
            if is_os_metadata(&path) {
                continue;
            }
            check_path(&path).map_err(|why| format!("{path}: {why}"))?;
            let unreadable = |why: std::io::Error| format!("{path} cannot be read: {why}");
            let real = entry.path().canonicalize().map_err(unreadable)?;
            if !real.starts_with(bounds) {
                return Err(format!("{path} is a link to a place outside the folder"));
            }
            let about = fs::metadata(&real).map_err(unreadable)?;
            if about.is_dir() {
                self.gather(&real, bounds, &format!("{path}/"))?;
                continue;
            }
            if !about.is_file() {
                return Err(format!("{path} is neither a file nor a folder"));
            }
            if self.files.len() == MAX_FILES {
                return Err(format!("there are more than {MAX_FILES} files"));
            }
            if about.len() > self.remaining as u64 {
                return Err(format!("the files have more than {MAX_UNPACKED} bytes"));
            }
            let content = fs::read(&real).map_err(unreadable)?;
            // The file may have grown in between.
            self.remaining =
                self.remaining.checked_sub(content.len()).ok_or("the files changed while they were read")?;
            self.files.insert(path, Bytes::from(content));
        }
        Ok(())
    }
}
