//! Removes keys from texts of other servers.

/// The text that replaces a key.
const REMOVED: &str = "[key removed]";
/// Prefixes of keys of common providers, to detect keys that are not ours (such as a gateway's, or a partially masked
/// form of ours).
const PREFIXES: [&str; 9] = ["sk-", "sk_", "pk-", "gsk_", "xai-", "hf_", "nvapi-", "AIza", "AQ."];
/// Words that precede a credential.
const SCHEMES: [&str; 2] = ["bearer", "basic"];
/// Maximum length of a message in characters.
const MAX_MESSAGE_CHARS: usize = 1_000;

/// The secrets of one provider.
#[derive(Default)]
pub(crate) struct Redactor(Vec<String>);

impl Redactor {
    pub(crate) fn new(secrets: impl IntoIterator<Item = String>) -> Self {
        let mut secrets: Vec<String> = secrets.into_iter().filter(|s| !s.is_empty()).collect();
        // Longest first, so that a secret that contains another one is replaced as a whole.
        secrets.sort_by_key(|s| std::cmp::Reverse(s.len()));
        Self(secrets)
    }

    /// Returns a redactor that also removes `secret`.
    pub(crate) fn with(&self, secret: String) -> Self {
        Self::new(self.0.iter().cloned().chain([secret]))
    }

    /// Returns the text on one line without keys, cut to `MAX_MESSAGE_CHARS` characters.
    pub(crate) fn clean(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for secret in &self.0 {
            if text.contains(secret.as_str()) {
                text = text.replace(secret.as_str(), REMOVED);
            }
        }
        let text = without_key_like_words(&text);
        let line: Vec<&str> =
            text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|w| !w.is_empty()).collect();
        cut(line.join(" "))
    }
}

fn without_key_like_words(text: &str) -> String {
    let inner = |c: char| c.is_alphanumeric() || "-_.*…+/=~".contains(c);
    let mut clean = String::with_capacity(text.len());
    let (mut rest, mut after_scheme) = (text, false);
    while !rest.is_empty() {
        let word = &rest[..rest.find(|c| !inner(c)).unwrap_or(rest.len())];
        if word.is_empty() {
            let gap = &rest[..rest.find(inner).unwrap_or(rest.len())];
            after_scheme &= gap.chars().all(|c| c == ' ' || c == ':');
            clean.push_str(gap);
            rest = &rest[gap.len()..];
            continue;
        }
        let like_key = PREFIXES.iter().any(|p| word.len() >= p.len() + 4 && word.starts_with(p));
        let credential = after_scheme && word.len() >= 8 && !is_word(word);
        clean.push_str(if like_key || credential { REMOVED } else { word });
        after_scheme = SCHEMES.iter().any(|scheme| word.eq_ignore_ascii_case(scheme));
        rest = &rest[word.len()..];
    }
    clean
}

/// Whether a text looks like a natural-language word and not like a credential.
fn is_word(text: &str) -> bool {
    text.chars().skip(1).all(|c| c.is_lowercase() || c == '.' || c == '-')
}

fn cut(mut text: String) -> String {
    if let Some((at, _)) = text.char_indices().nth(MAX_MESSAGE_CHARS) {
        text.truncate(at);
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clean(text: &str) -> String {
        Redactor::new(["hunter2-key".to_owned(), String::new()]).clean(text)
    }

    #[test]
    fn clean_removes_the_configured_key_everywhere() {
        assert_eq!(clean("key=hunter2-key, ohunter2-keyo"), "key=[key removed], o[key removed]o");
    }

    #[test]
    fn clean_removes_text_that_looks_like_a_key() {
        let openai = "Incorrect API key provided: sk-proj-****abcd. See https://x/account";
        assert_eq!(clean(openai), "Incorrect API key provided: [key removed] See https://x/account");
        assert_eq!(clean("Authorization: Bearer abcdefgh12"), "Authorization: Bearer [key removed]");
        assert_eq!(
            clean("{\"authorization\":\"Basic dXNlcjpwYXNz\"}"),
            "{\"authorization\":\"Basic [key removed]\"}"
        );
    }

    #[test]
    fn clean_preserves_ordinary_words() {
        for text in ["the task-force of sk- and hf_", "basic authentication is off", "model gpt-4o not found"]
        {
            assert_eq!(clean(text), text);
        }
    }

    #[test]
    fn clean_returns_one_line_of_limited_length() {
        assert_eq!(clean(" a\r\n\tb\u{0}c "), "a b c");
        assert_eq!(clean(&"ü".repeat(5_000)).chars().count(), MAX_MESSAGE_CHARS + 1);
    }
}
