//! Distributes words over the stretches of speech in which they were spoken.

/// Marks after which a voice pauses.
const MARKS: [char; 12] = ['.', ',', ';', ':', '!', '?', '…', '–', '—', '。', '！', '？'];

/// Assigns words to each stretch, in order and without losing any. If there are as many phrases as stretches, each
/// stretch gets one phrase; otherwise words are distributed by the lengths of the stretches.
pub(super) fn spread(words: &str, lengths: &[usize]) -> Vec<String> {
    let words: Vec<&str> = words.split_whitespace().collect();
    let phrases = phrases(&words);
    if phrases.len() == lengths.len() {
        return phrases;
    }
    let whole: usize = lengths.iter().sum::<usize>().max(1);
    // Longer words take longer to speak.
    let weight = |word: &str| word.chars().count() + 1;
    let all: usize = words.iter().map(|word| weight(word)).sum();
    let (mut texts, mut word, mut said, mut passed) = (Vec::new(), words.iter().peekable(), 0, 0);
    for (at, length) in lengths.iter().enumerate() {
        passed += length;
        let mut text: Vec<&str> = Vec::new();
        // A word belongs to the stretch that contains its middle; all remaining words belong to the last stretch.
        while let Some(next) = word
            .next_if(|next| at + 1 == lengths.len() || (2 * said + weight(next)) * whole <= 2 * passed * all)
        {
            said += weight(next);
            text.push(next);
        }
        texts.push(text.join(" "));
    }
    texts
}

fn phrases(words: &[&str]) -> Vec<String> {
    words
        .split_inclusive(|word| word.trim_end_matches(['"', ')', '”']).ends_with(MARKS))
        .map(|phrase| phrase.join(" "))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn spread_assigns_phrases_to_stretches() {
        assert_eq!(spread("Hello, you. Who?", &[5, 5, 5]), ["Hello,", "you.", "Who?"]);
        assert_eq!(spread("one two three four", &[10, 10]), ["one two", "three four"]);
        assert_eq!(spread("one", &[1, 1, 1]).concat(), "one");
        assert_eq!(spread("", &[3]), [""]);
    }

    proptest::proptest! {
        #[test]
        fn spread_loses_no_word(words in "[a-z,. ]{0,80}", lengths in proptest::collection::vec(1usize..90, 1..9)) {
            let spread = spread(&words, &lengths);
            proptest::prop_assert_eq!(spread.len(), lengths.len());
            let all: Vec<&str> = spread.iter().flat_map(|text| text.split_whitespace()).collect();
            proptest::prop_assert_eq!(all, words.split_whitespace().collect::<Vec<_>>());
        }
    }
}
