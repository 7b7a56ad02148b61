//! Words spread over the stretches of speech that they were said in.

/// Marks after which a voice pauses.
const MARKS: [char; 12] = ['.', ',', ';', ':', '!', '?', '…', '–', '—', '。', '！', '？'];

/// Gives each stretch its words, in order; none is lost. Where there are as many phrases as stretches, each has
/// its own; else they are spread by how long the stretches are.
pub(super) fn spread(words: &str, lengths: &[usize]) -> Vec<String> {
    let words: Vec<&str> = words.split_whitespace().collect();
    let phrases = phrases(&words);
    if phrases.len() == lengths.len() {
        return phrases;
    }
    let whole: usize = lengths.iter().sum::<usize>().max(1);
    // Longer words take longer.
    let weight = |word: &str| word.chars().count() + 1;
    let all: usize = words.iter().map(|word| weight(word)).sum();
    let (mut texts, mut word, mut said, mut passed) = (Vec::new(), words.iter().peekable(), 0, 0);
    for (at, length) in lengths.iter().enumerate() {
        passed += length;
        let mut text: Vec<&str> = Vec::new();
        // A word belongs where its middle is; what is left belongs to the last stretch.
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
    fn phrases_go_to_their_stretches() {
        assert_eq!(spread("Hello, you. Who?", &[5, 5, 5]), ["Hello,", "you.", "Who?"]);
        assert_eq!(spread("one two three four", &[10, 10]), ["one two", "three four"]);
        assert_eq!(spread("one", &[1, 1, 1]).concat(), "one");
        assert_eq!(spread("", &[3]), [""]);
    }

    proptest::proptest! {
        #[test]
        fn no_word_is_lost(words in "[a-z,. ]{0,80}", lengths in proptest::collection::vec(1usize..90, 1..9)) {
            let spread = spread(&words, &lengths);
            proptest::prop_assert_eq!(spread.len(), lengths.len());
            let all: Vec<&str> = spread.iter().flat_map(|text| text.split_whitespace()).collect();
            proptest::prop_assert_eq!(all, words.split_whitespace().collect::<Vec<_>>());
        }
    }
}
