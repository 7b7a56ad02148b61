//! Splits a text into terms. Indexed texts and queries use the same terms.

use frostem::{Algorithm, Stemmer};
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The name of the tokenizer in the index.
pub(crate) const NAME: &str = "words";

/// The maximum length of a word in characters. Longer words are cut, in queries too.
const MAX_WORD_CHARS: usize = 40;
/// The maximum number of pieces of a word with hyphens or similar characters that are also joined into one term.
const JOINED: usize = 4;
/// The minimum length in bytes of words that are stemmed.
const STEMMED: usize = 4;

/// Produces terms: words in lower case without accents, each also as its English stem if that differs; `XR-200` and
/// `XR200` become `xr`, `200` and `xr200`. Text written without spaces (Chinese, Japanese, Thai and others) becomes
/// single characters and pairs of them.
#[derive(Clone, Default)]
pub(super) struct TermTokenizer;

impl Tokenizer for TermTokenizer {
    type TokenStream<'a> = Terms;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Terms {
        let mut terms = Vec::new();
        each_term(text, &mut |term| terms.push(term.to_owned()));
        Terms { terms: terms.into_iter(), token: Token::default() }
    }
}

/// The terms of one text.
pub(super) struct Terms {
    terms: std::vec::IntoIter<String>,
    token: Token,
}

impl TokenStream for Terms {
    fn advance(&mut self) -> bool {
        let Some(term) = self.terms.next() else {
            return false;
        };
        self.token.text = term;
        // Counts up from the maximum, which is the initial value.
        self.token.position = self.token.position.wrapping_add(1);
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

/// Passes every term of a text to `give`, including repeated ones.
pub(crate) fn each_term(text: &str, give: &mut impl FnMut(&str)) {
    let stemmer = Stemmer::new(Algorithm::English);
    let folded = folded(text);
    for run in folded.split(|c: char| !in_word(c) && !is_joint(c)) {
        let pieces = pieces(run);
        for piece in &pieces {
            if piece.starts_with(is_dense) {
                dense(piece, give);
                continue;
            }
            let word = cut(piece);
            give(word);
            let stem = stemmed(&stemmer, word);
            if let Some(stem) = stem.filter(|stem| stem != word) {
                give(&stem);
            }
        }
        let joined: String = pieces.concat();
        let one = (2..=JOINED).contains(&pieces.len()) && joined.chars().count() <= MAX_WORD_CHARS;
        if one && !joined.contains(is_dense) {
            give(&joined);
        }
    }
}

/// Passes to `give`, for each word of a query, the terms of which a text has to contain at least one.
pub(crate) fn each_requirement(text: &str, give: &mut impl FnMut(Vec<String>)) {
    let stemmer = Stemmer::new(Algorithm::English);
    let folded = folded(text);
    for run in folded.split(|c: char| !in_word(c) && !is_joint(c)) {
        let pieces = pieces(run);
        let joined: String = pieces.concat();
        let one = (2..=JOINED).contains(&pieces.len()) && joined.chars().count() <= MAX_WORD_CHARS;
        if one && !joined.contains(is_dense) {
            give(vec![joined]);
            continue;
        }
        for piece in pieces {
            if piece.starts_with(is_dense) {
                dense(piece, &mut |term| give(vec![term.to_owned()]));
                continue;
            }
            let word = cut(piece);
            let stem = stemmed(&stemmer, word).filter(|stem| stem != word);
            give(std::iter::once(word.to_owned()).chain(stem).collect());
        }
    }
}

/// Splits a text into the parts that contain words and the parts between them.
pub(crate) fn parts(text: &str) -> impl Iterator<Item = (bool, &str)> {
    let is_part_of_word = |c: char| in_word(c) || is_joint(c);
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = is_part_of_word(rest.chars().next()?);
        let end = rest.find(|c| is_part_of_word(c) != first).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        rest = after;
        Some((first, part))
    })
}

fn stemmed(stemmer: &Stemmer, word: &str) -> Option<String> {
    let fits = word.len() >= STEMMED && word.bytes().all(|b| b.is_ascii_lowercase());
    fits.then(|| stemmer.stem(word).into_owned())
}

/// Converts a text to lower case without accents, in a normalized Unicode form.
fn folded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.nfkd().filter(|c| !is_accent(*c)).nfc().flat_map(char::to_lowercase) {
        match c {
            'ß' => folded.push_str("ss"),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            'ø' => folded.push('o'),
            'ł' => folded.push('l'),
            'đ' | 'ð' => folded.push('d'),
            'þ' => folded.push_str("th"),
            'ı' => folded.push('i'),
            'ς' => folded.push('σ'),
            // The mark that lower case adds to a dotted capital I.
            '\u{307}' => {}
            c => folded.push(c),
        }
    }
    folded
}

/// Marks that writers often omit: Latin, Greek and Cyrillic accents, Arabic vowels.
fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{640}' | '\u{64b}'..='\u{65f}' | '\u{670}')
}

fn in_word(c: char) -> bool {
    c.is_alphanumeric() || is_combining_mark(c)
}

/// Characters that join the pieces of one word.
fn is_joint(c: char) -> bool {
    matches!(c, '-' | '\u{2010}' | '\u{2011}' | '.' | '_' | '/' | '\'' | '\u{2019}')
}

/// Scripts that are written without spaces, and Korean, whose words have suffixes.
fn is_dense(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{323af}')
}

/// Splits a word into pieces: at joints, and where letters, digits and dense scripts meet.
fn pieces(run: &str) -> Vec<&str> {
    let kind = |c: char| (is_dense(c), c.is_numeric());
    let mut pieces = Vec::new();
    for word in run.split(is_joint) {
        let mut start = 0;
        let mut last = None;
        for (at, c) in word.char_indices().filter(|(_, c)| !is_combining_mark(*c)) {
            if last.is_some_and(|last| last != kind(c)) {
                pieces.push(&word[start..at]);
                start = at;
            }
            last = Some(kind(c));
        }
        pieces.push(&word[start..]);
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

/// Passes single characters and pairs of adjacent characters to `give`.
fn dense(piece: &str, give: &mut impl FnMut(&str)) {
    let ends: Vec<usize> = piece.char_indices().map(|(at, _)| at).chain([piece.len()]).collect();
    ends.windows(2).for_each(|ends| give(&piece[ends[0]..ends[1]]));
    ends.windows(3).for_each(|ends| give(&piece[ends[0]..ends[2]]));
}

fn cut(word: &str) -> &str {
    word.char_indices().nth(MAX_WORD_CHARS).map_or(word, |(at, _)| &word[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> Vec<String> {
        let mut terms = Vec::new();
        each_term(text, &mut |term| terms.push(term.to_owned()));
        terms
    }

    #[test]
    fn each_term_folds_case_and_accents_and_stems() {
        assert_eq!(terms("The Cafés"), ["the", "cafes", "cafe"]);
        assert_eq!(terms("Straße ÆON İstanbul"), ["strasse", "strass", "aeon", "istanbul"]);
        assert_eq!(terms("e\u{301}te\u{301} été"), ["ete", "ete"]);
        assert_eq!(terms("Ｆｕｌｌ ﬁn"), ["full", "fin"]);
        assert_eq!(terms("ΛΌΓΟΣ λόγος"), ["λογοσ", "λογοσ"]);
    }

    #[test]
    fn each_term_splits_and_joins_part_numbers() {
        let all = ["xr", "200", "xr200"];
        for written in ["XR-200", "xr200", "XR_200", "XR.200"] {
            assert_eq!(terms(written), all, "{written}");
        }
        assert_eq!(terms("l'eau"), ["l", "eau", "leau"]);
        assert_eq!(terms("a-b-c-d-e"), ["a", "b", "c", "d", "e"]);
    }

    #[test]
    fn each_term_returns_characters_and_pairs_of_dense_scripts() {
        assert_eq!(terms("東京都"), ["東", "京", "都", "東京", "京都"]);
        assert_eq!(terms("第3章"), ["第", "3", "章"]);
        assert_eq!(terms("が"), ["が"]);
    }

    #[test]
    fn each_term_ignores_punctuation_and_cuts_long_words() {
        assert!(terms(" -- ... '' / \u{301} \u{0}").is_empty());
        assert_eq!(terms(&"ü".repeat(500)), ["u".repeat(MAX_WORD_CHARS)]);
    }
}
