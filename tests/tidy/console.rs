//! Conventions of the web console's sources. What its policy forbids fails in a browser only on the screen that uses it.

use std::fs;
use std::path::PathBuf;

use super::root;

const MAX_FILE_LENGTH: usize = 400;
/// Generated from the OpenAPI document.
const GENERATED: &str = "schema.d.ts";
/// Markup from text, and styles in markup.
const FORBIDDEN: [&str; 5] = ["{@html", "innerHTML", "outerHTML", "insertAdjacentHTML", " style=\""];

/// Every source file of the console, with its text.
fn sources() -> Vec<(PathBuf, String)> {
    let mut waiting: Vec<_> =
        ["src", "build", "tests"].map(|folder| root().join("console").join(folder)).into();
    let mut sources = Vec::new();
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let extension = path.extension().and_then(|extension| extension.to_str());
            if path.is_dir() {
                waiting.push(path);
            } else if matches!(extension, Some("ts" | "js" | "svelte" | "css" | "html"))
                && !path.ends_with(GENERATED)
            {
                let text = fs::read_to_string(&path).expect("a source file");
                sources.push((path, text));
            }
        }
    }
    assert!(sources.len() > 20, "only {} files were found", sources.len());
    sources
}

#[test]
fn console_files_are_at_most_400_lines_long() {
    let long: Vec<_> = sources()
        .into_iter()
        .map(|(path, text)| (path, text.lines().count()))
        .filter(|(_, lines)| *lines > MAX_FILE_LENGTH)
        .collect();
    assert!(long.is_empty(), "to be split: {long:?}");
}

#[test]
fn console_builds_no_markup_from_text() {
    for (path, text) in sources().into_iter().filter(|(path, _)| path.starts_with(root().join("console/src")))
    {
        for word in FORBIDDEN {
            assert!(!text.contains(word), "{} has {word}", path.display());
        }
    }
}
