//! Rearranges a prompt by its words alone, for installations without a language model.
//!
//! Every sentence of the prompt is retained unchanged and moved under one of three headings: sentences about
//! the form of the answer under `Output`, the question (or if there is none, the first sentence) under `Goal`,
//! and all others under `Context`. A prompt that already has headings keeps its order.

/// The note of a response with a rearranged prompt.
pub const NOTE: &str = "The built-in model does not think: it put your own words in order and added what most prompts \
                        lack. Configure a provider for a model that rewrites.";

/// Words that refer to the form of an answer.
const FORM: [&str; 24] = [
    "bullet",
    "bullets",
    "columns",
    "csv",
    "format",
    "formatted",
    "html",
    "json",
    "language",
    "length",
    "list",
    "markdown",
    "paragraph",
    "paragraphs",
    "sentences",
    "short",
    "stichpunkte",
    "style",
    "table",
    "tabelle",
    "tone",
    "words",
    "wörter",
    "yaml",
];
pub const HONEST: &str = "If something that is needed is missing, say what it is instead of guessing.";

/// Returns the rearranged prompt.
pub fn arrange(prompt: &str, instructions: Option<&str>) -> String {
    let prompt = prompt.trim();
    let extra = instructions.map(|text| format!("- {}", text.trim().replace('\n', "\n  ")));
    let honest = format!("- {HONEST}");
    let has_headings = prompt.lines().any(|line| line.starts_with('#'));
    if has_headings {
        let more: Vec<String> = extra.into_iter().chain([honest]).collect();
        return format!("{prompt}\n\n# Rules\n{}", more.join("\n"));
    }
    let mut units = units(prompt);
    let form: Vec<String> = take(&mut units, speaks_of_form);
    let at = units.iter().position(|unit| unit.trim_end().ends_with('?')).unwrap_or(0);
    // If all sentences are about the form of the answer, there is no goal.
    let goal = if units.is_empty() { None } else { Some(units.remove(at)) };
    let mut parts = Vec::new();
    if let Some(goal) = goal {
        parts.push(format!("# Goal\n{goal}"));
    }
    if !units.is_empty() {
        parts.push(format!("# Context\n{}", units.join("\n")));
    }
    let output: Vec<String> =
        form.iter().map(|unit| format!("- {unit}")).chain(extra).chain([honest]).collect();
    parts.push(format!("# Output\n{}", output.join("\n")));
    parts.join("\n\n")
}

fn take(units: &mut Vec<String>, wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let (taken, rest) = std::mem::take(units).into_iter().partition(|unit| wanted(unit));
    *units = rest;
    taken
}

/// Whether a sentence is about the form of the answer. A unit with several lines is material, not a sentence.
fn speaks_of_form(unit: &str) -> bool {
    let words = unit.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    !unit.contains('\n') && words.into_iter().any(|word| FORM.contains(&word.as_str()))
}

/// Splits a text into sentences. Fenced blocks are not split.
fn units(text: &str) -> Vec<String> {
    let mut units = Vec::new();
    for (at, part) in text.split("```").enumerate() {
        if at % 2 == 1 {
            let end = if text.matches("```").count() > at { "```" } else { "" };
            units.push(format!("```{part}{end}"));
            continue;
        }
        for line in part.lines().map(str::trim).filter(|line| !line.is_empty()) {
            sentences(line, &mut units);
        }
    }
    units
}

/// Splits a line into sentences. They end at `.`, `!` or `?` before white space and an upper-case letter.
fn sentences(line: &str, to: &mut Vec<String>) {
    let mut start = 0;
    for (at, c) in line.char_indices() {
        let end = at + c.len_utf8();
        let rest = &line[end..];
        let next = rest.trim_start();
        let ends = matches!(c, '.' | '!' | '?') && next.len() < rest.len();
        if ends && next.starts_with(char::is_uppercase) && end - start > 3 {
            to.push(line[start..end].trim().to_owned());
            start = end;
        }
    }
    to.push(line[start..].trim().to_owned());
    to.retain(|unit| !unit.is_empty());
}
