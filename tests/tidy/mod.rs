//! What a reader of the source may rely on.

mod circles;
mod comments;
mod layers;
mod words;

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Longer files are to be split.
const LONGEST_FILE: usize = 600;
/// A handler hands its work to a function that has a name.
const LONGEST_HANDLER: usize = 15;
/// Names that say nothing of what is inside.
const EMPTY_NAMES: [&str; 6] = ["utils", "util", "helpers", "common", "manager", "service"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every Rust file below these folders, with its text.
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
fn no_file_is_too_long() {
    let long: Vec<_> = sources(&ALL)
        .into_iter()
        .map(|(path, text)| (path, text.lines().count()))
        .filter(|(_, lines)| *lines > LONGEST_FILE)
        .collect();
    assert!(long.is_empty(), "to be split: {long:?}");
}

#[test]
fn nothing_is_left_to_be_done() {
    // Put together, so that this file does not name them itself.
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
fn what_ships_does_not_unwrap() {
    // An `expect` gives its reason, which a reader can check.
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
    assert!(found.is_empty(), "these can take a thread down:\n{}", found.join("\n"));
}

#[test]
fn handlers_are_short_and_say_first_who_may_call() {
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
                body <= LONGEST_HANDLER,
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
fn no_module_has_an_empty_name() {
    for (path, _) in sources(&ALL) {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if path.starts_with("src/api/utils") {
            // An area of the interface has this name.
            continue;
        }
        let folders = path.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
        let empty = folders.chain([stem]).find(|name| EMPTY_NAMES.contains(&name.as_str()));
        assert!(empty.is_none(), "{} says nothing", path.display());
    }
}

/// By the crate `tasks`: tokio compiles a task again for each type of future.
#[test]
fn what_ships_spawns_tasks_without_their_types() {
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
        assert!(seen.insert(*bytes), "{bytes:?} stands twice");
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
