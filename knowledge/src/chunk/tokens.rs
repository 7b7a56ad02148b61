//! How many tokens texts have.

use std::collections::HashMap;
use tiktoken_rs::{CoreBPE, cl100k_base_singleton};

/// Bytes that are counted at once: the tokenizer's patterns look ahead, and long runs of blanks would cost too much.
const SPAN: usize = 32 << 10;
/// Words whose count is kept while a text is cut.
const MOST_WORDS: usize = 50_000;
/// Bytes of a word whose count is kept.
const LONGEST_WORD: usize = 24;

/// How many tokens a text has in `cl100k_base`, the vocabulary of OpenAI's models for embeddings (`text-embedding-3`).
/// Others count a little differently. The vocabulary is loaded at the first use and shared.
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

/// The text of tokens of that vocabulary; none where one of them is not in it, or they are no text.
pub fn text_of_tokens(tokens: &[u32]) -> Option<String> {
    cl100k_base_singleton().decode(tokens).ok()
}

fn count(vocabulary: &CoreBPE, text: &str) -> u64 {
    vocabulary.count_ordinary(text) as u64
}

/// Where a span ends: between words, if there is such a place.
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

/// Counts words of one text, each kind once.
#[derive(Default)]
pub(super) struct Counter<'a>(HashMap<&'a str, u32>);

impl<'a> Counter<'a> {
    pub fn count(&mut self, word: &'a str) -> u32 {
        if word.len() > LONGEST_WORD {
            return count_tokens(word);
        }
        if let Some(known) = self.0.get(word) {
            return *known;
        }
        let tokens = count_tokens(word);
        if self.0.len() < MOST_WORDS {
            self.0.insert(word, tokens);
        }
        tokens
    }
}
