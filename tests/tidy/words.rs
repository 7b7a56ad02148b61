//! Code and documentation use the terms of docs/glossary.md instead of vague or archaic words.

use std::fs;
use std::path::Path;

use super::{root, sources};

/// Words that are used in place of a term of the glossary, or are archaic.
const WORDS: [&str; 14] = [
    "anew",
    "asker",
    "doors",
    "henceforth",
    "hither",
    "house",
    "meanwhile",
    "nobody",
    "somebody",
    "thereof",
    "whence",
    "whoever",
    "whomever",
    "wishes",
];
/// Remaining uses of these words: the value `nobody` of the API, words that the built-in voice can pronounce, and the text of a sample.
/// This number may only shrink.
const LEFT: usize = 21;

#[test]
fn words_follow_the_glossary() {
    let code = sources(&[
        "src",
        "actors",
        "domain",
        "providers",
        "storage",
        "knowledge",
        "sandbox",
        "telemetry",
        "tests",
        "benches",
    ]);
    let code = code.into_iter().filter(|(path, _)| !path.ends_with("tidy/words.rs")).map(|(_, text)| text);
    let pages = ["", "docs", "docs/decisions"].into_iter().flat_map(|folder| pages(&root().join(folder)));
    let used: usize = code.chain(pages).map(|text| count(&text)).sum();
    assert_eq!(used, LEFT, "use another word for a new use; if a use was removed, lower the number");
}

/// The Markdown pages in a folder.
fn pages(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let pages = entries.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    pages.map(|path| fs::read_to_string(path).expect("a page")).collect()
}

fn count(text: &str) -> usize {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
    words.filter(|word| WORDS.contains(&word.to_ascii_lowercase().as_str())).count()
}
