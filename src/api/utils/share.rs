//! Selects documents that share words with a query: the fallback without a language model.

use std::collections::{HashMap, HashSet};

use providers::scribe::terms;

use super::filter::{DocumentToFilter, KeptDocument, LLMFilterDocumentsRequest};

/// The note of a response that used this fallback.
pub const NOTE: &str = "The built-in model does not think: it kept the documents that share words with the query, \
                        rare ones weighing most. Configure a provider for a model that reads them.";
/// The minimum weight of a kept document, as a fraction of the highest weight.
const MIN_SCORE: f64 = 0.25;
/// Maximum number of words that a reason names.
const NAMED: usize = 5;

/// The documents that share words with the query, highest weight first. Documents of equal weight stay in their
/// order.
pub fn sharing(request: &LLMFilterDocumentsRequest) -> Vec<KeptDocument> {
    let query = words(&request.query);
    let document_words: Vec<HashSet<String>> = request.documents.iter().map(document_terms).collect();
    let weight = |term: &str| {
        let holding = document_words.iter().filter(|document_words| document_words.contains(term)).count();
        (1.0 + document_words.len() as f64 / (1.0 + holding as f64)).ln()
    };
    let weights: HashMap<&str, f64> = query.iter().map(|(term, _)| (term.as_str(), weight(term))).collect();
    let score = |document_words: &HashSet<String>| {
        query
            .iter()
            .filter(|(term, _)| document_words.contains(term))
            .map(|(term, _)| weights[term.as_str()])
            .sum()
    };
    let scores: Vec<f64> = document_words.iter().map(score).collect();
    let best = scores.iter().copied().fold(0.0, f64::max);
    let worth = |at: &usize| scores[*at] > 0.0 && scores[*at] >= best * MIN_SCORE;
    let mut order: Vec<usize> = (0..document_words.len()).filter(worth).collect();
    // The sort is stable, so documents of equal weight stay in their order.
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    order.truncate(request.max.unwrap_or(order.len()));
    let document = |at: usize| KeptDocument {
        id: request.documents[at].id.clone(),
        reason: reason(
            query.iter().filter(|(term, _)| document_words[at].contains(term)).map(|(_, word)| *word),
        ),
    };
    order.into_iter().map(document).collect()
}

/// The distinct terms of a query, each with the word from which it was derived.
fn words(query: &str) -> Vec<(String, &str)> {
    let mut seen = HashSet::new();
    let all = query.split(|c: char| !c.is_alphanumeric());
    let term = |word| Some((terms(word).next()?, word));
    all.filter_map(term).filter(|(term, _)| seen.insert(term.clone())).collect()
}

fn document_terms(document: &DocumentToFilter) -> HashSet<String> {
    terms(document.title.as_deref().unwrap_or_default()).chain(terms(&document.text)).collect()
}

fn reason<'a>(shared: impl Iterator<Item = &'a str>) -> String {
    let named: Vec<String> = shared.take(NAMED).map(|word| format!("“{word}”")).collect();
    format!("It shares {} with the query.", named.join(", "))
}
