//! `builtin/hash`: vectors from the letters of a text, without a model, a key or a network.
//!
//! It does not understand the meaning of a text. Words, pairs of words and parts of words are hashed to dimensions of
//! the vector ("the hashing trick", Weinberger et al., ICML 2009), so that texts which share words, word forms or
//! spellings have similar vectors. It tolerates different endings and typos, but knows no synonyms and no
//! translations. The vectors must be identical on every machine and in all versions: a changed algorithm needs
//! another model name.

mod frequent;
mod words;

use async_trait::async_trait;

use super::{EmbedRequest, Embedded, EmbeddingModel, of_length_one};
use crate::chat::{ProviderError, Usage};
use words::{Word, words};

/// The model's name; its full id is `builtin/hash`.
pub const NAME: &str = "hash";

/// Number of dimensions. With half as many, unrelated words share dimensions so often that one query in twenty with
/// typos gets a worse answer; twice as many improve the results very little.
const DIMENSIONS: usize = 512;
/// Weights relative to a whole word, which has weight 1; determined experimentally with the public questions of the
/// `knowledge` benchmark. `PARTS` is the weight of all parts of a word together.
const PAIR: f32 = 0.15;
const PARTS: f32 = 2.0;
/// The minimum and maximum length of a part of a word, in characters.
const MIN_PART_CHARS: usize = 3;
const MAX_PART_CHARS: usize = 5;

/// The built-in embedding model.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hash;

#[async_trait]
impl EmbeddingModel for Hash {
    async fn embed(&self, request: EmbedRequest) -> Result<Embedded, ProviderError> {
        let mut vectors = Vec::with_capacity(request.texts.len());
        let mut chars = 0;
        for text in &request.texts {
            chars += text.chars().count() as u64;
            vectors.push(vector(text));
            // A batch of long texts takes milliseconds, so other tasks get a chance to run.
            tokio::task::yield_now().await;
        }
        Ok(Embedded { vectors, usage: Usage::estimate(chars, 0, 0) })
    }
}

/// Returns the vector of a text, of length 1.
fn vector(text: &str) -> Vec<f32> {
    let words = words(text);
    let mut counts: std::collections::HashMap<u64, (f32, f32)> = std::collections::HashMap::new();
    let mut count = |key: u64, weight: f32| {
        let entry = counts.entry(key).or_insert((0.0, 0.0));
        entry.0 += 1.0;
        entry.1 = entry.1.max(weight);
    };
    let mut before: Option<&Word> = None;
    for word in &words {
        count(key(b'w', [word.stem.as_str()]), word.weight);
        if word.has_parts {
            parts(word, &mut count);
        }
        if let Some(before) = before {
            let pair = [before.stem.as_str(), word.stem.as_str()];
            count(key(b'p', pair), PAIR * (before.weight * word.weight).sqrt());
        }
        before = Some(word);
    }
    let mut sums = vec![0.0f32; DIMENSIONS];
    // Sorted by key: sums of f32 depend on the order, and the order of a map is not deterministic.
    let mut counts: Vec<(u64, (f32, f32))> = counts.into_iter().collect();
    counts.sort_unstable_by_key(|(key, _)| *key);
    for (key, (times, weight)) in counts {
        let sign = if key >> 63 == 0 { 1.0 } else { -1.0 };
        sums[key as usize % DIMENSIONS] += sign * weight * (1.0 + times.ln());
    }
    of_length_one(sums).unwrap_or_else(|| lonely(text))
}

/// Counts the parts of a word with its start and end marked. The more parts there are, the less each one weighs.
fn parts(word: &Word, count: &mut impl FnMut(u64, f32)) {
    let marked: Vec<char> =
        std::iter::once('^').chain(word.folded.chars()).chain(std::iter::once('$')).collect();
    let lengths = MIN_PART_CHARS..=MAX_PART_CHARS.min(marked.len());
    let number: usize = lengths.clone().map(|length| marked.len() - length + 1).sum();
    let weight = PARTS * word.weight / (number as f32).sqrt();
    for part in lengths.flat_map(|length| marked.windows(length)) {
        let text: String = part.iter().collect();
        count(key(b'c', [text.as_str()]), weight);
    }
}

/// Returns the vector of a text without words, such as "---": a single dimension.
fn lonely(text: &str) -> Vec<f32> {
    let mut vector = vec![0.0; DIMENSIONS];
    vector[key(b'x', [text.trim()]) as usize % DIMENSIONS] = 1.0;
    vector
}

/// Hashes a feature to its dimension and sign: FNV-1a followed by a mixing step, since the low bits of FNV-1a alone
/// are poor.
fn key<const N: usize>(kind: u8, texts: [&str; N]) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut take = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    take(kind);
    for text in texts {
        text.bytes().for_each(&mut take);
        take(0xff);
    }
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ (hash >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn likeness(a: &str, b: &str) -> f32 {
        vector(a).iter().zip(vector(b)).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn vector_has_length_one_for_any_text() {
        let long = "word ".repeat(100_000);
        for text in ["a", "", "  ", "---", "the", "🙂", "東京", "\u{0}\u{300}", "x y z", long.as_str()] {
            let vector = vector(text);
            let length: f32 = vector.iter().map(|x| x * x).sum();
            assert_eq!(vector.len(), DIMENSIONS);
            assert!((length - 1.0).abs() < 1e-4, "{text:?}: {length}");
        }
    }

    #[test]
    fn vector_is_similar_for_word_forms_and_typos() {
        let near = [
            ("descaling the kettle", "how do I descale kettles"),
            ("wireless router", "wireles ruoter"),
            ("Die Maschine wird gewartet", "Wartung der Maschinen"),
            ("crème brûlée", "CREME BRULEE"),
            ("東京の天気", "天気は東京"),
        ];
        for (a, b) in near {
            let far = likeness(a, "quarterly figures of our subsidiaries");
            assert!(likeness(a, b) > far + 0.2, "{a} / {b}: {} and {far}", likeness(a, b));
        }
    }

    #[test]
    fn vector_weighs_stop_words_little_and_depends_on_order() {
        assert!(likeness("what is the kettle", "kettle") > 0.9);
        assert!(likeness("what is the kettle", "what is the lamp") < 0.3);
        assert!(likeness("dog bites man", "dog bites man") > likeness("dog bites man", "man bites dog"));
    }

    #[test]
    fn vector_never_changes() {
        // Stored vectors have to be found later: a change of these numbers needs a new model name.
        let all = vector("Kettle 7");
        let set = (0..).zip(all).filter(|(_, x)| *x != 0.0).map(|(at, x)| (at, (x * 1e3).round() as i32));
        let places: Vec<(usize, i32)> = set.take(4).collect();
        assert_eq!(places, [(74, 163), (81, 316), (96, -163), (97, -163)]);
    }

    #[tokio::test]
    async fn embed_estimates_usage() {
        let texts = vec!["abcd".to_owned(), "é".to_owned()];
        let request = EmbedRequest { model: NAME.to_owned(), texts, ..EmbedRequest::default() };
        let embedded = Hash.embed(request).await.unwrap();
        assert_eq!((embedded.vectors.len(), embedded.usage.input_tokens), (2, 2));
        assert!(embedded.usage.estimated);
    }
}
