//! Bundles in the form of archives. Sizes in the archive's metadata are not trusted: everything is counted while it is
//! unpacked.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Read};

use zip::ZipArchive;

use super::{BundleFault, MAX_FAULTS, MAX_FILES, MAX_UNPACKED, paths};

/// Maximum number of entries of an archive, including folders and ignored files.
const MAX_ENTRIES: usize = 4 * MAX_FILES;

/// Unpacks all files of an archive, by path. If everything is in one folder that contains `marker`, that folder is
/// removed from the paths.
///
/// # Errors
/// All faults: unreadable entries, paths that lead out of the bundle, links, and too many files or bytes.
pub fn unpack(bytes: &[u8], marker: &str) -> Result<BTreeMap<String, Vec<u8>>, Vec<BundleFault>> {
    let one = |message: String| vec![BundleFault::new("", message)];
    let broken = |why: &dyn std::fmt::Display| one(format!("the archive cannot be read: {why}"));
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|why| broken(&why))?;
    if archive.len() > MAX_ENTRIES {
        return Err(one(format!("the archive has more than {MAX_ENTRIES} entries")));
    }
    if archive.has_duplicate_names() {
        return Err(one("the archive has two files of one path".to_owned()));
    }
    let (mut files, mut faults) = (BTreeMap::new(), Vec::new());
    let (mut seen, mut room) = (BTreeSet::new(), MAX_UNPACKED);
    for at in 0..archive.len() {
        let entry = match archive.by_index(at) {
            Ok(entry) => entry,
            Err(why) => {
                faults.push(BundleFault::new("", format!("entry {at} cannot be read: {why}")));
                continue;
            }
        };
        // The raw name rather than a sanitized one.
        let Ok(path) = std::str::from_utf8(entry.name_raw()).map(str::to_owned) else {
            faults.push(BundleFault::new("", format!("the path of entry {at} is no text in UTF-8")));
            continue;
        };
        if path.ends_with('/') || paths::is_os_metadata(&path) {
            continue;
        }
        let refusal = if entry.is_symlink() {
            Some("is a link, which a bundle may not have".to_owned())
        } else if !seen.insert(path.to_lowercase()) {
            Some("differs from another path by capitals only".to_owned())
        } else {
            paths::check(&path).err()
        };
        if let Some(why) = refusal {
            faults.push(BundleFault::new(shown(&path), why));
            continue;
        }
        if files.len() == MAX_FILES {
            faults.push(BundleFault::new("", format!("there are more than {MAX_FILES} files")));
            break;
        }
        let mut content = Vec::new();
        let read = entry.take(room as u64 + 1).read_to_end(&mut content);
        if content.len() > room {
            faults.push(BundleFault::new("", format!("the files have more than {MAX_UNPACKED} bytes")));
            break;
        }
        room -= content.len();
        match read {
            Ok(_) => drop(files.insert(path, content)),
            Err(why) => faults.push(BundleFault::new(path, format!("cannot be unpacked: {why}"))),
        }
    }
    faults.truncate(MAX_FAULTS);
    if faults.is_empty() { Ok(without_folder(files, marker)) } else { Err(faults) }
}

/// Removes the common folder if all files are in one.
fn without_folder(files: BTreeMap<String, Vec<u8>>, marker: &str) -> BTreeMap<String, Vec<u8>> {
    let first = files.keys().next().and_then(|path| path.split_once('/'));
    let Some(folder) = first.map(|(folder, _)| format!("{folder}/")) else { return files };
    let is_all = files.keys().all(|path| path.starts_with(&folder));
    if !is_all || !files.contains_key(&format!("{folder}{marker}")) {
        return files;
    }
    files.into_iter().map(|(path, content)| (path[folder.len()..].to_owned(), content)).collect()
}

/// Returns a printable form of an untrusted path.
fn shown(path: &str) -> String {
    path.chars().take(200).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}
