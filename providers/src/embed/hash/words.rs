//! The words of a text, folded to what endings and accents leave of them.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::frequent::is_common;

/// What a common word counts, beside others, which count 1.
const COMMON: f32 = 0.08;
/// Longer words are cut, in characters.
const LONGEST: usize = 40;
/// What must be left of a word when an ending is taken off, in characters.
const LEFT: usize = 4;

/// A word of a text.
pub(super) struct Word {
    /// In lower case, without accents.
    pub(super) folded: String,
    /// The same without a common ending.
    pub(super) stem: String,
    pub(super) weight: f32,
    /// Whether parts of it tell something: not of one that is a piece of a text without spaces.
    pub(super) has_parts: bool,
}

/// The words in their order. Where a script has no spaces, pairs of neighbours are taken for words.
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
                words.push(word(piece))
            }
            rest = after;
        }
    }
    words
}

fn word(piece: &str) -> Word {
    let folded: String = piece.chars().take(LONGEST).collect();
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

/// In lower case, in one form of Unicode, without accents.
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

/// Scripts that are written without spaces, and Korean, whose words take endings.
fn is_dense(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{323af}')
}

/// Endings of European languages, the longer ones first. What is left need not be a word; it need only
/// be the same for most forms of one.
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
    fn forms_of_a_word_share_a_stem() {
        for forms in ["connect connects connected connecting", "Maschine Maschinen", "payment payments"] {
            let stems = stems(forms);
            assert!(stems.iter().all(|stem| *stem == stems[0]), "{stems:?}");
        }
    }

    #[test]
    fn accents_and_case_do_not_matter_and_short_words_stay() {
        assert_eq!(stems("Crème CREME bus a1"), ["crem", "crem", "bus", "a1"]);
        assert!(stems("-- !? \u{0}").is_empty());
    }

    #[test]
    fn what_has_no_spaces_comes_in_pairs() {
        assert_eq!(stems("東京都 a第3章"), ["東京", "京都", "a", "第", "3", "章"]);
    }
}
