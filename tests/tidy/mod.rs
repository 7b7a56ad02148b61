//! Conventions that the source code is checked for.

mod circles;
mod comments;
mod console;
mod layers;
mod words;

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Longer files have to be split.
const MAX_FILE_LENGTH: usize = 600;
/// A longer handler has to move its work to a named function.
const MAX_HANDLER_LENGTH: usize = 15;
/// Names that do not describe the content.
const EMPTY_NAMES: [&str; 6] = ["utils", "util", "helpers", "common", "manager", "service"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every Rust file in these folders, with its text.
fn sources(folders: &[&str]) -> Vec<(PathBuf, String)> {
    let mut waiting: Vec<_> =
        folders.iter().map(|folder| root().join(folder)).filter(|folder| folder.is_dir()).collect();
    let mut found = Vec::new();
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            match path.extension() {
                None if path.is_dir() && !path.ends_with("node_modules") => waiting.push(path),
                Some(extension) if extension == "rs" => {
                    let text = fs::read_to_string(&path).expect("a source file");
                    found.push((path.strip_prefix(root()).expect("below the root").to_owned(), text));
                }
                _ => {}
            }
        }
    }
    found.sort();
    assert!(!found.is_empty());
    found
}

const ALL: [&str; 8] = ["src", "actors", "domain", "providers", "storage", "telemetry", "tests", "benches"];
const SHIPPED: [&str; 13] = [
    "src",
    "actors/assist/src",
    "actors/expr/src",
    "actors/jobs/src",
    "actors/runs/src",
    "actors/workflow/src",
    "confinement/src",
    "domain/src",
    "knowledge/src",
    "providers/src",
    "sandbox/src",
    "storage/src",
    "telemetry/src",
];

/// The part of a file that ships: without tests.
fn shipped(path: &Path, text: &str) -> String {
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let of_tests = name.ends_with("tests") || path.components().any(|part| part.as_os_str() == "tests");
    if of_tests {
        return String::new();
    }
    text.split("#[cfg(test)]").next().unwrap_or_default().to_owned()
}

#[test]
fn files_are_at_most_600_lines_long() {
    let long: Vec<_> = sources(&ALL)
        .into_iter()
        .map(|(path, text)| (path, text.lines().count()))
        .filter(|(_, lines)| *lines > MAX_FILE_LENGTH)
        .collect();
    assert!(long.is_empty(), "to be split: {long:?}");
}

#[test]
fn code_contains_no_unfinished_work() {
    // The marks are assembled from parts, so that this file does not contain them itself.
    let marks = [
        ["to", "do!("].concat(),
        ["unimple", "mented!("].concat(),
        ["d", "bg!("].concat(),
        ["TO", "DO"].concat(),
    ];
    for (path, text) in sources(&ALL) {
        for mark in &marks {
            assert!(!text.contains(mark.as_str()), "{} has {mark}", path.display());
        }
    }
}

#[test]
fn shipped_code_does_not_unwrap() {
    // An `expect` states its reason, which a reader can verify.
    let marks = [".unwrap()", "panic!("];
    let mut found = Vec::new();
    for (path, text) in sources(&SHIPPED) {
        for (number, line) in shipped(&path, &text).lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            if marks.iter().any(|mark| code.contains(mark)) {
                found.push(format!("{}:{}: {}", path.display(), number + 1, line.trim()));
            }
        }
    }
    assert!(found.is_empty(), "these can panic:\n{}", found.join("\n"));
}

#[test]
fn handlers_are_short() {
    let mut seen = 0;
    for (path, text) in sources(&["src/api"]) {
        let lines: Vec<_> = text.lines().collect();
        for start in (0..lines.len()).filter(|at| lines[*at].starts_with("#[utoipa::path(")) {
            let signature =
                (start..lines.len()).find(|at| lines[*at].contains("async fn ")).expect("a handler");
            let opens = (signature..lines.len()).find(|at| lines[*at].ends_with('{')).expect("a body");
            let ends = (opens..lines.len()).find(|at| lines[*at] == "}").expect("its end");
            let body = ends - opens - 1;
            assert!(
                body <= MAX_HANDLER_LENGTH,
                "{}:{}: a handler of {body} lines",
                path.display(),
                signature + 1
            );
            seen += 1;
        }
    }
    assert!(seen > 20, "only {seen} handlers were found");
}

#[test]
fn modules_have_descriptive_names() {
    for (path, _) in sources(&ALL) {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if ["src/api/utils", "tests/unit/api/utils"].iter().any(|area| path.starts_with(area)) {
            // An area of the API has this name.
            continue;
        }
        let folders = path.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
        let empty = folders.chain([stem]).find(|name| EMPTY_NAMES.contains(&name.as_str()));
        assert!(empty.is_none(), "{} has a name that says nothing", path.display());
    }
}

/// Tasks are spawned with the crate `tasks`, because tokio compiles the task machinery again for each type of future.
#[test]
fn shipped_code_spawns_tasks_through_the_tasks_crate() {
    for (path, text) in sources(&SHIPPED) {
        for call in ["tokio::spawn(", "task::spawn_blocking("] {
            assert!(!shipped(&path, &text).contains(call), "{} calls {call}…)", path.display());
        }
    }
}

#[test]
fn only_storage_names_its_engine() {
    for (path, text) in sources(&["src", "actors", "domain", "providers/src"]) {
        assert!(!text.contains("sled"), "{} names the engine", path.display());
    }
}

#[test]
fn every_key_byte_is_unique() {
    let mut seen = HashSet::new();
    for (bytes, _) in storage::records::TABLES {
        assert!(seen.insert(*bytes), "{bytes:?} occurs twice");
    }
    for bytes in storage::records::RETIRED {
        assert!(seen.insert(*bytes), "{bytes:?} is retired");
    }
}

#[test]
fn crates_forbid_unsafe_code() {
    for folder in SHIPPED {
        let lib = format!("{folder}/lib.rs");
        let text = fs::read_to_string(root().join(&lib)).expect("a crate");
        assert!(text.contains("#![forbid(unsafe_code)]"), "{lib} does not forbid unsafe code");
    }
}
