//! Extracts values from a text by matching words.

use serde_json::Value;

use super::split::{sentences, terms};

/// Splits a name in any common spelling into words: `firstName`, `first_name`, `first-name`.
pub(super) fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in name.chars() {
        if !c.is_alphanumeric() {
            words.push(String::new());
            continue;
        }
        let small = words.last().and_then(|word| word.chars().last()).is_some_and(char::is_lowercase);
        if c.is_uppercase() && small {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Returns the text that follows a name: after `:` or `=` up to the end of the line, after `is` or `are` up to the
/// end of the sentence.
pub(super) fn after_name<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let name = words_of(name).join(" ");
    if name.is_empty() {
        return None;
    }
    // Has the same length as the text, so that offsets apply to both.
    let lower = text.replace(['_', '-'], " ").to_ascii_lowercase();
    let part = |c: char| c.is_alphanumeric();
    for (at, found) in lower.match_indices(&name) {
        let end = at + found.len();
        let rest = text.get(end..)?;
        if lower[..at].ends_with(part) || rest.starts_with(part) {
            continue;
        }
        let rest = rest.trim_start_matches([' ', '*', '"', '`', '\'']);
        let line = rest.lines().next().unwrap_or_default();
        if let Some(value) = line.strip_prefix([':', '=']) {
            return Some(value).filter(|value| !value.trim().is_empty());
        }
        let verb = ["is ", "are ", "was ", "were "].iter().find_map(|verb| line.strip_prefix(verb));
        if let Some(value) = verb {
            return sentences(value).into_iter().next();
        }
    }
    None
}

/// Returns a value without surrounding punctuation and white space.
pub(super) fn bare(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || "\"'`*.,;“”".contains(c))
}

/// Returns the text for a property: a word in its format, the text after its name, or the sentence that matches it
/// best.
pub(super) fn string(schema: &Value, name: &str, text: &str) -> Option<String> {
    let words = || {
        text.split(|c: char| c.is_whitespace() || "<>(),;\"".contains(c))
            .map(|word| word.trim_end_matches('.'))
    };
    let formatted = match schema.get("format").and_then(Value::as_str) {
        Some("email") => {
            words().find(|word| word.split_once('@').is_some_and(|(_, host)| host.contains('.')))
        }
        Some("uri" | "url") => words().find(|word| word.contains("://")),
        Some("date") => words().find(|word| is_date(word)),
        _ => None,
    };
    let found =
        formatted.or_else(|| after_name(text, name).map(bare)).or_else(|| closest(schema, name, text))?;
    let longest = schema.get("maxLength").and_then(Value::as_u64).unwrap_or(u64::MAX);
    Some(found.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(longest as usize).collect())
}

fn is_date(word: &str) -> bool {
    let shape = word.bytes().map(|byte| if byte.is_ascii_digit() { b'0' } else { byte });
    shape.eq(*b"0000-00-00")
}

/// Returns the sentence that shares the most terms with the name and description of a property; the first sentence if
/// the property has no name.
fn closest<'a>(schema: &Value, name: &str, text: &'a str) -> Option<&'a str> {
    let all = sentences(text);
    let described = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    let field_terms: Vec<String> = terms(&format!("{} {described}", words_of(name).join(" "))).collect();
    if field_terms.is_empty() {
        return all.into_iter().next();
    }
    let score = |sentence: &str| terms(sentence).filter(|term| field_terms.contains(term)).count();
    let best = all.into_iter().rev().max_by_key(|sentence| score(sentence))?;
    (score(best) > 0).then_some(best)
}

/// Returns the first number after a name, or the first number of the text.
pub(super) fn number(text: &str, name: &str) -> Option<f64> {
    let name = words_of(name).join(" ");
    let lower = text.replace(['_', '-'], " ").to_ascii_lowercase();
    let from = lower.find(&name).filter(|_| !name.is_empty()).and_then(|at| text.get(at..));
    from.and_then(first_number).or_else(|| first_number(text))
}

fn first_number(text: &str) -> Option<f64> {
    let digit = text.find(|c: char| c.is_ascii_digit())?;
    let negative = text[..digit].ends_with('-') && !text[..digit - 1].ends_with(char::is_alphanumeric);
    let rest = &text[digit..];
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    let number: f64 = rest[..end].trim_end_matches('.').parse().ok()?;
    Some(if negative { -number } else { number })
}

/// Whether a text mentions something and does not negate it.
pub(super) fn is_spoken_of(text: &str, name: &str) -> bool {
    const DENIALS: [&str; 8] = ["no", "not", "never", "without", "false", "isn't", "don't", "nothing"];
    if let Some(value) = after_name(text, name) {
        let first = value.split_whitespace().next().unwrap_or_default().to_lowercase();
        return !DENIALS.contains(&bare(&first));
    }
    let name: Vec<String> = terms(&words_of(name).join(" ")).collect();
    let speaks = |sentence: &&str| {
        let sentence_terms: Vec<String> = terms(sentence).collect();
        !name.is_empty() && name.iter().all(|term| sentence_terms.contains(term))
    };
    let found = sentences(text).into_iter().find(speaks);
    found.is_some_and(|sentence| {
        !sentence.split_whitespace().any(|word| DENIALS.contains(&bare(&word.to_lowercase())))
    })
}
