//! Randomly generated texts.

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// Number of different words.
const VOCABULARY: usize = 50_000;
/// Number of words per passage, about 200 tokens.
const WORDS: usize = 150;
/// Number of words per question.
const ASKED: usize = 6;

/// Draws words; the nth most frequent word is about n times rarer than the first (Zipf's law).
pub struct Texts {
    rng: StdRng,
    words: Vec<String>,
}

impl Texts {
    pub fn new() -> Self {
        let mut rng = StdRng::seed_from_u64(4);
        let mut word = |_| {
            let letters = rng.random_range(3..11);
            (0..letters).map(|_| char::from(rng.random_range(b'a'..=b'z'))).collect()
        };
        let words = (0..VOCABULARY).map(&mut word).collect();
        Self { rng, words }
    }

    pub fn passage(&mut self) -> String {
        self.text(WORDS)
    }

    pub fn question(&mut self) -> String {
        self.text(ASKED)
    }

    fn text(&mut self, number: usize) -> String {
        let ranks: Vec<usize> = (0..number).map(|_| self.rank()).collect();
        let words: Vec<&str> = ranks.iter().map(|rank| self.words[*rank].as_str()).collect();
        words.join(" ")
    }

    fn rank(&mut self) -> usize {
        let uniform: f64 = self.rng.random_range(0.0..1.0);
        ((VOCABULARY as f64).powf(uniform) as usize - 1).min(VOCABULARY - 1)
    }
}
