//! Splits a text into words and normalizes accents and endings.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::frequent::is_common;

/// The weight of a stop word; other words have weight 1.
const COMMON: f32 = 0.08;
/// Maximum length of a word in characters; longer words are cut.
const MAX_WORD_CHARS: usize = 40;
/// Minimum number of characters that must remain when an ending is removed.
const LEFT: usize = 4;

/// A word of a text.
pub(super) struct Word {
    /// The word in lower case without accents.
    pub(super) folded: String,
    /// The same without a common ending.
    pub(super) stem: String,
    pub(super) weight: f32,
    /// Whether parts of the word are counted; false for a piece of a text without spaces.
    pub(super) has_parts: bool,
}

/// Returns the words in order. In scripts without spaces, pairs of adjacent characters count as words.
pub(super) fn words(text: &str) -> Vec<Word> {
    let folded = folded(text);
    let mut words = Vec::new();
    for run in folded.split(|c: char| !c.is_alphanumeric() && !is_combining_mark(c)) {
        let mut rest = run;
        while let Some(first) = rest.chars().next() {
            let dense = is_dense(first);
            let end = rest.find(|c| is_dense(c) != dense && !is_combining_mark(c)).unwrap_or(rest.len());
            let (piece, after) = rest.split_at(end);
            if dense {
                pairs(piece, &mut words)
            } else {
                words.push(parse_word(piece))
            }
            rest = after;
        }
    }
    words
}

fn parse_word(piece: &str) -> Word {
    let folded: String = piece.chars().take(MAX_WORD_CHARS).collect();
    let weight = if is_common(&folded) { COMMON } else { 1.0 };
    Word { stem: stem(&folded).to_owned(), folded, weight, has_parts: true }
}

fn pairs(piece: &str, words: &mut Vec<Word>) {
    let ends: Vec<usize> = piece.char_indices().map(|(at, _)| at).chain([piece.len()]).collect();
    let width = if ends.len() > 2 { 3 } else { 2 };
    words.extend(ends.windows(width).map(|ends| {
        let pair = piece[ends[0]..ends[width - 1]].to_owned();
        Word { stem: pair.clone(), folded: pair, weight: 1.0, has_parts: false }
    }));
}

/// Converts a text to lower case and one Unicode form, without accents.
fn folded(text: &str) -> String {
    let is_accent =
        |c: &char| matches!(c, '\u{300}'..='\u{36f}' | '\u{640}' | '\u{64b}'..='\u{65f}' | '\u{670}');
    let plain = text.nfkd().filter(|c| !is_accent(c)).nfc().flat_map(char::to_lowercase);
    let mut folded = String::with_capacity(text.len());
    for c in plain.filter(|c| *c != '\u{307}') {
        match c {
            'ß' => folded.push_str("ss"),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            'ø' => folded.push('o'),
            'ł' => folded.push('l'),
            'ı' => folded.push('i'),
            'ς' => folded.push('σ'),
            c => folded.push(c),
        }
    }
    folded
}

/// Whether a character belongs to a script without spaces, or to Korean, whose words take endings.
fn is_dense(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{323af}')
}

/// Endings of European languages, tried in this order. The remaining stem does not have to be a word, only the same
/// for most forms of a word.
const ENDINGS: [&str; 24] = [
    "ations", "ation", "ungen", "ments", "ment", "ings", "ung", "ing", "ies", "ers", "ern", "est", "ons",
    "ed", "en", "er", "em", "es", "ly", "ez", "e", "s", "y", "n",
];

fn stem(word: &str) -> &str {
    let fits = |ending: &&str| word.strip_suffix(*ending).is_some_and(|rest| rest.chars().count() >= LEFT);
    let ending = ENDINGS.iter().find(|ending| fits(ending));
    ending.and_then(|ending| word.strip_suffix(*ending)).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stems(text: &str) -> Vec<String> {
        words(text).into_iter().map(|word| word.stem).collect()
    }

    #[test]
    fn stem_is_shared_by_forms_of_a_word() {
        for forms in ["connect connects connected connecting", "Maschine Maschinen", "payment payments"] {
            let stems = stems(forms);
            assert!(stems.iter().all(|stem| *stem == stems[0]), "{stems:?}");
        }
    }

    #[test]
    fn words_ignores_accents_and_case_and_keeps_short_words() {
        assert_eq!(stems("Crème CREME bus a1"), ["crem", "crem", "bus", "a1"]);
        assert!(stems("-- !? \u{0}").is_empty());
    }

    #[test]
    fn words_returns_pairs_for_scripts_without_spaces() {
        assert_eq!(stems("東京都 a第3章"), ["東京", "京都", "a", "第", "3", "章"]);
    }
}
