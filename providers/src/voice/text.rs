//! Converts a text to tokens: words and pauses.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::numbers;

/// An element of the spoken text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TextToken {
    /// A word of the letters a to z.
    Word(String),
    /// A character of a script that the voice cannot read.
    Foreign(char),
    /// A pause, which also determines the intonation before it.
    Pause(Pause),
}

/// The kind of a pause, the shortest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Pause {
    /// Within a sentence: the pitch stays up.
    Comma,
    /// After a colon or a dash: the sentence continues.
    Colon,
    /// At the end of a question: the pitch rises.
    Question,
    /// At the end of a sentence: the pitch falls.
    Stop,
    /// At the end of a paragraph.
    Paragraph,
}

impl Pause {
    /// The duration in milliseconds at normal speed.
    pub fn ms(self) -> f32 {
        match self {
            Self::Comma => 220.0,
            Self::Colon => 280.0,
            Self::Question | Self::Stop => 400.0,
            Self::Paragraph => 520.0,
        }
    }
}

/// Splits a text into tokens. Of adjacent pauses, only the longest remains.
pub(super) fn tokens(text: &str) -> Vec<TextToken> {
    let mut to = Vec::new();
    // Removes accents and converts compatibility variants to plain letters.
    let plain: Vec<char> = text.nfkd().filter(|c| !is_combining_mark(*c)).collect();
    let mut at = 0;
    while at < plain.len() {
        at += next(&plain[at..], &mut to);
    }
    to
}

/// Reads one token and returns the number of characters consumed.
fn next(rest: &[char], to: &mut Vec<TextToken>) -> usize {
    let c = rest[0];
    if c.is_ascii_digit() {
        return number(rest, to);
    }
    if latin(c).is_some() {
        let mut word = String::new();
        let is_inside = |c: &char| latin(*c).is_some() || matches!(c, '\'' | '’');
        let length = rest.iter().take_while(|c| is_inside(c)).count();
        word.extend(
            rest[..length]
                .iter()
                .filter_map(|c| latin(*c))
                .flat_map(str::chars)
                .map(|c| c.to_ascii_lowercase()),
        );
        to.push(TextToken::Word(word));
        return length;
    }
    // A mark between two letters or digits does not end a sentence: `e.g.`, `example.org`.
    let ends = rest.get(1).is_none_or(|next| !next.is_alphanumeric());
    match c {
        ',' | '(' | ')' | '"' | '“' | '”' | '„' | '[' | ']' => pause(Pause::Comma, to),
        ':' | ';' | '–' | '—' | '…' if ends || c != ':' => pause(Pause::Colon, to),
        '?' | '？' | '؟' if ends => pause(Pause::Question, to),
        '.' | '!' if ends => pause(Pause::Stop, to),
        '。' | '！' => pause(Pause::Stop, to),
        '.' => to.push(word("dot")),
        '\n' if matches!(rest.get(1), Some('\n')) => pause(Pause::Paragraph, to),
        '\n' => pause(Pause::Colon, to),
        c => {
            if let Some(name) = name(c) {
                to.push(word(name));
            } else if c.is_alphanumeric() {
                to.push(TextToken::Foreign(c));
            }
        }
    }
    1
}

fn word(word: &str) -> TextToken {
    TextToken::Word(word.to_owned())
}

fn pause(pause: Pause, to: &mut Vec<TextToken>) {
    match to.last_mut() {
        Some(TextToken::Pause(last)) => *last = pause.max(*last),
        Some(_) => to.push(TextToken::Pause(pause)),
        // No pause before the first word.
        None => {}
    }
}

/// Returns the letters from a to z that represent a letter.
fn latin(c: char) -> Option<&'static str> {
    const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz";
    if c.is_ascii_alphabetic() {
        let at = usize::from(c.to_ascii_lowercase() as u8 - b'a');
        return LETTERS.get(at..=at);
    }
    Some(match c {
        'ß' | 'ẞ' => "ss",
        'æ' | 'Æ' => "ae",
        'œ' | 'Œ' => "oe",
        'ø' | 'Ø' => "o",
        'ł' | 'Ł' => "l",
        'đ' | 'Đ' => "d",
        'ð' | 'Ð' | 'þ' | 'Þ' => "th",
        'ı' => "i",
        _ => return None,
    })
}

/// Returns the name of a symbol.
fn name(c: char) -> Option<&'static str> {
    Some(match c {
        '%' => "percent",
        '&' | '+' => "and",
        '=' => "equals",
        '$' => "dollar",
        '€' => "euro",
        '£' => "pound",
        '@' => "at",
        '#' => "number",
        '/' => "slash",
        '°' => "degrees",
        '<' => "less",
        '>' => "greater",
        _ => return None,
    })
}

/// Reads a number with thousands separators and decimals.
fn number(rest: &[char], to: &mut Vec<TextToken>) -> usize {
    let digits = |from: usize| rest[from.min(rest.len())..].iter().take_while(|c| c.is_ascii_digit()).count();
    let mut length = digits(0);
    let mut whole: String = rest[..length].iter().collect();
    while length <= 3 * whole.len() && rest.get(length) == Some(&',') && digits(length + 1) == 3 {
        whole.extend(&rest[length + 1..length + 4]);
        length += 4;
    }
    to.extend(numbers::words(&whole).into_iter().map(word));
    let decimals = digits(length + 1);
    if rest.get(length) == Some(&'.') && decimals > 0 {
        to.push(word("point"));
        let read = rest[length + 1..=length + decimals].iter();
        to.extend(read.map(|digit| word(numbers::digit(*digit))));
        length += decimals + 1;
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        let part = |token: &TextToken| match token {
            TextToken::Word(word) => word.clone(),
            TextToken::Foreign(c) => format!("<{c}>"),
            TextToken::Pause(pause) => format!("{pause:?}"),
        };
        tokens(text).iter().map(part).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn tokens_returns_words_symbols_and_pauses() {
        assert_eq!(read("Hello, World! "), "hello Comma world Stop");
        assert_eq!(read("Don't. Really?!"), "dont Stop really Stop");
        assert_eq!(read("Why?\n\nSo."), "why Paragraph so Stop");
        assert_eq!(read("Größe, Ærø & naïve"), "grosse Comma aero and naive");
        assert_eq!(read("example.org: 5% (or 7)"), "example dot org Colon five percent Comma or seven Comma");
        assert_eq!(read("潮 x"), "<潮> x");
        assert_eq!(read("... \n 👍 "), "");
    }

    #[test]
    fn tokens_reads_numbers() {
        assert_eq!(read("0"), "zero");
        assert_eq!(read("1,234 km"), "one thousand two hundred thirty four km");
        assert_eq!(read("3.14."), "three point one four Stop");
        assert_eq!(read("1,2,3"), "one Comma two Comma three");
        assert_eq!(read("007"), "zero zero seven");
        assert_eq!(read("4,5"), "four Comma five");
    }
}
