//! Draws text with a font of eight by eight dots.

use font8x8::{BASIC_FONTS, GREEK_FONTS, HIRAGANA_FONTS, LATIN_FONTS, UnicodeFonts};

/// Dots per side of a letter.
pub(super) const DOTS: usize = 8;
/// The replacement for a letter that the font lacks: a frame.
const LACKING: [u8; DOTS] = [0, 0x3C, 0x24, 0x24, 0x24, 0x24, 0x3C, 0];

/// Returns the rows of a letter from the top; the lowest bit is the leftmost dot.
pub(super) fn dots(letter: char) -> [u8; DOTS] {
    let found = BASIC_FONTS.get(letter).or_else(|| LATIN_FONTS.get(letter));
    found.or_else(|| GREEK_FONTS.get(letter)).or_else(|| HIRAGANA_FONTS.get(letter)).unwrap_or(LACKING)
}

/// Breaks a text into lines of `letters` characters; text beyond `most` lines is dropped.
pub(super) fn lines(text: &str, letters: usize, most: usize) -> Vec<String> {
    let letters = letters.max(1);
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let mut word: Vec<char> = word.chars().collect();
        while !word.is_empty() {
            let taken = lines.last().map_or(letters, |line| line.chars().count() + 1);
            match lines.last_mut() {
                Some(line) if taken + word.len() <= letters => {
                    line.push(' ');
                    line.extend(word.drain(..));
                }
                _ => lines.push(word.drain(..word.len().min(letters)).collect()),
            }
        }
    }
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            *last = last.chars().take(letters.saturating_sub(3)).chain("...".chars()).collect();
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_wraps_words() {
        assert_eq!(lines("a boat on the sea", 8, 9), ["a boat", "on the", "sea"]);
        assert_eq!(lines("incomprehensible", 8, 9), ["incompre", "hensible"]);
        assert_eq!(lines("one two three four", 5, 2), ["one", "tw..."]);
        assert!(lines(" ", 5, 2).is_empty());
    }

    #[test]
    fn dots_supports_several_scripts() {
        for letter in ['A', 'é', 'Ω', 'あ'] {
            assert_ne!(dots(letter), LACKING, "{letter}");
        }
        assert_eq!(dots('🌊'), LACKING);
    }
}
