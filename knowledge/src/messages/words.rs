//! The words of a query, and where they occur in a text.

use std::collections::HashSet;

use crate::word_index::words::{each_requirement, each_term, parts};

/// Maximum number of words that are searched for. Further ones are ignored.
const WORDS: usize = 32;
/// Number of characters of an excerpt before its first match.
const BEFORE: usize = 40;

/// The words of a query. A text matches if it contains all of them, in any order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchWords(Vec<Vec<String>>);

/// A part of a text, with the positions of the words of a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Excerpt {
    pub text: String,
    /// Start and end of each match in the text, in characters.
    pub ranges: Vec<(usize, usize)>,
}

impl SearchWords {
    /// Splits a query into words; it has no syntax.
    pub fn new(query: &str) -> Self {
        let mut words: Vec<Vec<String>> = Vec::new();
        each_requirement(query, &mut |terms| {
            if words.len() < WORDS && !words.contains(&terms) {
                words.push(terms);
            }
        });
        Self(words)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// For each word, the terms of which a text has to contain at least one.
    pub(super) fn requirements(&self) -> &[Vec<String>] {
        &self.0
    }

    /// Returns whether a text contains all words.
    pub fn are_in(&self, text: &str) -> bool {
        let mut missing: Vec<&Vec<String>> = self.0.iter().collect();
        each_term(text, &mut |term| missing.retain(|terms| !terms.iter().any(|wanted| wanted == term)));
        missing.is_empty()
    }

    /// Returns up to `length` characters of a text around the first word of the query, with line breaks as spaces.
    pub fn excerpt(&self, text: &str, length: usize) -> Excerpt {
        let wanted: HashSet<&str> = self.0.iter().flatten().map(String::as_str).collect();
        let matches = |part: &str| {
            let mut found = false;
            each_term(part, &mut |term| found |= wanted.contains(term));
            found
        };
        // Positions of matching words in characters, up to the end of the excerpt.
        let (mut at, mut first, mut found) = (0, None, Vec::new());
        for (is_word, part) in parts(text) {
            let end = at + part.chars().count();
            if first.is_some_and(|first| end > first + length) {
                break;
            }
            if is_word && matches(part) {
                first.get_or_insert(at);
                found.push((at, end));
            }
            at = end;
        }
        let start = first.unwrap_or_default().saturating_sub(BEFORE);
        let shown = text.chars().skip(start).take(length);
        let text: String = shown.map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
        let last = text.chars().count();
        let ranges = found.into_iter().map(|(from, to)| (from - start, (to - start).min(last)));
        Excerpt { ranges: ranges.filter(|(from, to)| from < to).collect(), text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn are_in_requires_every_word_in_any_form() {
        let words = SearchWords::new("Tides  XR-200");
        assert!(words.are_in("the xr200 and the tide"));
        assert!(!words.are_in("the xr and 200 tides"));
        assert!(SearchWords::new("東京").are_in("東京都"));
        assert!(!SearchWords::new("京東").are_in("東京都"));
        assert!(SearchWords::new(" - ").is_empty());
    }

    #[test]
    fn excerpt_marks_the_matches_after_some_context() {
        let text =
            format!("{}\nThe tïde is high, the moon is full. {}", "word ".repeat(50), "more ".repeat(50));
        let excerpt = SearchWords::new("moon tide").excerpt(&text, 100);
        assert_eq!(excerpt.text.chars().count(), 100);
        let marked: Vec<String> = excerpt
            .ranges
            .iter()
            .map(|(from, to)| excerpt.text.chars().skip(*from).take(to - from).collect())
            .collect();
        assert_eq!(marked, ["tïde", "moon"]);
        let whole = SearchWords::new("high").excerpt("High", 100);
        assert_eq!(whole, Excerpt { text: "High".to_owned(), ranges: vec![(0, 4)] });
    }

    #[test]
    fn excerpt_of_a_long_text_without_a_match_is_its_beginning() {
        let excerpt = SearchWords::new("moon").excerpt(&"tide ".repeat(100), 10);
        assert_eq!(excerpt, Excerpt { text: "tide tide ".to_owned(), ranges: Vec::new() });
    }
}
