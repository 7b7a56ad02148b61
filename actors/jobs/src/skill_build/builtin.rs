//! What is drafted where no model can: what was asked for, as instructions, and a word on how it came
//! about.

use std::collections::BTreeMap;

/// The file that every bundle made here has.
const SKILL: &str = "SKILL.md";
/// Longest description, in characters.
const DESCRIPTION: usize = 200;

/// What is to be known of such a draft.
pub(super) const NOTE: &str = "This draft was not written by a model that thinks: the built-in model only \
    repeats what was asked for. Edit it, or build it again with another model.";

/// A draft that repeats what was asked for. It has no functions, but for those that the skill has which it
/// is to be a new version of.
pub(super) fn draft(
    filename: &str,
    prompt: &str,
    base: Option<&BTreeMap<String, String>>,
) -> BTreeMap<String, String> {
    let mut files = base.cloned().unwrap_or_default();
    let request = prompt.trim();
    match files.get_mut(SKILL) {
        Some(skill) => {
            let text = format!("{}\n\n## Asked for beyond this\n\n{request}\n\n> {NOTE}\n", skill.trim_end());
            *skill = text;
        }
        None => drop(files.insert(SKILL.to_owned(), fresh(filename, request))),
    }
    files
}

fn fresh(filename: &str, request: &str) -> String {
    let stem = filename.rsplit_once('.').map_or(filename, |(stem, _)| stem);
    let name: String =
        stem.split(['-', '_', ' ']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let first = request.lines().find(|line| !line.trim().is_empty()).unwrap_or(request);
    let description: String = first.trim().chars().take(DESCRIPTION).collect();
    // JSON's strings are YAML's, too.
    let (name, description) = (serde_json::Value::from(name), serde_json::Value::from(description));
    format!("---\nname: {name}\ndescription: {description}\n---\n\n{request}\n\n> {NOTE}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_for_is_repeated() {
        let files = draft("add-vat.skill", "Add \"VAT\": 19 %.\nRound to cents.", None);
        let skill = &files[SKILL];
        assert!(
            skill.starts_with("---\nname: \"add vat\"\ndescription: \"Add \\\"VAT\\\": 19 %.\"\n---\n"),
            "{skill}"
        );
        assert!(skill.contains("Round to cents.") && skill.contains(NOTE));
    }

    #[test]
    fn a_new_version_keeps_what_was_there() {
        let base = BTreeMap::from([
            (SKILL.to_owned(), "---\nname: Old\ndescription: x\n---\nDo it.".to_owned()),
            ("a.js".to_owned(), "const functions = {};".to_owned()),
        ]);
        let files = draft("old.skill", "And say so.", Some(&base));
        assert!(files[SKILL].starts_with("---\nname: Old") && files[SKILL].contains("And say so."));
        assert_eq!(files["a.js"], base["a.js"]);
    }
}
