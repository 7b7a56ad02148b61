//! Ranks texts by the words of a query: BM25 over texts that are read once, one after the other.

use std::collections::HashMap;

/// Parameters of BM25: the saturation of repeated words, and the penalty for long texts. Values of Robertson and Zaragoza (2009).
const K1: f32 = 1.2;
const B: f32 = 0.75;

/// Statistics of the texts so far. For each text, only the counts of the words of the query are stored.
pub struct Ranking {
    words: HashMap<String, usize>,
    texts: Vec<WordCounts>,
    all_words: u64,
}

struct WordCounts {
    words: u32,
    found: Vec<u32>,
}

impl Ranking {
    /// Creates a ranking without texts, for a query.
    pub fn new(question: &str) -> Self {
        let mut words = HashMap::new();
        each_word(question, |word| {
            let next = words.len();
            words.entry(word.to_owned()).or_insert(next);
        });
        Self { words, texts: Vec::new(), all_words: 0 }
    }

    /// Counts the words of the next text.
    pub fn add(&mut self, text: &str) {
        let mut counted = WordCounts { words: 0, found: vec![0; self.words.len()] };
        each_word(text, |word| {
            counted.words += 1;
            if let Some(at) = self.words.get(word) {
                counted.found[*at] += 1;
            }
        });
        self.all_words += u64::from(counted.words);
        self.texts.push(counted);
    }

    /// Returns the score of each text, in the order in which they were added. The score is 0 for a text that contains no word of the query.
    pub fn scores(&self) -> Vec<f32> {
        let texts = self.texts.len() as f32;
        let usual = (self.all_words as f32 / texts.max(1.0)).max(1.0);
        let rarity: Vec<f32> = (0..self.words.len())
            .map(|at| {
                let having = self.texts.iter().filter(|text| text.found[at] > 0).count() as f32;
                (1.0 + (texts - having + 0.5) / (having + 0.5)).ln()
            })
            .collect();
        let score = |text: &WordCounts| {
            let held_back = K1 * (1.0 - B + B * text.words as f32 / usual);
            let parts = text.found.iter().zip(&rarity).map(|(found, rarity)| {
                let found = *found as f32;
                rarity * found * (K1 + 1.0) / (found + held_back)
            });
            parts.sum()
        };
        self.texts.iter().map(score).collect()
    }
}

/// Calls `with` for each word, in lower case. In scripts without spaces between words (Chinese, Japanese), each character is a word.
fn each_word(text: &str, mut with: impl FnMut(&str)) {
    let mut word = String::new();
    for char in text.chars() {
        let alone =
            matches!(char, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}');
        if (alone || !char.is_alphanumeric()) && !word.is_empty() {
            with(&word);
            word.clear();
        }
        if alone {
            with(char.encode_utf8(&mut [0; 4]));
        } else if char.is_alphanumeric() {
            word.extend(char.to_lowercase());
        }
    }
    if !word.is_empty() {
        with(&word);
    }
}
