//! Paths of files in bundles.

use super::MAX_DEPTH;

/// Maximum size of a path in bytes.
const MAX_PATH_BYTES: usize = 200;
/// Folders whose scripts do not belong to the skill itself.
const OTHERS: [&str; 4] = ["node_modules", "test", "tests", "__tests__"];

/// Rejects a path that leads out of the bundle, that is too long, or that some operating systems would interpret
/// differently.
///
/// # Errors
/// A description of the problem.
pub fn check(path: &str) -> Result<(), String> {
    let strange = |c: char| c.is_control() || matches!(c, '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|');
    let parts: Vec<&str> = path.split('/').collect();
    if path.is_empty() || path.len() > MAX_PATH_BYTES {
        return Err(format!("a path has 1 to {MAX_PATH_BYTES} bytes"));
    }
    if path.contains(strange) {
        return Err("a path may hold neither control characters nor any of \\ : * ? \" < > |".to_owned());
    }
    if parts.iter().any(|part| part.is_empty() || *part == "." || *part == "..") {
        return Err("a path leads from the bundle inwards, without empty parts, `.` and `..`".to_owned());
    }
    if parts.len() > MAX_DEPTH {
        return Err(format!("a path has {MAX_DEPTH} parts at most"));
    }
    Ok(())
}

/// Whether the file is one that operating systems add to archives automatically.
pub fn is_os_metadata(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    path.starts_with("__MACOSX/") || matches!(name, ".DS_Store" | "Thumbs.db" | "desktop.ini")
}

/// Whether a file is a script that may declare functions.
pub(super) fn is_script(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_test = name.ends_with(".test.js") || name.ends_with(".spec.js");
    name.ends_with(".js") && !is_test && !folders.split('/').any(|folder| OTHERS.contains(&folder))
}
