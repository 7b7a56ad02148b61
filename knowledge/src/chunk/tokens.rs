//! Counts the tokens of texts.

use std::collections::HashMap;
use tiktoken_rs::{CoreBPE, cl100k_base_singleton};

/// The number of bytes that are counted at once. The tokenizer's patterns look ahead, and long whitespace would be too
/// costly.
const SPAN: usize = 32 << 10;
/// The maximum number of words whose counts are cached while a text is cut.
const MAX_WORDS: usize = 50_000;
/// The maximum length in bytes of a word whose count is cached.
const MAX_WORD_LENGTH: usize = 24;

/// Returns the number of tokens of a text in `cl100k_base`, the vocabulary of OpenAI's embedding models
/// (`text-embedding-3`). The counts of other models differ slightly. The vocabulary is loaded on first use and shared.
pub fn count_tokens(text: &str) -> u32 {
    let vocabulary = cl100k_base_singleton();
    let (mut rest, mut all) = (text, 0_u64);
    while !rest.is_empty() {
        let (span, after) = rest.split_at(span_end(rest));
        all += count(vocabulary, span);
        rest = after;
    }
    u32::try_from(all).unwrap_or(u32::MAX)
}

/// Decodes tokens of that vocabulary; `None` if a token is unknown or the result is not valid text.
pub fn text_of_tokens(tokens: &[u32]) -> Option<String> {
    cl100k_base_singleton().decode(tokens).ok()
}

fn count(vocabulary: &CoreBPE, text: &str) -> u64 {
    vocabulary.count_ordinary(text) as u64
}

/// The end of a span: between words if possible.
fn span_end(text: &str) -> usize {
    if text.len() <= SPAN {
        return text.len();
    }
    let end = text.floor_char_boundary(SPAN);
    match text[..end].rfind('\n').or_else(|| text[..end].rfind(' ')) {
        Some(at) if at > SPAN / 2 => at,
        _ => end,
    }
}

/// Counts the words of one text, each distinct word once.
#[derive(Default)]
pub(super) struct Counter<'a>(HashMap<&'a str, u32>);

impl<'a> Counter<'a> {
    pub fn count(&mut self, word: &'a str) -> u32 {
        if word.len() > MAX_WORD_LENGTH {
            return count_tokens(word);
        }
        if let Some(known) = self.0.get(word) {
            return *known;
        }
        let tokens = count_tokens(word);
        if self.0.len() < MAX_WORDS {
            self.0.insert(word, tokens);
        }
        tokens
    }
}
