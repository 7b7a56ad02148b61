//! The draft of the built-in model, which cannot write skills: the user's request as instructions, and a note about the origin of
//! the draft.

use std::collections::BTreeMap;

/// The file that every bundle contains.
const SKILL: &str = "SKILL.md";
/// Maximum length of a description, in characters.
const DESCRIPTION: usize = 200;

/// The note that is added to such a draft.
pub(super) const NOTE: &str = "This draft was not written by a model that thinks: the built-in model only \
    repeats what was asked for. Edit it, or build it again with another model.";

/// Builds a draft that repeats the user's request. It contains no functions except those of the skill that it is a new version
/// of.
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
    // A JSON string is also a valid YAML string.
    let (name, description) = (serde_json::Value::from(name), serde_json::Value::from(description));
    format!("---\nname: {name}\ndescription: {description}\n---\n\n{request}\n\n> {NOTE}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draft_repeats_the_request() {
        let files = draft("add-vat.skill", "Add \"VAT\": 19 %.\nRound to cents.", None);
        let skill = &files[SKILL];
        assert!(
            skill.starts_with("---\nname: \"add vat\"\ndescription: \"Add \\\"VAT\\\": 19 %.\"\n---\n"),
            "{skill}"
        );
        assert!(skill.contains("Round to cents.") && skill.contains(NOTE));
    }

    #[test]
    fn draft_keeps_the_files_of_the_previous_version() {
        let base = BTreeMap::from([
            (SKILL.to_owned(), "---\nname: Old\ndescription: x\n---\nDo it.".to_owned()),
            ("a.js".to_owned(), "const functions = {};".to_owned()),
        ]);
        let files = draft("old.skill", "And say so.", Some(&base));
        assert!(files[SKILL].starts_with("---\nname: Old") && files[SKILL].contains("And say so."));
        assert_eq!(files["a.js"], base["a.js"]);
    }
}
