//! Ranks sentences by how well they match a question.

use std::collections::{HashMap, HashSet};

use super::material::{Material, Sentence};
use super::split::terms;

/// The two constants of BM25: how quickly repetitions of a term saturate, and how much long sentences are penalized.
/// Sentences differ less in length than documents, so the penalty is lower than usual.
const SATURATION: f64 = 1.2;
const LENGTH: f64 = 0.5;
/// The share of its neighbours' scores that is added to a sentence, since answers often stand next to the matching
/// sentence.
const NEIGHBOUR: f64 = 0.15;
/// Maximum number of quoted sentences, and the minimum share of the best score that they must reach.
const QUOTED: usize = 4;
const MIN_SCORE: f64 = 0.4;

/// The result of the search.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RankedSentences<'a> {
    /// The best sentences, in their original order.
    pub(super) best: Vec<Sentence<'a>>,
    /// Whether they share a term with the question; otherwise they are the most representative sentences of the
    /// material.
    pub(super) fits: bool,
}

/// Searches the material for the sentences that match its question.
pub(super) fn search<'a>(material: &Material<'a>) -> RankedSentences<'a> {
    let sentences = &material.sentences;
    let terms: Vec<Vec<String>> = sentences.iter().map(|s| terms_of(s.text)).collect();
    let question_terms: HashSet<String> = terms_of(&material.question).into_iter().collect();
    let scores = neighbours(sentences, &bm25(&terms, &question_terms));
    let fits = scores.iter().any(|score| *score > 0.0);
    let scores = if fits { scores } else { centrality(&terms) };
    let best = best(sentences, &scores);
    RankedSentences { best, fits }
}

fn terms_of(text: &str) -> Vec<String> {
    terms(text).collect()
}

/// Counts the sentences that contain each term.
fn spread(terms: &[Vec<String>]) -> HashMap<&str, usize> {
    let mut spread = HashMap::new();
    let mut seen = HashSet::new();
    for sentence in terms {
        seen.clear();
        for term in sentence {
            if seen.insert(term.as_str()) {
                *spread.entry(term.as_str()).or_insert(0) += 1;
            }
        }
    }
    spread
}

fn rarity(sentences: usize, holding: usize) -> f64 {
    (1.0 + sentences as f64 / (1.0 + holding as f64)).ln()
}

fn bm25(terms: &[Vec<String>], question_terms: &HashSet<String>) -> Vec<f64> {
    let spread = spread(terms);
    let mean = terms.iter().map(Vec::len).sum::<usize>() as f64 / terms.len().max(1) as f64;
    let score = |sentence: &Vec<String>| {
        let mut counts: Vec<(&str, f64)> = Vec::new();
        for term in sentence.iter().filter(|term| question_terms.contains(*term)) {
            match counts.iter_mut().find(|(counted, _)| counted == term) {
                Some((_, count)) => *count += 1.0,
                None => counts.push((term, 1.0)),
            }
        }
        let relative = sentence.len() as f64 / mean.max(1.0);
        let damp = SATURATION * (1.0 - LENGTH + LENGTH * relative);
        let part = |(term, count): &(&str, f64)| {
            let rarity = rarity(terms.len(), spread.get(term).copied().unwrap_or(0));
            rarity * count * (SATURATION + 1.0) / (count + damp)
        };
        counts.iter().map(part).sum()
    };
    terms.iter().map(score).collect()
}

fn neighbours(sentences: &[Sentence<'_>], scores: &[f64]) -> Vec<f64> {
    let near = |at: usize, other: Option<usize>| {
        let other = other.filter(|o| *o < scores.len());
        let same = other.filter(|o| sentences[*o].source == sentences[at].source);
        same.map_or(0.0, |o| scores[o])
    };
    let both = |at: usize| near(at, at.checked_sub(1)) + near(at, Some(at + 1));
    scores.iter().enumerate().map(|(at, score)| score + NEIGHBOUR * both(at)).collect()
}

/// Scores how representative each sentence is: the mean weight of its terms, where terms that occur in several
/// sentences weigh the most. The first sentences get a small bonus.
fn centrality(terms: &[Vec<String>]) -> Vec<f64> {
    const FIRST: f64 = 0.5;
    let spread = spread(terms);
    let score = |(at, sentence): (usize, &Vec<String>)| {
        let weights = sentence.iter().map(|term| {
            let holding = spread.get(term.as_str()).copied().unwrap_or(0);
            holding as f64 * rarity(terms.len(), holding)
        });
        let mean = weights.sum::<f64>() / (sentence.len() as f64 + 4.0);
        mean * (1.0 + FIRST / (1.0 + at as f64))
    };
    terms.iter().enumerate().map(score).collect()
}

fn best<'a>(sentences: &[Sentence<'a>], scores: &[f64]) -> Vec<Sentence<'a>> {
    let mut order: Vec<usize> = (0..sentences.len()).collect();
    // The sort is stable, so the first of equal sentences is chosen.
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    let top = order.first().map_or(0.0, |at| scores[*at]);
    let mut quoted = HashSet::new();
    let worth = |at: &usize| scores[*at] >= top * MIN_SCORE;
    let new = |at: &usize| quoted.insert(sentences[*at].text);
    let mut chosen: Vec<usize> = order.into_iter().take_while(worth).filter(new).take(QUOTED).collect();
    chosen.sort_unstable();
    chosen.into_iter().map(|at| sentences[at]).collect()
}
