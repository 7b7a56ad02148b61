//! `builtin/hash`: vectors out of the letters of a text, without a model, a key or a network.
//!
//! It does not understand what a text means. Words, pairs of words and parts of words are hashed to
//! places of the vector ("the hashing trick", Weinberger and others, ICML 2009), so that texts which
//! share words, forms of words or spellings lie near each other: it forgives endings and slips of the
//! pen, and knows no synonyms and no translations. It is the same on every machine and for ever:
//! a change of it needs another name.

mod frequent;
mod words;

use async_trait::async_trait;

use super::{EmbedRequest, Embedded, EmbeddingModel, of_length_one};
use crate::chat::{ProviderError, Usage};
use words::{Word, words};

/// Its name: the full id is `builtin/hash`.
pub const NAME: &str = "hash";

/// Numbers of a vector. With half as many, words that have nothing in common share places so often that
/// one question in twenty with slips of the pen is answered worse; twice as many find hardly more.
const DIMENSIONS: usize = 512;
/// What counts how much, beside a whole word, which counts 1; found by trying, on the open questions of
/// the bench `knowledge`. All parts of a word together count as one thing of this weight.
const PAIR: f32 = 0.15;
const PARTS: f32 = 2.0;
/// The shortest and the longest part of a word, in characters.
const SHORTEST: usize = 3;
const LONGEST: usize = 5;

/// The embedding model that comes with the server.
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
            // A batch of long texts takes milliseconds, in which others may want this thread.
            tokio::task::yield_now().await;
        }
        Ok(Embedded { vectors, usage: Usage::estimate(chars, 0, 0) })
    }
}

/// The vector of a text, of length 1.
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
    // In the order of the keys: sums of f32 depend on the order, and a map has none.
    let mut counts: Vec<(u64, (f32, f32))> = counts.into_iter().collect();
    counts.sort_unstable_by_key(|(key, _)| *key);
    for (key, (times, weight)) in counts {
        let sign = if key >> 63 == 0 { 1.0 } else { -1.0 };
        sums[key as usize % DIMENSIONS] += sign * weight * (1.0 + times.ln());
    }
    of_length_one(sums).unwrap_or_else(|| lonely(text))
}

/// The parts of a word with its ends marked, the fewer the more each of them counts.
fn parts(word: &Word, count: &mut impl FnMut(u64, f32)) {
    let marked: Vec<char> =
        std::iter::once('^').chain(word.folded.chars()).chain(std::iter::once('$')).collect();
    let lengths = SHORTEST..=LONGEST.min(marked.len());
    let number: usize = lengths.clone().map(|length| marked.len() - length + 1).sum();
    let weight = PARTS * word.weight / (number as f32).sqrt();
    for part in lengths.flat_map(|length| marked.windows(length)) {
        let text: String = part.iter().collect();
        count(key(b'c', [text.as_str()]), weight);
    }
}

/// The vector of a text without words, such as "---": a direction of its own.
fn lonely(text: &str) -> Vec<f32> {
    let mut vector = vec![0.0; DIMENSIONS];
    vector[key(b'x', [text.trim()]) as usize % DIMENSIONS] = 1.0;
    vector
}

/// The place and the sign of a feature: FNV-1a, whose low bits alone are poor, and a mix of them.
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
    fn vectors_have_length_one_whatever_the_text() {
        let long = "word ".repeat(100_000);
        for text in ["a", "", "  ", "---", "the", "🙂", "東京", "\u{0}\u{300}", "x y z", long.as_str()] {
            let vector = vector(text);
            let length: f32 = vector.iter().map(|x| x * x).sum();
            assert_eq!(vector.len(), DIMENSIONS);
            assert!((length - 1.0).abs() < 1e-4, "{text:?}: {length}");
        }
    }

    #[test]
    fn forms_and_slips_of_the_pen_are_near_and_others_far() {
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
    fn common_words_tell_little_and_order_tells_something() {
        assert!(likeness("what is the kettle", "kettle") > 0.9);
        assert!(likeness("what is the kettle", "what is the lamp") < 0.3);
        assert!(likeness("dog bites man", "dog bites man") > likeness("dog bites man", "man bites dog"));
    }

    #[test]
    fn it_is_the_same_for_ever() {
        // Stored vectors have to be found later: a change of these numbers needs a new model name.
        let all = vector("Kettle 7");
        let set = (0..).zip(all).filter(|(_, x)| *x != 0.0).map(|(at, x)| (at, (x * 1e3).round() as i32));
        let places: Vec<(usize, i32)> = set.take(4).collect();
        assert_eq!(places, [(74, 163), (81, 316), (96, -163), (97, -163)]);
    }

    #[tokio::test]
    async fn it_counts_what_it_read() {
        let texts = vec!["abcd".to_owned(), "é".to_owned()];
        let request = EmbedRequest { model: NAME.to_owned(), texts, ..EmbedRequest::default() };
        let embedded = Hash.embed(request).await.unwrap();
        assert_eq!((embedded.vectors.len(), embedded.usage.input_tokens), (2, 2));
        assert!(embedded.usage.estimated);
    }
}
