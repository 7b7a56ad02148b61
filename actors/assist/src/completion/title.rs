//! Generates the title of a conversation from its first exchange.

/// Maximum number of characters of a title.
const MAX_CHARS: usize = 60;

/// Derives a title from the first question: its first sentence, cut at a word boundary. Returns `None` if it contains
/// no words.
pub fn title_of(question: &str) -> Option<String> {
    let line = question.lines().map(str::trim).find(|line| line.chars().any(char::is_alphanumeric))?;
    let line = line.trim_start_matches(['#', '>', '-', '*', ' ']);
    let sentence = line.split_inclusive(['.', '!', '?']).next().unwrap_or(line);
    let sentence = if sentence.chars().count() < 8 { line } else { sentence };
    let sentence = sentence.trim_end_matches(['.', '!', ' ']);
    let mut title = String::new();
    for word in sentence.split_whitespace() {
        let longer = title.chars().count() + 1 + word.chars().count();
        if longer > MAX_CHARS && !title.is_empty() {
            title.push('…');
            break;
        }
        if !title.is_empty() {
            title.push(' ');
        }
        title.extend(word.chars().take(MAX_CHARS));
    }
    let mut chars = title.chars();
    let first = chars.next()?;
    Some(first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::title_of;

    #[test]
    fn title_of_takes_the_first_sentence_and_cuts_at_a_word() {
        assert_eq!(title_of("how do tides work? tell me all").as_deref(), Some("How do tides work?"));
        assert_eq!(title_of("Hi. I need help.").as_deref(), Some("Hi. I need help"));
        assert_eq!(title_of("\n\n# Plan the trip.\nmore").as_deref(), Some("Plan the trip"));
        assert_eq!(title_of("?!\n --").as_deref(), None);
        let long = title_of(&"word ".repeat(40)).unwrap();
        assert!(long.ends_with("word…") && long.chars().count() <= 61, "{long}");
        assert!(title_of(&"x".repeat(500)).unwrap().chars().count() <= 61);
    }
}
