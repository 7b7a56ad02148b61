//! Splits a text into sentences, and sentences into terms.

/// Returns the sentences of a text, in order and trimmed. A sentence ends at a full stop, question mark or
/// exclamation mark before white space, at Chinese and Japanese marks, and at the end of a paragraph, list item or
/// heading. A line break alone does not end a sentence, since texts may be wrapped.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let mut all = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let end = at + c.len_utf8();
        let stop = match c {
            '。' | '！' | '？' => true,
            '.' => closes(next) && !abbreviates(&text[start..at]),
            '!' | '?' | '…' => closes(next),
            '\n' => begins_block(&text[end..]),
            _ => false,
        };
        if stop {
            // Closing quotation marks belong to the sentence.
            let mut end = end;
            while let Some((_, mark)) = chars.next_if(|(_, m)| "\"'”’»)]".contains(*m)) {
                end += mark.len_utf8();
            }
            push(&mut all, &text[start..end]);
            start = end;
        }
    }
    push(&mut all, &text[start..]);
    all
}

fn push<'a>(all: &mut Vec<&'a str>, sentence: &'a str) {
    let marks = |c: char| c.is_whitespace() || "#*>-•|=".contains(c);
    let sentence = sentence.trim_start_matches(marks).trim_end();
    if sentence.chars().any(char::is_alphanumeric) {
        all.push(sentence);
    }
}

/// Whether a sentence can end before the next character.
fn closes(next: Option<char>) -> bool {
    next.is_none_or(|c| c.is_whitespace() || "\"'”’»)]".contains(c))
}

/// Whether a full stop after this text belongs to an abbreviation or a number: `e.g`, `Dr`, `3`.
fn abbreviates(before: &str) -> bool {
    const TITLES: [&str; 12] =
        ["Dr", "Mr", "Mrs", "Ms", "Prof", "St", "No", "vs", "approx", "e.g", "i.e", "cf"];
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let word = word.trim_start_matches(['(', '"', '“']);
    let listed = before.trim() == word && word.chars().all(|c| c.is_ascii_digit());
    let initial = word.len() == 1 && word.chars().all(char::is_uppercase);
    listed || initial || TITLES.contains(&word)
}

/// Whether the line that begins here starts a new block instead of continuing the sentence.
fn begins_block(rest: &str) -> bool {
    let line = rest.lines().next().unwrap_or_default().trim_start();
    let numbered = line.split_once(['.', ')']).is_some_and(|(number, item)| {
        !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()) && item.starts_with(' ')
    });
    line.is_empty()
        || numbered
        || ["# ", "## ", "### ", "- ", "* ", "• ", "> ", "|"].iter().any(|m| line.starts_with(m))
}

/// Returns the terms of a text: its words in lower case without the most common endings. Stop words (`the`, `is`,
/// ...) are omitted.
pub fn terms(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).filter(|word| !is_common(word)).map(stem)
}

fn is_common(word: &str) -> bool {
    const COMMON: [&str; 72] = [
        "a", "about", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by",
        "can", "could", "did", "do", "does", "for", "from", "had", "has", "have", "he", "her", "his", "how",
        "i", "if", "in", "into", "is", "it", "its", "me", "my", "no", "not", "of", "on", "or", "our",
        "please", "she", "so", "than", "that", "the", "their", "them", "then", "there", "these", "they",
        "this", "to", "was", "we", "were", "what", "when", "where", "which", "who", "why", "will", "with",
        "would", "you", "your",
    ];
    COMMON.binary_search(&word).is_ok()
}

/// Removes common English endings, so that `files` matches `file`. A crude method is sufficient, since question and
/// material are treated equally.
fn stem(mut word: String) -> String {
    const MIN_LENGTH: usize = 3;
    for ending in ["ing", "ies", "ed", "es", "s", "e", "y"] {
        if let Some(stem) = word.strip_suffix(ending)
            && stem.chars().count() >= MIN_LENGTH
        {
            word.truncate(stem.len());
            break;
        }
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_splits_like_a_reader() {
        let text = "Dr. Ada wrote it, e.g. in 3.5 days. She said \"Done!\" And then?\nwrapped line\n\n# Heading\nText\n- one\n- two\n1. first\n2. second";
        let expected = [
            "Dr. Ada wrote it, e.g. in 3.5 days.",
            "She said \"Done!\"",
            "And then?",
            "wrapped line",
            "Heading\nText",
            "one",
            "two",
            "1. first",
            "2. second",
        ];
        assert_eq!(sentences(text), expected);
        assert_eq!(sentences("今日は。元気？"), ["今日は。", "元気？"]);
        assert_eq!(sentences(" \n--- ... \n"), Vec::<&str>::new());
    }

    #[test]
    fn terms_omits_stop_words_and_endings() {
        let of = |text| terms(text).collect::<Vec<_>>();
        assert_eq!(of("The files are STORED"), of("file store"));
        assert_eq!(of("What is it?"), Vec::<String>::new());
        assert_eq!(of("Öl, 42!"), ["öl", "42"]);
    }

    #[test]
    fn common_words_are_sorted() {
        for word in ["a", "about", "which", "your", "please", "there"] {
            assert!(is_common(word), "{word}");
        }
    }
}
