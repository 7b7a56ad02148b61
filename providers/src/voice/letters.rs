//! Converts letters to sounds: a dictionary of irregular words, and rules for all others.
//!
//! A rule defines the sound of letters in a context. In the patterns for the preceding and following letters, `_` is
//! an end of the word, `#` a vowel, `^` a consonant, `+` one of e, i, y, `!` a voiceless consonant, `$` a sibilant,
//! `%` an ending that begins with a silent or weak e (or is `ing`), and `@`, only before the letters, any vowel
//! further to the left. All other characters match themselves. The first matching rule applies.

use super::rules::RULES;
use super::sounds::Sound;
use super::words::WORDS;

/// Endings before which the vowel preceding the last consonant is long.
const ENDINGS: [&str; 8] = ["e", "es", "ed", "er", "ers", "ely", "ing", "ings"];

/// Returns the sounds of a word of the letters a to z. Words without a vowel are spelled out.
pub(super) fn sounds(word: &str) -> Vec<&'static Sound> {
    if let Ok(at) = WORDS.binary_search_by_key(&word, |(word, _)| word) {
        return sounds_named(WORDS[at].1).collect();
    }
    if !word.bytes().any(is_vowel) {
        return word.bytes().flat_map(spelt).collect();
    }
    let letters = word.as_bytes();
    let (mut sounds, mut at): (Vec<&'static Sound>, usize) = (Vec::new(), 0);
    while at < letters.len() {
        let Some((letter, _, _, said)) =
            RULES.iter().find(|rule| fits(rule, letters, at)).map(|r| (r.1, r.0, r.2, r.3))
        else {
            at += 1;
            continue;
        };
        for sound in sounds_named(said) {
            // Double letters represent a single sound.
            if sounds.last().is_none_or(|last| *last != sound || sound.is_vowel()) {
                sounds.push(sound);
            }
        }
        at += letter.len();
    }
    sounds
}

/// Returns the sounds of a letter's name.
pub(super) fn spelt(letter: u8) -> impl Iterator<Item = &'static Sound> {
    const NAMES: [&str; 26] = [
        "EY",
        "B IY",
        "S IY",
        "D IY",
        "IY",
        "EH F",
        "JH IY",
        "EY CH",
        "AY",
        "JH EY",
        "K EY",
        "EH L",
        "EH M",
        "EH N",
        "OW",
        "P IY",
        "K Y UW",
        "AA R",
        "EH S",
        "T IY",
        "Y UW",
        "V IY",
        "D AH B AH L Y UW",
        "EH K S",
        "W AY",
        "Z IY",
    ];
    sounds_named(NAMES.get(usize::from(letter.wrapping_sub(b'a'))).copied().unwrap_or_default())
}

fn sounds_named(names: &'static str) -> impl Iterator<Item = &'static Sound> {
    names.split_ascii_whitespace().filter_map(Sound::named)
}

pub(super) fn is_vowel(letter: u8) -> bool {
    matches!(letter, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

fn fits((before, letters, after, _): &(&str, &str, &str, &str), word: &[u8], at: usize) -> bool {
    word[at..].starts_with(letters.as_bytes())
        && stands_before(before.as_bytes(), &word[..at])
        && stands_after(after.as_bytes(), &word[at + letters.len()..])
}

fn stands_before(pattern: &[u8], word: &[u8]) -> bool {
    let mut word = word;
    for sign in pattern.iter().rev() {
        match (sign, word) {
            (b'_', []) => {}
            (b'@', word) if word.iter().any(|letter| is_vowel(*letter)) => {}
            (sign, [rest @ .., last]) if is(*sign, *last) => word = rest,
            _ => return false,
        }
    }
    true
}

fn stands_after(pattern: &[u8], word: &[u8]) -> bool {
    let mut word = word;
    for sign in pattern {
        match (sign, word) {
            (b'_', []) => {}
            (b'%', rest) => return ENDINGS.iter().any(|ending| ending.as_bytes() == rest),
            (sign, [first, rest @ ..]) if is(*sign, *first) => word = rest,
            _ => return false,
        }
    }
    true
}

fn is(sign: u8, letter: u8) -> bool {
    match sign {
        b'#' => is_vowel(letter),
        // An x counts as two consonants.
        b'^' => !is_vowel(letter) && letter != b'x',
        b'+' => matches!(letter, b'e' | b'i' | b'y'),
        b'!' => matches!(letter, b'p' | b'k' | b'f' | b's' | b'x' | b'h' | b'c' | b't'),
        b'$' => matches!(letter, b's' | b'c' | b'g' | b'z' | b'x' | b'h'),
        sign => sign == letter,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sounds_of(word: &str) -> String {
        sounds(word).iter().map(|sound| sound.name).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn tables_contain_only_known_sounds() {
        assert!(WORDS.windows(2).all(|pair| pair[0].0 < pair[1].0), "in order, each once");
        let all =
            WORDS.iter().map(|(word, said)| (*word, *said)).chain(RULES.iter().map(|rule| (rule.1, rule.3)));
        for (word, said) in all {
            for name in said.split(' ').filter(|name| !name.is_empty()) {
                assert!(Sound::named(name).is_some(), "{word}: {name}");
            }
        }
        for letter in b'a'..=b'z' {
            assert!(spelt(letter).count() > 0);
            let alone = RULES.iter().any(|(before, letters, after, _)| {
                before.is_empty() && letters.as_bytes() == [letter] && after.is_empty()
            });
            assert!(alone, "{} has no rule of its own", letter as char);
        }
    }

    #[test]
    fn sounds_matches_known_pronunciations() {
        for (word, expected) in [
            ("hello", "HH EH L OW"),
            ("make", "M EY K"),
            ("making", "M EY K IH NG"),
            ("night", "N AY T"),
            ("station", "S T EY SH AH N"),
            ("school", "S K UW L"),
            ("stopped", "S T AA P T"),
            ("added", "AE D IH D"),
            ("boxes", "B AA K S IH Z"),
            ("apple", "AE P AH L"),
            ("city", "S IH T IY"),
            ("phone", "F OW N"),
            ("knight", "N AY T"),
            ("ring", "R IH NG"),
            ("bridge", "B R IH JH"),
            ("queen", "K W IY N"),
            ("window", "W IH N D OW"),
            ("picture", "P IH K CH ER"),
            ("the", "DH AH"),
            ("http", "EY CH T IY T IY P IY"),
        ] {
            assert_eq!(sounds_of(word), expected, "{word}");
        }
    }

    proptest::proptest! {
        #[test]
        fn sounds_covers_every_word(word in "[a-z]{1,24}") {
            // There is at least one sound for every four letters; the others may be silent.
            proptest::prop_assert!(sounds(&word).len() >= word.len() / 4, "{}", word);
        }
    }
}
